//go:build unix

package wrapper

import (
	"os"
	"syscall"
)

// mapFile maps the file read-only. Pages come in as they are looked at, so
// that a list of a large library does not read the code of its images.
func mapFile(name string) (data []byte, unmap func() error, err error) {
	f, size, err := openRegular(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if size == 0 {
		return nil, func() error { return nil }, nil
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, &os.PathError{Op: "mmap", Path: name, Err: err}
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
