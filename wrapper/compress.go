package wrapper

import (
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// DefaultCompressionLevel is the level that the reference tool compresses at,
// on zstd's scale of 1 to 22.
const DefaultCompressionLevel = 10

// Compress returns the images with their code compressed by zstd, and with its former format and
// size as properties. The compressed code lies in scratch, which is written from its current offset
// on and must stay open while the images are used. Images that are already compressed are returned
// unchanged, and so are images of kinds other than SYCL: their tables have no mark for compression.
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
		if compressed[i], err = compressImage(encoder, image, scratch); err != nil {
			return nil, err
		}
	}
	return compressed, nil
}

// compressImage writes the compressed code into the scratch file. The format and the size of the
// code, which are hidden then, become properties.
func compressImage(encoder *zstd.Encoder, image *devimg.Image, scratch *os.File) (*devimg.Image, error) {
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
	described := addProperty(image, props.ImageFormat, props.Uint32(uint32(image.Format)))
	described = addProperty(described, props.ImageSize, props.Uint64s(uint64(image.Code.Size())))
	described.Format = devimg.FormatCompressedNone
	described.Code = devimg.Section(scratch, begin, end-begin)
	return described, nil
}

// compressCode writes the code as one frame that has the size of its content in the header: the
// runtime allocates that much before it decompresses.
func compressCode(encoder *zstd.Encoder, c devimg.Code, w io.Writer) error {
	if c.Size() == 0 {
		_, err := w.Write(encoder.EncodeAll(nil, nil))
		return err
	}
	encoder.ResetContentSize(w, c.Size())
	if err := devimg.Copy(encoder, c); err != nil {
		return err
	}
	return encoder.Close()
}
