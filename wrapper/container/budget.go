package container

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"offlink/filemap"
	"offlink/wrapper/devimg"
)

// DefaultBudget is how many bytes the compressed parts of one file may inflate
// to, in all, unless the caller chooses another limit.
const DefaultBudget = 1 << 30

// heldBytes is how many inflated bytes of envelopes are held in memory; further bytes go to files.
const heldBytes = 8 << 20

// Budget counts the bytes that compressed parts may still inflate to, and owns the files and
// mappings of inflated envelopes. It is not safe for concurrent use, except for Release.
type Budget struct {
	left, all int64
	held      int64
	scratch   *scratch // nil: all is held
}

// NewBudget returns a budget of n bytes, or of DefaultBudget if n is not positive, that holds the
// content of compressed envelopes in memory.
func NewBudget(n int64) *Budget {
	if n <= 0 {
		n = DefaultBudget
	}
	return &Budget{left: n, all: n}
}

// NewScratchBudget is NewBudget with files for the content of compressed envelopes. The files have
// no names and are mapped: the caller calls Close once it no longer uses anything that was read.
func NewScratchBudget(n int64) *Budget {
	b := NewBudget(n)
	b.scratch = &scratch{}
	return b
}

// Restart returns a budget of as many bytes as b had at first. Both use the files of b, which b's
// Close closes.
func (b *Budget) Restart() *Budget { return &Budget{left: b.all, all: b.all, scratch: b.scratch} }

// Close releases the files.
func (b *Budget) Close() {
	if b.scratch != nil {
		b.scratch.close()
	}
}

// Release gives back the memory that holds pages of the files. The pages come back when they are
// read.
func (b *Budget) Release() {
	if b.scratch == nil {
		return
	}
	for _, data := range b.scratch.mappings() {
		filemap.Release(data)
	}
}

// Scratch returns a new file, which Close closes. The budget must be of NewScratchBudget.
func (b *Budget) Scratch() (*os.File, error) { return b.scratch.create() }

// take takes bytes off the budget.
func (b *Budget) take(n int64) error {
	if n > b.left {
		return ErrBudget
	}
	b.left -= n
	return nil
}

// grown is the content of compressed bytes of an envelope.
type grown struct {
	data []byte
	code devimg.Code // the same, without the memory of data
}

// inflate returns first, followed by the bytes that packed (zstd or zlib) inflates to. promised is
// the size of both. If it is more than the budget has left, nothing is inflated; content that grows
// past it is an error.
func (b *Budget) inflate(first, packed []byte, promised uint64) (grown, error) {
	if promised < uint64(len(first)) {
		return grown{}, fmt.Errorf("a promised size of %d bytes", promised)
	}
	if promised > 1<<62 {
		return grown{}, ErrBudget
	}
	size := int64(promised)
	if err := b.take(size - int64(len(first))); err != nil {
		return grown{}, err
	}
	if b.scratch == nil || b.held+size <= heldBytes {
		b.held += size
		var out bytes.Buffer // grows with the content: the promise may be a lie
		err := growTo(&out, first, bytes.NewReader(packed), IsZstd(packed), size)
		return grown{out.Bytes(), devimg.Bytes(out.Bytes())}, err
	}
	f, err := b.scratch.create()
	if err != nil {
		return grown{}, err
	}
	done, err := b.growFile(f, first, packed, size)
	if err == nil && !done {
		err = growTo(f, first, &releasing{bytes.NewReader(packed), b, 0}, IsZstd(packed), size)
	}
	if err != nil {
		return grown{}, err
	}
	data, err := b.MapFile(f, size)
	return grown{data, devimg.Section(f, 0, size)}, err
}

// releasing is a reader of mapped bytes that releases their pages.
type releasing struct {
	io.Reader
	budget *Budget
	read   int
}

// releaseEvery is how many bytes are read between calls of Release: pages of a mapped file count as
// the memory of the process.
const releaseEvery = 2 << 20

func (r *releasing) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.read += n; r.read >= releaseEvery {
		r.read = 0
		r.budget.Release()
	}
	return n, err
}

// windowInMemory is the largest window of zstd that is held in memory while
// an envelope is inflated. Clang makes large bundles with 128 MiB.
const windowInMemory = 8 << 20

// hasLargeWindow reports whether a zstd frame with this header needs a window
// that is not held in memory.
func hasLargeWindow(head []byte) bool {
	var h zstd.Header
	if h.Decode(head[:min(len(head), zstd.HeaderMaxSize)]) != nil || h.Skippable {
		return false
	}
	if h.SingleSegment { // the window is all of the content
		return h.FrameContentSize > windowInMemory
	}
	return h.WindowSize > windowInMemory && (!h.HasFCS || h.FrameContentSize > windowInMemory)
}

// growFile inflates a frame with a large window into a mapping of the file, which then is the
// window, and reports whether it did: false without an error means that the caller inflates it
// another way.
func (b *Budget) growFile(f *os.File, first, packed []byte, size int64) (bool, error) {
	if !hasLargeWindow(packed) || filemap.Reserve(f, size) != nil {
		return false, nil
	}
	data, err := b.mapFile(f, size, true)
	if err != nil {
		return false, nil
	}
	begin := copy(data, first)
	n, err := b.inflateInto(data[begin:], packed)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return true, passedError(size)
	case err == nil && int64(begin)+n < size:
		err = fewerError(int64(begin)+n, size)
	}
	return true, err
}

// inflateInto inflates zstd frames into a mapping, which is their window, and returns the number of
// bytes. Pages of the mappings are released in the meantime.
func (b *Budget) inflateInto(mapped, packed []byte) (int64, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(uint64(len(mapped))), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return 0, err
	}
	defer d.Close()
	defer filemap.KeepReleasing(b.scratch.mappings()...)() // the decoder says nothing while it works
	out, err := d.DecodeAll(packed, mapped[:0:len(mapped)])
	return int64(len(out)), err
}

// MapFile maps the first bytes of a file read-only until Close.
func (b *Budget) MapFile(f *os.File, size int64) ([]byte, error) { return b.mapFile(f, size, false) }

func (b *Budget) mapFile(f *os.File, size int64, writable bool) ([]byte, error) {
	data, err := filemap.Map(f, size, writable)
	if data != nil {
		b.scratch.addMapping(data)
	}
	return data, err
}

// growTo writes first and the inflated bytes, whose sum must be size.
func growTo(w io.Writer, first []byte, packed io.Reader, isZstd bool, size int64) error {
	if _, err := w.Write(first); err != nil {
		return err
	}
	rest := size - int64(len(first))
	n, err := copyInflated(w, packed, isZstd, rest)
	if err != nil {
		return err
	}
	if n > rest {
		return passedError(size)
	}
	if n < rest {
		return fewerError(n+int64(len(first)), size)
	}
	return nil
}

func passedError(size int64) error {
	return fmt.Errorf("it grows past the %d bytes that the header promises", size)
}

func fewerError(n, size int64) error {
	return fmt.Errorf("it grew to %d bytes, the header says %d", n, size)
}

// storeCode writes code to a file of the budget, or holds it.
func (b *Budget) storeCode(write func(io.Writer) error) (devimg.Code, error) {
	if b.scratch == nil {
		var out bytes.Buffer
		err := write(&out)
		return devimg.Bytes(out.Bytes()), err
	}
	f, err := b.scratch.create()
	if err != nil {
		return nil, err
	}
	if err := write(f); err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	return devimg.Section(f, 0, size), err
}

// scratch holds files without names and their mappings. It is safe for concurrent use: the
// pages that readers have touched are released while an edit adds files.
type scratch struct {
	mu    sync.Mutex
	files []*os.File
	maps  [][]byte
}

func (s *scratch) addMapping(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maps = append(s.maps, data)
}

// mappings are those of now; the caller must not change the slice.
func (s *scratch) mappings() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.maps)
}

// create makes a file that vanishes with the process.
func (s *scratch) create() (*os.File, error) {
	f, err := createNameless()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, f)
	return f, nil
}

// createNameless makes a file that vanishes with the process, or earlier when nothing refers to it.
// A system that cannot remove an open file keeps its name until Close.
func createNameless() (*os.File, error) {
	f, err := filemap.CreateNameless("", "offlink-*")
	if err != nil {
		return nil, fmt.Errorf("compressed data needs room in a temporary file (the environment variable TMPDIR names its folder): %w", err)
	}
	return f, nil
}

func (s *scratch) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range slices.Backward(s.maps) {
		filemap.Unmap(data)
	}
	for _, f := range s.files {
		f.Close()
		os.Remove(f.Name())
	}
	s.maps, s.files = nil, nil
}
