//go:build !unix

package container

import (
	"errors"
	"io"
	"os"
)

// mapFile reads the first bytes of a file where it cannot be mapped.
func mapFile(f *os.File, size int64, writable bool) ([]byte, error) {
	if writable {
		return nil, errors.ErrUnsupported
	}
	return io.ReadAll(io.NewSectionReader(f, 0, size))
}

func unmapFile([]byte) error { return nil }

func releasePages([]byte) {}
