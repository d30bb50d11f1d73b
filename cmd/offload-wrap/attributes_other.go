//go:build !linux

package main

import (
	"fmt"
	"io/fs"
	"os"
)

// attributes are those of a file that its content does not have: here its
// permissions.
type attributes struct{ mode fs.FileMode }

// readAttributes reads the permissions only: extended attributes are read on Linux.
func readAttributes(name string) (*attributes, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	return &attributes{info.Mode()}, nil
}

// restoreAttribute gives a file the permissions, and returns a description of them if it
// could not.
func (a *attributes) restoreAttribute(name string) (lost []string) {
	if os.Chmod(name, a.mode) != nil {
		lost = append(lost, fmt.Sprintf("its permissions (%v)", a.mode))
	}
	return lost
}
