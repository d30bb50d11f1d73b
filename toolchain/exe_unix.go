//go:build !windows

package toolchain

import (
	"os"
	"os/exec"
	"syscall"
)

const exeSuffix = ""

// ownGroup makes the command the leader of a process group, and its
// cancellation the end of the whole group: a launcher that is killed leaves its
// child running.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// signalName returns the signal that ended the process, or an empty string.
func signalName(err *exec.ExitError) string {
	if status, ok := err.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// drainPipe reads the rest of a pipe whose writer has exited, without waiting
// for others that have it open. They may go on writing, so that no more is read
// than a pipe can hold.
func drainPipe(r *os.File, out *output) {
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

// maxPipe is the largest capacity of a pipe in Linux, unless root has raised it
// (/proc/sys/fs/pipe-max-size).
const maxPipe = 1 << 20
