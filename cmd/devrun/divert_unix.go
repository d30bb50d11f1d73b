//go:build unix

package main

import (
	"errors"
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

// diverted runs f, in which drivers that print on standard output print on standard
// error.
func diverted(f func() error) (err error) {
	own, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	defer unix.Close(own)
	if err := unix.Dup2(2, 1); err != nil {
		return os.NewSyscallError("dup2", err)
	}
	defer func() { err = errors.Join(err, os.NewSyscallError("dup2", unix.Dup2(own, 1))) }()
	return f()
}
