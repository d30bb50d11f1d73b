//go:build !unix

package cli

import (
	"errors"
	"io/fs"
	"os"
)

// plainFile is a file that is written at once.
type plainFile struct{ *os.File }

func openPlain(name string, flags int, mode fs.FileMode) (plainFile, error) {
	f, err := os.OpenFile(name, flags, mode)
	return plainFile{f}, err
}

func (f plainFile) writeAll(data []byte) error {
	_, err := f.Write(data)
	return err
}

// nameIsFree leaves the decision to the file system.
func nameIsFree(string) bool { return false }

func renameFile(from, to string) error { return os.Rename(from, to) }

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
