package filemap

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openNameless opens a file without a name. Every failure is reported as not
// supported: the error of os.CreateTemp then names the folder.
func openNameless(dir string) (*os.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, errors.ErrUnsupported
	}
	return os.NewFile(uintptr(fd), ""), nil
}
