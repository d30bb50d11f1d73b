package wrapper

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"offlink/filemap"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// ReadOptions are the limits of reading. The zero ReadOptions has the defaults.
type ReadOptions struct {
	// MaxInflated bounds the bytes that compressed envelopes of one file may
	// grow to, in all. 0 is container.DefaultBudget.
	MaxInflated int64
}

// File is a file whose device images were found. Its images may be read from several goroutines,
// also while an edit writes a copy of the file. Two edits must not run at the same time, and Close
// not at the same time as anything else.
type File struct {
	name    string
	images  []Located
	data    []byte            // mapped
	budget  *container.Budget // has the mappings
	read    atomic.Int64      // bytes of code since pages were released
	options ReadOptions

	source  *os.File // nil: no other program has the file
	version filemap.Version
}

// Open reads the device images of the file: of an object, a program or a
// shared library (ELF, COFF, Mach-O), an archive of them, or an envelope of
// its own. A file that can hold images and holds none is not an error.
//
// The file is mapped: the images are valid until Close, and so are all bytes
// taken from them.
func Open(name string, opts ReadOptions) (*File, error) {
	file, info, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	f := &File{name: name, options: opts, source: file, version: filemap.VersionOf(info)}
	if err := f.readMapped(file, info.Size()); err != nil {
		return nil, err
	}
	return f, nil
}

// largerError says that a file grows past a limit, as [container.ErrBudget] does of the compressed
// data in it.
type largerError int64

func (e largerError) Error() string { return fmt.Sprintf("it grows past %d bytes", int64(e)) }

func (e largerError) Is(target error) bool { return target == container.ErrBudget }

// OpenReader reads the device images in the bytes of r, as if they were a file of that name. The
// bytes are copied to a nameless temporary file; more than limit bytes are a
// [container.ErrBudget].
func OpenReader(name string, r io.Reader, limit int64, opts ReadOptions) (*File, error) {
	scratch, err := filemap.CreateNameless("", "offload-wrap-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(scratch.Name()) // where an open file cannot be removed
	defer scratch.Close()
	n, err := io.Copy(scratch, io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = largerError(limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{name: name, options: opts}
	if err := f.readMapped(scratch, n); err != nil {
		return nil, err
	}
	return f, nil
}

// readMapped maps the file read-only and finds its images. Pages are read as they are looked at, so
// listing a large library does not read the code of its images. After an error, the File is closed.
func (f *File) readMapped(file *os.File, size int64) (err error) {
	f.budget = container.NewScratchBudget(f.options.MaxInflated)
	if f.data, err = f.budget.MapFile(file, size); err == nil {
		filemap.Rename(f.data, f.name)
		err = f.findImages()
	}
	// Half of a new content is usually malformed; the change is the reason to report.
	if changed := f.CheckUnchanged(); changed != nil {
		f.Close()
		return changed
	}
	if err != nil {
		f.Close()
		if _, named := errors.AsType[*filemap.ChangedError](err); named {
			return err
		}
		return fmt.Errorf("%s: %w", f.name, err)
	}
	for i := range f.images {
		img := &f.images[i]
		img.Code = container.WrapCode(img.Code, f.mapCode)
		if fat := img.fatBinary; fat != nil && (i == 0 || f.images[i-1].fatBinary != fat) {
			fat.Code = f.mapCode(fat.Code)
		}
	}
	return nil
}

// CheckUnchanged returns an error if the file was written to since it was opened. In that case, the
// bytes that were read may be from two contents, so a caller checks before it uses the result.
// Renaming another file to the name does not count: the images are those of the old file.
func (f *File) CheckUnchanged() error {
	if f.source == nil {
		return nil
	}
	return f.version.CheckUnchanged(f.source, f.name)
}

// IsNamed reports whether the name still leads to this file, and not to another that was renamed to
// it.
func (f *File) IsNamed() bool {
	if f.source == nil {
		return false
	}
	was, err1 := f.source.Stat()
	is, err2 := os.Stat(f.name)
	return err1 == nil && err2 == nil && os.SameFile(was, is)
}

// findImages sets the images of the mapped file.
func (f *File) findImages() error {
	return filemap.Guard(func() (err error) {
		f.images, err = unwrapData(f.data, f.budget)
		return err
	})
}

// releaseEvery is how many bytes of images are read until the pages of the
// file are released: pages of a mapped file count as memory of the
// process.
const releaseEvery = 2 << 20

// pagesAround is the size of the range that Linux maps around a byte that is
// read (fault_around_bytes).
const pagesAround = 64 << 10

// mappedCode is code in a mapped file. Reading it fails if the file became
// shorter, and releases pages of the file at intervals.
type mappedCode struct {
	devimg.Code
	file *File
}

func (f *File) mapCode(c devimg.Code) devimg.Code { return &mappedCode{c, f} }

// ReadAt implements [io.ReaderAt].
func (c *mappedCode) ReadAt(p []byte, off int64) (int, error) {
	var n int
	err := filemap.Guard(func() (err error) {
		n, err = c.Code.ReadAt(p, off)
		return err
	})
	// A small image takes the pages around it, so that many are as much memory as a large one.
	touched := max(int64(n), min(c.Size(), pagesAround))
	if c.file.read.Add(touched) >= releaseEvery {
		c.file.read.Store(0)
		c.file.budget.Release()
	}
	return n, err
}

// MayHoldImages reports whether a file that begins so is of a kind that can
// hold device images. A few thousand bytes are enough.
func MayHoldImages(head []byte) bool {
	return objfile.IsArchive(head) || objfile.IsUniversal(head) || objfile.Known(head) || container.Sniff(head) != container.None
}

// Name returns the name by which the file was opened.
func (f *File) Name() string { return f.name }

// Images returns the images in the order in which they lie in the file. The caller must not change
// the slice.
func (f *File) Images() []Located { return f.images }

// Close releases the file and the bytes of its images, which must not be used any more.
func (f *File) Close() error {
	f.data, f.images = nil, nil
	f.budget.Close()
	if f.source != nil {
		return f.source.Close()
	}
	return nil
}

// openRegular opens a file that has a size. The check comes before the opening, since opening a
// pipe could block for ever.
func openRegular(name string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &os.PathError{Op: "read", Path: name, Err: fmt.Errorf("not a regular file (%s)", info.Mode().Type())}
	}
	f, err := filemap.Open(name)
	if err != nil {
		return nil, nil, err
	}
	// Another file may have got the name since.
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
