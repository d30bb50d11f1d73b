package wrapper

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// describe returns the image with a property of its own code.
func describe(image *devimg.Image, name string, v props.Value) *devimg.Image {
	sets := &props.Sets{}
	if image.Properties != nil {
		sets.All = append(sets.All, image.Properties.All...)
	}
	own := &props.Set{Name: props.SetOfflinkImage}
	for i, set := range sets.All {
		if set.Name == own.Name {
			own.Properties = append(own.Properties, set.Properties...)
			sets.All[i] = own
		}
	}
	if len(own.Properties) == 0 {
		sets.All = append(sets.All, own)
	}
	own.Put(name, v)
	described := *image
	described.Properties = sets
	return &described
}

// Digest returns the images with the SHA-256 of their code as a property. It
// reads all of the code. Only SYCL images have properties.
func Digest(images []*devimg.Image) ([]*devimg.Image, error) {
	digested := make([]*devimg.Image, len(images))
	for i, image := range images {
		if image.Kind != devimg.KindSYCL {
			return nil, fmt.Errorf("image %d: an image of kind %v has no properties to hold a digest", i, image.Kind)
		}
		sum := sha256.New()
		if err := copyCode(sum, image.Code); err != nil {
			return nil, err
		}
		digested[i] = describe(image, props.ImageSHA256, props.Bytes(sum.Sum(nil)))
	}
	return digested, nil
}

// DefaultCompressionLevel is the level that the reference tool compresses at,
// on zstd's scale of 1 to 22.
const DefaultCompressionLevel = 10

// Compress returns the images with their code compressed by zstd, and what it
// was before as properties. The compressed code lies in scratch, which is
// written from its current offset on and must stay open while the images are
// used. Images that are no SYCL images, which could not say that they are
// compressed, and those that are compressed already are returned as they are.
func Compress(images []*devimg.Image, level int, scratch *os.File) ([]*devimg.Image, error) {
	// One goroutine: the bytes must not depend on the machine. Short frames
	// have their size in the header only as single segments.
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithSingleSegment(true))
	if err != nil {
		return nil, err
	}
	defer encoder.Close()
	compressed := make([]*devimg.Image, len(images))
	for i, image := range images {
		compressed[i] = image
		if image.Kind != devimg.KindSYCL || devimg.Sniff(image.Code) == devimg.FormatCompressedNone {
			continue
		}
		if compressed[i], err = compress(encoder, image, scratch); err != nil {
			return nil, err
		}
	}
	return compressed, nil
}

func compress(encoder *zstd.Encoder, image *devimg.Image, scratch *os.File) (*devimg.Image, error) {
	begin, err := scratch.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	if err := compressCode(encoder, image.Code, scratch); err != nil {
		return nil, err
	}
	end, err := scratch.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	described := describe(image, props.ImageFormat, props.Uint32(uint32(image.Format)))
	described = describe(described, props.ImageSize, props.Uint64s(uint64(image.Code.Size())))
	described.Format = devimg.FormatCompressedNone
	described.Code = devimg.Section(scratch, begin, end-begin)
	return described, nil
}

// compressCode writes the code as one frame that says its size, which the
// runtime asks for.
func compressCode(encoder *zstd.Encoder, c devimg.Code, w io.Writer) error {
	if c.Size() == 0 {
		_, err := w.Write(encoder.EncodeAll(nil, nil))
		return err
	}
	encoder.ResetContentSize(w, c.Size())
	if err := copyCode(encoder, c); err != nil {
		return err
	}
	return encoder.Close()
}

// copyCode writes all of an image's code.
func copyCode(w io.Writer, c devimg.Code) error {
	var n int64
	var err error
	if copier, ok := c.(interface {
		CopyTo(w io.Writer) (int64, error)
	}); ok {
		n, err = copier.CopyTo(w)
	} else {
		n, err = io.Copy(w, io.NewSectionReader(c, 0, c.Size()))
	}
	if err == nil && n != c.Size() {
		err = fmt.Errorf("an image of %d bytes gave %d: it was changed while it was read", c.Size(), n)
	}
	return err
}
