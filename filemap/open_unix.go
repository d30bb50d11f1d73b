//go:build unix

package filemap

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// OpenFile is [os.OpenFile] for a file that is read or written at once, which a regular
// file mostly is: for each file that it opens, package os asks whether the poller can wait
// for it, with four more system calls. Where the file is a pipe, reading it blocks the thread.
func OpenFile(name string, flags int, mode fs.FileMode) (*os.File, error) {
	for {
		fd, err := unix.Open(name, flags|unix.O_CLOEXEC, uint32(mode.Perm()))
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), name), nil
		case unix.EINTR:
		default:
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}
