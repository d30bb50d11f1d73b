//go:build !unix

package filemap

import (
	"io/fs"
	"os"
)

// OpenFile is [os.OpenFile], which opens files for other systems than Unix as it must.
func OpenFile(name string, flags int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flags, mode)
}
