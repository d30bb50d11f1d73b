package container

import (
	"bytes"
	"fmt"

	"offlink/wrapper/devimg"
)

// packedCode is the code of an entry that its envelope compressed by itself, without a format
// of the image for that: those of CUDA fat binaries.
type packedCode struct {
	devimg.Code
	method string // "lz4" or "zstd"
	size   int64  // before compression, as the header states it
	text   bool   // it is text, which ends with a NUL or several
}

// WrapCode returns wrap of the code, or of the bytes that compressed code lies in, so that
// [Uncompress] finds it compressed still.
func WrapCode(code devimg.Code, wrap func(devimg.Code) devimg.Code) devimg.Code {
	if p, ok := code.(*packedCode); ok {
		own := *p
		own.Code = wrap(p.Code)
		return &own
	}
	return wrap(code)
}

// PackedSize reports whether the envelope of an image compressed its code, and the size of the
// code before that, as the envelope states it.
func PackedSize(img *devimg.Image) (size int64, packed bool) {
	p, ok := img.Code.(*packedCode)
	if !ok {
		return 0, false
	}
	return p.size, true
}

// PackedMethod is the method that the envelope of an image compressed its code with, MethodLZ4 or
// MethodZstd, or an empty string.
func PackedMethod(img *devimg.Image) string {
	p, ok := img.Code.(*packedCode)
	if !ok {
		return ""
	}
	return p.method
}

// inflate returns the code before compression.
func (p *packedCode) inflate(b *Budget) (devimg.Code, error) {
	if p.size < 0 || p.size > b.left {
		return nil, ErrBudget
	}
	code, err := p.inflateAs(b)
	if err != nil {
		return nil, fmt.Errorf("the entry is compressed (%s): %w", p.method, err)
	}
	if code.Size() != p.size {
		return nil, fmt.Errorf("the entry is compressed (%s): %w", p.method, fewerError(code.Size(), p.size))
	}
	if !p.text {
		return code, nil
	}
	var text bytes.Buffer // grows with the content: the promise may be a lie
	if err := devimg.Copy(&text, code); err != nil {
		return nil, fmt.Errorf("the entry is compressed (%s): %w", p.method, err)
	}
	return devimg.Bytes(bytes.TrimRight(text.Bytes(), "\x00")), nil
}

func (p *packedCode) inflateAs(b *Budget) (devimg.Code, error) {
	if p.method == MethodZstd {
		return InflateImage(p.Code, b)
	}
	packed, err := devimg.ReadCode(p.Code)
	if err != nil {
		return nil, err
	}
	content, err := inflateLZ4(packed, p.size)
	if err != nil {
		return nil, err
	}
	return devimg.Bytes(content), b.take(p.size)
}
