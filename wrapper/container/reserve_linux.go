package container

import (
	"os"
	"syscall"
)

// reserve gives a file its size and the room on the disk: a write to a
// mapping without room ends the process.
func reserve(f *os.File, size int64) error { return syscall.Fallocate(int(f.Fd()), 0, 0, size) }
