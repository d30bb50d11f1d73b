//go:build !unix

package filemap

import (
	"errors"
	"io"
	"os"
)

// mapFile reads the first bytes of a file where the system has no mmap.
func mapFile(f *os.File, size int64, writable bool) ([]byte, error) {
	if writable {
		return nil, errors.ErrUnsupported
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, size))
	if err == nil && int64(len(data)) < size {
		err = &ChangedError{f.Name()}
	}
	return data, err
}

func unmapFile([]byte) error { return nil }

func releasePages([]byte) {}
