//go:build !linux

package container

import (
	"errors"
	"os"
)

// reserve is not done where the system does not promise the room.
func reserve(*os.File, int64) error { return errors.ErrUnsupported }
