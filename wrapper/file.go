package wrapper

import (
	"fmt"
	"io"
	"os"

	"offlink/wrapper/container"
	"offlink/wrapper/internal/objfile"
)

// ReadOptions says how files are read. The zero ReadOptions is the default.
type ReadOptions struct {
	// MaxInflated bounds the bytes that compressed envelopes of one file may
	// grow to, in all. 0 is container.DefaultBudget.
	MaxInflated int64
}

// File is a file whose device images were found. It is safe for concurrent
// use.
type File struct {
	name   string
	images []Located
	data   []byte
	unmap  func() error
	// options are what the file was read with.
	options ReadOptions
}

// Open reads the device images of the file: of an object, a program or a
// shared library (ELF, COFF, Mach-O), an archive of them, or an envelope of
// its own. A file that can hold images and holds none is no error.
//
// The file is mapped: the images are valid until Close, and so are all bytes
// taken from them.
func Open(name string, opts ReadOptions) (*File, error) {
	f := &File{name: name, options: opts}
	if err := f.mapFile(); err != nil {
		return nil, err
	}
	var err error
	if f.images, err = Unwrap(f.data, opts); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// OpenReader reads the device images in what r gives, as if it were a file of
// that name: it is copied to a temporary file of at most limit bytes, whose
// name is removed before the function returns.
func OpenReader(name string, r io.Reader, limit int64, opts ReadOptions) (*File, error) {
	scratch, err := os.CreateTemp("", "offload-wrap-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(scratch.Name()) // The mapping stays.
	n, err := io.Copy(scratch, io.LimitReader(r, limit+1))
	if closeErr := scratch.Close(); err == nil {
		err = closeErr
	}
	if err == nil && n > limit {
		err = fmt.Errorf("it grows past %d bytes: if the file is to be trusted, raise the limit (-max-inflated)", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{name: scratch.Name(), options: opts}
	if err := f.mapFile(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.name = name
	if f.images, err = Unwrap(f.data, opts); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// MayHoldImages reports whether a file that begins so is of a kind that can
// hold device images. A few thousand bytes are enough.
func MayHoldImages(head []byte) bool {
	return objfile.IsArchive(head) || objfile.IsUniversal(head) || objfile.Known(head) || container.Sniff(head) != container.None
}

// Name is the name that the file was opened by.
func (f *File) Name() string { return f.name }

// Images returns the images in the order in which they lie in the file. The
// slice is the file's own.
func (f *File) Images() []Located { return f.images }

// Close releases the file and the bytes of its images.
func (f *File) Close() error {
	f.data, f.images = nil, nil
	return f.unmap()
}

// openRegular opens a file that has a size: a pipe could block for ever.
func openRegular(name string) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &os.PathError{Op: "read", Path: name, Err: fmt.Errorf("not a regular file (%s)", info.Mode().Type())}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}
