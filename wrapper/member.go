package wrapper

import (
	"archive/zip"
	"bytes"
	"io"
)

// headSize is the number of bytes that MayHoldImages gets of a member.
const headSize = 4096

// memberContents are the contents of a member from the first byte on.
type memberContents struct {
	io.Reader
	io.Closer
}

// OpenMember opens a file of a zip archive, such as a Python wheel, if its first bytes are those
// of a kind of file that can hold device images. It returns nil for others, among them folders and
// links. The caller closes the contents.
func OpenMember(member *zip.File) (io.ReadCloser, error) {
	if !member.Mode().IsRegular() {
		return nil, nil
	}
	packed, err := member.Open()
	if err != nil {
		return nil, err
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(packed, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil // a short file
	}
	if err != nil || !MayHoldImages(head[:n]) {
		packed.Close()
		return nil, err
	}
	return memberContents{io.MultiReader(bytes.NewReader(head[:n]), packed), packed}, nil
}
