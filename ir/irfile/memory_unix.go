//go:build unix

package irfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The content of an input lies outside Go's heap: it would make the collector
// let twice its size pile up, and an allocation that fails there ends the
// process. It is a copy and not a mapping of the file, as one that becomes
// shorter would end the process too.

// allocateMemory returns zeroed memory.
func allocateMemory(size int) ([]byte, error) {
	data, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if errors.Is(err, unix.ENOMEM) {
		return nil, errNoMemory
	}
	return data, err
}

func releaseMemory(data []byte) error { return unix.Munmap(data) }
