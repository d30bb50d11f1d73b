package devimg

import (
	"fmt"
	"io"
	"os"
)

// File is code that lies in a file by itself. The file is opened for each
// use, so that thousands can be held, and copied without passing through the
// process where the system can do that. It is safe for concurrent use.
type File struct {
	path string
	size int64
}

// FromFile returns the code in the file of that name, which must stay as it
// is.
func FromFile(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return &File{path, info.Size()}, nil
}

// Size returns the length in bytes, as it was when the value was made.
func (f *File) Size() int64 { return f.size }

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return file.ReadAt(p, off)
}

// CopyTo writes the bytes to w.
func (f *File) CopyTo(w io.Writer) (int64, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	// The system copies between two files on its own.
	n, err := io.Copy(w, io.LimitReader(file, f.size))
	if err == nil && n != f.size {
		err = fmt.Errorf("%s: it has %d bytes now, and had %d", f.path, n, f.size)
	}
	return n, err
}
