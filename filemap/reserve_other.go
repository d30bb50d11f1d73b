//go:build !linux

package filemap

import (
	"errors"
	"os"
)

// Reserve fails on systems that do not promise the room.
func Reserve(*os.File, int64) error { return errors.ErrUnsupported }
