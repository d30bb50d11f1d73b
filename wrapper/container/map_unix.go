//go:build unix

package container

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mapFile maps the first bytes of a file.
func mapFile(f *os.File, size int64, writable bool) ([]byte, error) {
	protection := syscall.PROT_READ
	if writable {
		protection |= syscall.PROT_WRITE
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), protection, syscall.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return data, nil
}

func unmapFile(data []byte) error { return syscall.Munmap(data) }

// releasePages lets go of the memory behind a mapping, whose bytes come back
// from the file when they are used.
func releasePages(data []byte) {
	if len(data) > 0 {
		unix.Madvise(data, unix.MADV_DONTNEED)
	}
}
