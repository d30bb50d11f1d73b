package cli

import (
	"io"
	"os"
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
