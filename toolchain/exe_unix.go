//go:build !windows

package toolchain

import (
	"os"
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

// drain reads what is left in a pipe whose writer has exited, without waiting
// for others that have it open. They may go on writing, so that no more is read
// than a pipe can hold.
func drain(r *os.File, out *output) {
	raw, err := r.SyscallConn()
	if err != nil {
		return
	}
	buffer := make([]byte, 64<<10)
	raw.Control(func(fd uintptr) {
		for left := maxPipe; left > 0; {
			n, err := syscall.Read(int(fd), buffer[:min(left, len(buffer))])
			if err == syscall.EINTR {
				continue
			}
			if err != nil || n <= 0 {
				return
			}
			out.Write(buffer[:n])
			left -= n
		}
	})
}

// maxPipe is what Linux lets a pipe hold, where nobody raised the limit.
const maxPipe = 1 << 20
