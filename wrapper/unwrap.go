package wrapper

import (
	"offlink/wrapper/internal/objfile"
)

// Unwrap returns the device images in the bytes of a file, in the order in
// which they lie there; see [Open]. The images share the bytes.
func Unwrap(data []byte, opts ReadOptions) ([]Located, error) {
	file, err := objfile.Read(data)
	if err != nil {
		return nil, err
	}
	return newHostObject(file).images()
}
