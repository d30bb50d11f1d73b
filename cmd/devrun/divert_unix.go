//go:build unix

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// divertOutput has drivers, which print on standard output, print on standard error
// from now on. The result is the real standard output, which no process that a driver
// starts has.
func divertOutput() (io.Writer, error) {
	own, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, os.NewSyscallError("dup2", err)
	}
	return os.NewFile(uintptr(own), "standard output"), nil
}
