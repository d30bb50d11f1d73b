//go:build !linux

package filemap

import (
	"errors"
	"os"
)

func openNameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }
