package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CreateFolder makes a folder for files of the group, with those above it that are
// missing. Abort removes the folders that were made, where they are empty.
func (o *Outputs) CreateFolder(dir string) error {
	o.removeAtSignals()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return errEnded
	}
	o.folders = append(o.folders, missingFolders(dir)...)
	return os.MkdirAll(dir, 0o777)
}

// missingFolders returns the folders of a path that are not there, the innermost
// first.
func missingFolders(dir string) (missing []string) {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		missing = append(missing, dir)
		above := filepath.Dir(dir)
		if above == dir {
			return missing
		}
		dir = above
	}
}

// removeFolders removes the folders that were made. One in which another program
// has put a file stays, as those above it do.
func (o *Outputs) removeFolders() {
	for _, dir := range o.folders {
		os.Remove(dir)
	}
	o.folders = nil
}
