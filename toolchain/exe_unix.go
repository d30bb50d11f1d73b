//go:build !windows

package toolchain

import (
	"os/exec"
	"syscall"
)

const exeSuffix = ""

// ownGroup makes the command the leader of a process group, and its
// cancellation the end of the whole group: a launcher does not take its child
// with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// signalName returns the signal that ended the process, "" if none did.
func signalName(err *exec.ExitError) string {
	if status, ok := err.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
