//go:build !unix

package wrapper

import "io"

// mapFile reads the whole file where it cannot be mapped.
func mapFile(name string) (data []byte, unmap func() error, err error) {
	f, size, err := openRegular(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, size))
	return data, func() error { return nil }, err
}
