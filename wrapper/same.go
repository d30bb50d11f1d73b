package wrapper

import (
	"bytes"
	"io"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// HasCode reports whether the image has that code, as it lies in the file or
// as it was before it was compressed.
func (l *Located) HasCode(code devimg.Code, budget *container.Budget) (bool, error) {
	_, packed := container.PackedSize(&l.Image)
	if same, err := equalCode(l.Image.Code, code); same || err != nil || l.Format != devimg.FormatCompressedNone && !packed {
		return same, err
	}
	plain, err := container.Uncompress(&l.Image, budget)
	if err != nil {
		return false, err
	}
	return equalCode(plain.Code, code)
}

// equalCode compares two codes piece by piece.
func equalCode(a, b devimg.Code) (bool, error) {
	if a.Size() != b.Size() {
		return false, nil
	}
	left, right := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := int64(0); at < a.Size(); at += int64(len(left)) {
		n := min(int64(len(left)), a.Size()-at)
		if _, err := a.ReadAt(left[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if _, err := b.ReadAt(right[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if !bytes.Equal(left[:n], right[:n]) {
			return false, nil
		}
	}
	return true, nil
}
