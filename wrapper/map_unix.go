//go:build unix

package wrapper

import (
	"os"
	"syscall"
)

// mapFile maps the file read-only. Pages come in as they are looked at, so
// that a list of a large library does not read the code of its images.
func (f *File) mapFile() error {
	file, size, err := openRegular(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	f.unmap = func() error { return nil }
	if size == 0 {
		return nil
	}
	if f.data, err = syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE); err != nil {
		return &os.PathError{Op: "mmap", Path: f.name, Err: err}
	}
	data := f.data
	f.unmap = func() error { return syscall.Munmap(data) }
	return nil
}
