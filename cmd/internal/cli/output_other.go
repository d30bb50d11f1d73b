//go:build !unix

package cli

import (
	"errors"
	"io/fs"
	"os"
)

// writable leaves the decision to the file system, when the file is opened.
func writable(string) error { return nil }

// hasOtherNames and hasAccessList are false: hard links and access lists are
// rare on these systems.
func hasOtherNames(fs.FileInfo) bool { return false }

func hasAccessList(string) bool { return false }

// keepAttributes reports success: these systems keep neither owner nor mode.
func keepAttributes(*os.File, fs.FileInfo) bool { return true }

func isReadOnlyFolder(err error) bool { return errors.Is(err, fs.ErrPermission) }

func isUnrenamable(error) bool { return false }

// duplicate is for systems with descriptors under /dev/fd.
func duplicate(int, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// isNullForWriting is false: reading a closed stream fails by itself.
func isNullForWriting(*os.File) bool { return false }
