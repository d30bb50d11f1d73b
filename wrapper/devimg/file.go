package devimg

import (
	"fmt"
	"io"
	"os"

	"offlink/filemap"
)

// File is code in a file of its own. The file is opened for each use, so that thousands of them can
// be held, and so that the system can copy it without passing it through the process. It is safe
// for concurrent use.
type File struct {
	path    string
	size    int64
	version filemap.Version
}

// FromFile returns the code in the file of that name, which must not be changed afterwards.
func FromFile(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return &File{path, info.Size(), filemap.VersionOf(info)}, nil
}

// Size returns the length in bytes, as it was when the value was made.
func (f *File) Size() int64 { return f.size }

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	file, err := f.openUnchanged()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n, err := file.ReadAt(p, off)
	if changed := f.version.CheckUnchanged(file, f.path); changed != nil {
		return n, changed
	}
	return n, err
}

// openUnchanged opens the file. A new file of the same name is refused, since a digest may be of
// the content that was there before.
func (f *File) openUnchanged() (*os.File, error) {
	file, err := filemap.Open(f.path)
	if err != nil {
		return nil, err
	}
	if err := f.version.CheckUnchanged(file, f.path); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// CopyTo writes the bytes to w.
func (f *File) CopyTo(w io.Writer) (int64, error) {
	file, err := f.openUnchanged()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	// The system copies between two files on its own.
	n, err := io.Copy(w, io.LimitReader(file, f.size))
	if err == nil {
		err = f.version.CheckUnchanged(file, f.path)
	}
	return n, err
}
