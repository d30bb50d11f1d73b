package filemap

import (
	"errors"
	"os"
)

// CreateNameless makes a temporary file in a folder, "" for that of temporary
// files, that vanishes with the process or when it is closed. On Linux it never
// has a name, so that a signal cannot leave it; its Name is then "". Elsewhere, and
// on file systems that do not have that, it is removed at once, with a name after
// the pattern (os.CreateTemp); where an open file cannot be removed, the caller
// removes it when it is closed. The caller closes it.
func CreateNameless(dir, pattern string) (*os.File, error) {
	if f, err := openNameless(dir); !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	f, err := os.CreateTemp(dir, pattern)
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}
