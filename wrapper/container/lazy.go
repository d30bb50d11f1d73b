package container

import (
	"bytes"
	"sync"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// sniffBytes is how much of a compressed image is inflated to learn its format.
const sniffBytes = 64

// Lazy returns the image as a runtime needs it: not compressed, and with code that has the digest
// that was taken. The code is inflated and verified when it is first read, and that read fails if
// inflating or verifying does. An image that is not compressed and has no digest is returned
// unchanged. The result is as safe for concurrent use as the image's code is.
func Lazy(img *devimg.Image) *devimg.Image {
	_, digested := img.Properties.Get(props.SetOfflinkImage).Get(props.ImageSHA256)
	compressed := isCompressed(img)
	if !digested && !compressed {
		return img
	}
	plain := *img
	if compressed {
		plain.Format = formatBefore(img)
	}
	plain.Code = &lazyCode{read: sync.OnceValues(func() (devimg.Code, error) { return checkedCode(img) })}
	return &plain
}

// isCompressed reports whether the image's code is compressed. If the image has no format, the
// first bytes of the code tell.
func isCompressed(img *devimg.Image) bool {
	return img.Format == devimg.FormatCompressedNone ||
		img.Format == devimg.FormatNone && devimg.Sniff(img.Code) == devimg.FormatCompressedNone
}

// formatBefore returns the format that an image had before it was compressed:
// that of its property, else that of its first bytes.
func formatBefore(img *devimg.Image) devimg.Format {
	if v, ok := img.Properties.Get(props.SetOfflinkImage).Get(props.ImageFormat); ok && devimg.Format(v.Uint32()) != devimg.FormatNone {
		return devimg.Format(v.Uint32())
	}
	var head [sniffBytes]byte
	n, err := Peek(img.Code, head[:])
	if err != nil {
		return devimg.FormatNone
	}
	return devimg.Sniff(devimg.Bytes(head[:n]))
}

// checkedCode uncompresses the code and then verifies it, since digests are of the uncompressed
// code.
func checkedCode(img *devimg.Image) (devimg.Code, error) {
	compressed := *img
	if isCompressed(img) {
		compressed.Format = devimg.FormatCompressedNone
	}
	plain, err := Uncompress(&compressed, NewBudget(0))
	if err != nil {
		return nil, err
	}
	if plain != &compressed { // a driver reads the code more than once
		var held bytes.Buffer
		if err := devimg.Copy(&held, plain.Code); err != nil {
			return nil, err
		}
		whole := *plain
		whole.Code = devimg.Bytes(held.Bytes())
		plain = &whole
	}
	// An image keeps its digest when it is uncompressed.
	if _, err := VerifyDigest(plainOf(plain), NewBudget(0)); err != nil {
		return nil, err
	}
	return plain.Code, nil
}

// plainOf keeps VerifyDigest from uncompressing code that only looks compressed: an image may hold
// a zstd file as its code.
func plainOf(img *devimg.Image) *devimg.Image {
	plain := *img
	plain.Format = devimg.FormatNone
	return &plain
}

// lazyCode is code that is made when it is first read. If that fails, reading fails and the size is
// 0.
type lazyCode struct {
	read func() (devimg.Code, error)
}

func (c *lazyCode) ReadAt(p []byte, off int64) (int, error) {
	code, err := c.read()
	if err != nil {
		return 0, err
	}
	return code.ReadAt(p, off)
}

func (c *lazyCode) Size() int64 {
	code, err := c.read()
	if err != nil {
		return 0
	}
	return code.Size()
}
