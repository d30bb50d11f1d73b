package container

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"offlink/wrapper/devimg"
)

// DefaultBudget is how many bytes the compressed parts of one file may grow
// to, in all, where nobody says otherwise.
const DefaultBudget = 1 << 30

// Budget is what is left of the bytes that compressed parts may grow to. It
// is not safe for concurrent use.
type Budget struct{ left int64 }

// NewBudget returns a budget of n bytes, of DefaultBudget where n is 0.
func NewBudget(n int64) *Budget {
	if n <= 0 {
		n = DefaultBudget
	}
	return &Budget{n}
}

// ErrBudget says that compressed bytes grow past the limit.
var ErrBudget = errors.New("it grows past the limit for compressed data: if the file is to be trusted, raise the limit (-max-inflated)")

// maxWindow is the largest window of zstd that its own tool makes (-22).
const maxWindow = 1 << 27

// IsZstd reports whether data begins a zstd frame.
func IsZstd(data []byte) bool { return len(data) >= 4 && u32(data, 0) == 0xFD2FB528 }

// Inflate returns the bytes that data, of zstd or zlib, grows to. Memory
// grows with the bytes that come out, not with what a header announces.
func Inflate(data []byte, b *Budget) ([]byte, error) {
	source, err := newInflater(bytes.NewReader(data), IsZstd(data))
	if err != nil {
		return nil, err
	}
	defer source.Close()
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(source, b.left+1))
	if err != nil {
		return nil, err
	}
	if n > b.left {
		return nil, ErrBudget
	}
	b.left -= n
	return out.Bytes(), nil
}

func newInflater(r io.Reader, isZstd bool) (io.ReadCloser, error) {
	if !isZstd {
		return zlib.NewReader(r)
	}
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// InflateImage returns the code of an image of FormatCompressedNone.
func InflateImage(c devimg.Code, b *Budget) ([]byte, error) {
	data, err := devimg.ReadCode(c)
	if err != nil {
		return nil, err
	}
	if !IsZstd(data) {
		return nil, fmt.Errorf("the image is marked as compressed and does not begin with a zstd frame")
	}
	return Inflate(data, b)
}

// Peeker looks at the beginning of compressed images without growing them
// whole. It keeps one decoder for all of them and is not safe for concurrent
// use. The zero Peeker is ready; the caller closes it.
type Peeker struct{ decoder *zstd.Decoder }

// Peek fills head with the first bytes of the zstd image and returns how many
// there were.
func (p *Peeker) Peek(c devimg.Code, head []byte) (int, error) {
	r := io.NewSectionReader(c, 0, c.Size())
	var err error
	if p.decoder == nil {
		p.decoder, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	} else {
		err = p.decoder.Reset(r)
	}
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(p.decoder, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}

// Close releases the decoder.
func (p *Peeker) Close() {
	if p.decoder != nil {
		p.decoder.Close()
	}
}
