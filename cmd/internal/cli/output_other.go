//go:build !unix

package cli

import (
	"errors"
	"io/fs"
	"os"
)

// writable leaves it to the file system to tell.
func writable(string) error { return nil }

// hasOtherNames, hasAccessList: these systems rename as ever.
func hasOtherNames(fs.FileInfo) bool { return false }

func hasAccessList(string) bool { return false }

// keepAttributes has nothing to keep.
func keepAttributes(*os.File, fs.FileInfo) bool { return true }

func isReadOnlyFolder(err error) bool { return errors.Is(err, fs.ErrPermission) }

func isUnrenamable(error) bool { return false }

// duplicate is for systems with descriptors under /dev/fd.
func duplicate(int, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// wasClosed: reading tells.
func wasClosed(*os.File) bool { return false }
