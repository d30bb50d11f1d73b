//go:build !unix

package wrapper

import "io"

// mapFile reads the whole file where it cannot be mapped.
func (f *File) mapFile() error {
	file, size, err := openRegular(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	f.unmap = func() error { return nil }
	f.data, err = io.ReadAll(io.LimitReader(file, size))
	return err
}
