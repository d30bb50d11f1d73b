package cli

import (
	"io"
	"os"
	"strings"
)

// zipMagic begins a zip archive with files in it.
const zipMagic = "PK\x03\x04"

// IsZip reports whether the name is that of a Python wheel or another archive
// of the zip form.
func IsZip(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(zipMagic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == zipMagic
}

// MemberMark stands between the name of an archive and that of a file in it.
const MemberMark = "!"

// CutMember splits the name of a file in an archive, ARCHIVE!MEMBER, if there is such an archive.
func CutMember(name string) (archive, member string, ok bool) {
	for i := range name {
		if !strings.HasPrefix(name[i:], MemberMark) {
			continue
		}
		if info, err := os.Stat(name[:i]); err == nil && info.Mode().IsRegular() && IsZip(name[:i]) {
			return name[:i], name[i+len(MemberMark):], true
		}
	}
	return "", "", false
}
