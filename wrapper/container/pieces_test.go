package container

import (
	"bytes"

	"offlink/wrapper/devimg"
)

// join returns the bytes of pieces.
func join(list []devimg.Code) ([]byte, error) {
	var out bytes.Buffer
	err := NewBudget(0).writeAll(&out, list)
	return out.Bytes(), err
}

// packedBytes returns data as zstd or zlib.
func packedBytes(data []byte, isZstd bool) ([]byte, error) {
	var out bytes.Buffer
	err := NewBudget(0).deflate(&out, []devimg.Code{devimg.Bytes(data)}, isZstd)
	return out.Bytes(), err
}

// replaceInPlace lets the last envelope grow.
func replaceInPlace(data []byte, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	return ReplaceInPlace(data, n, code, true, b)
}
