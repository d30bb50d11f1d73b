package container

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"offlink/filemap"
	"offlink/wrapper/devimg"
)

// fileCode is the code of a compressed image whose frames have windows that are too large to hold
// in memory. It is inflated when it is first read, into a nameless file that exists as long as the
// code. It is safe for concurrent use.
type fileCode struct {
	size    int64
	inflate func() (*os.File, error) // once
}

// Size returns the length that the header promises, or the one found by inflating.
func (c *fileCode) Size() int64 { return c.size }

// ReadAt implements [io.ReaderAt].
func (c *fileCode) ReadAt(p []byte, off int64) (int, error) {
	f, err := c.inflate()
	if err != nil {
		return 0, err
	}
	return f.ReadAt(p, off)
}

// inflateLargeWindow returns the code that c inflates to if its first frame has a large window,
// else nil. Such frames are inflated through a mapping of a file, which is their window. The size
// is taken off the budget. If no header promises a size, the code is inflated at once to learn it.
func inflateLargeWindow(c devimg.Code, size int64, known bool, b *Budget) (devimg.Code, error) {
	var head [zstd.HeaderMaxSize]byte
	n, _ := c.ReadAt(head[:], 0)
	if !hasLargeWindow(head[:n]) {
		return nil, nil
	}
	if known {
		inflate := sync.OnceValues(func() (*os.File, error) {
			f, _, err := inflateToFile(c, size, true)
			return f, err
		})
		return &fileCode{size, inflate}, b.take(size)
	}
	f, size, err := inflateToFile(c, b.left, false)
	if err != nil {
		return nil, err
	}
	return &fileCode{size, func() (*os.File, error) { return f, nil }}, b.take(size)
}

// inflateToFile inflates c into a new file without a name. It gives exactly
// limit bytes, or at most as many.
func inflateToFile(c devimg.Code, limit int64, exact bool) (f *os.File, size int64, err error) {
	b := NewScratchBudget(limit)
	defer b.Close()
	packed, err := b.mapCopy(c)
	if err != nil {
		return nil, 0, err
	}
	if f, err = createNameless(); err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if exact {
		done, err := b.growFile(f, nil, packed, limit)
		if err == nil && !done {
			_, err = f.Seek(0, io.SeekStart)
			err = errors.Join(err, growTo(f, nil, io.NewSectionReader(c, 0, c.Size()), true, limit))
		}
		return f, limit, err
	}
	size, err = b.inflateAtMost(f, packed, limit)
	return f, size, err
}

// inflateAtMost inflates into a file that has the length of the limit at first, without using disk
// space for it. If the disk becomes full, accesses to the mapping fault.
func (b *Budget) inflateAtMost(f *os.File, packed []byte, limit int64) (size int64, err error) {
	if err := f.Truncate(limit); err != nil {
		return 0, err
	}
	mapped, err := b.mapFile(f, limit, true)
	if errors.Is(err, errors.ErrUnsupported) {
		return copyInflated(f, &releasing{bytes.NewReader(packed), b, 0}, true, limit)
	}
	if err != nil {
		return 0, err
	}
	err = filemap.Guard(func() (err error) {
		size, err = b.inflateInto(mapped, packed)
		return err
	})
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return 0, ErrBudget
	}
	if err != nil {
		return 0, err
	}
	return size, f.Truncate(size)
}

// mapCopy copies code to a file and maps that.
func (b *Budget) mapCopy(c devimg.Code) ([]byte, error) {
	f, err := b.Scratch()
	if err != nil {
		return nil, err
	}
	if err := devimg.Copy(f, c); err != nil {
		return nil, err
	}
	return b.MapFile(f, c.Size())
}
