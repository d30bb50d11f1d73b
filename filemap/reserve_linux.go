package filemap

import (
	"os"
	"syscall"
)

// Reserve gives a file its size and the room on the disk, so that a write to a
// mapping of it cannot fail: where the disk is full that is a fault too.
func Reserve(f *os.File, size int64) error { return syscall.Fallocate(int(f.Fd()), 0, 0, size) }
