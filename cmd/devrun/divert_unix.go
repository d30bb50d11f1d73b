//go:build unix

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// divertOutput has drivers, which print on standard output, print on standard error
// from now on. The result is the real standard output, which no process that a driver
// starts has.
func divertOutput() (*os.File, error) {
	own, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, os.NewSyscallError("dup2", err)
	}
	return os.NewFile(uintptr(own), "standard output"), nil
}

// diverted is divertOutput while f runs.
func diverted(f func() error) (err error) {
	out, err := divertOutput()
	if err != nil {
		return err
	}
	defer out.Close()
	defer func() { err = errors.Join(err, os.NewSyscallError("dup2", unix.Dup2(int(out.Fd()), 1))) }()
	return f()
}
