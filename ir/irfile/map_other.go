//go:build !unix

package irfile

import "os"

// mapFile reads the file: there is no mapping here.
func mapFile(file *os.File, size int) (data []byte, release func() error, err error) {
	data, err = readLimited(file, file.Name())
	return data, nil, err
}
