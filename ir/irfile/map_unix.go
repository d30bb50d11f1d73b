//go:build unix

package irfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file of that size. Where mapping fails, as on some file
// systems, it reads the file.
func mapFile(file *os.File, size int) (data []byte, release func() error, err error) {
	data, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		data, err = readLimited(file, file.Name())
		return data, nil, err
	}
	return data, func() error {
		if err := unix.Munmap(data); err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
		return nil
	}, nil
}
