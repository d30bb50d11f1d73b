package filemap

import (
	"fmt"
	"os"
	"time"
)

// Version tells whether a file still has the content that it had: its size, and
// when it was written last. A file that another is renamed over keeps its version,
// as programs that have it open read the old content on.
//
// Linux from 6.13 on has times as fine as this needs. Before, and on other systems,
// two writes within one tick of the clock (4 to 10 ms) have the same time, so that
// the second is not seen if it keeps the size. A writer that pauses in the middle of
// a file leaves a version like any other.
type Version struct {
	size     int64
	modified time.Time
}

// VersionOf is the version of the file that info describes.
func VersionOf(info os.FileInfo) Version { return Version{info.Size(), info.ModTime()} }

// CheckUnchanged returns a *[ModifiedError] if the open file, which messages call
// name, has another version now.
func (v Version) CheckUnchanged(f *os.File, name string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if now := VersionOf(info); now.size != v.size || !now.modified.Equal(v.modified) {
		return &ModifiedError{name}
	}
	return nil
}

// ModifiedError says that a file was written to while it was read, so that the
// bytes may be part of the old content and part of the new.
type ModifiedError struct{ Path string }

func (e *ModifiedError) Error() string {
	return fmt.Sprintf("%s: the file was changed while it was read", e.Path)
}
