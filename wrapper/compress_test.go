package wrapper

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"offlink/props"
	"offlink/wrapper/devimg"
)

func scratchFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// someCode is compressible bytes, larger than any buffer on the way.
func someCode() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	code := make([]byte, 3<<20)
	for i := range code {
		code[i] = byte(r.IntN(7))
	}
	return code
}

// A compressed image is one zstd frame that says its size, and its properties
// have its former format and size; the image that was given does not change.
func TestCompress(t *testing.T) {
	sets := &props.Sets{}
	sets.Put(props.SetMiscProperties, "optLevel", props.Uint32(2))
	codes := [][]byte{someCode(), {}, []byte("small")}
	var images []*devimg.Image
	for _, code := range codes {
		images = append(images, &devimg.Image{Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Code: devimg.Bytes(code), Properties: sets})
	}
	images[1].Properties = nil
	compressed, err := Compress(images, DefaultCompressionLevel, scratchFile(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, image := range compressed {
		if image.Format != devimg.FormatCompressedNone || image.Target != "spir64" {
			t.Errorf("image %d: format %v, target %q", i, image.Format, image.Target)
		}
		frame, err := devimg.ReadCode(image.Code)
		if err != nil {
			t.Fatal(err)
		}
		var header zstd.Header
		if err := header.Decode(frame); err != nil || !header.HasFCS || header.FrameContentSize != uint64(len(codes[i])) {
			t.Errorf("image %d: frame header %+v, %v; want a size of %d", i, header, err, len(codes[i]))
		}
		checkFrame(t, frame, codes[i])
		own := image.Properties.Get(props.SetOfflinkImage)
		format, _ := own.Get(props.ImageFormat)
		size, _ := own.Get(props.ImageSize)
		if format.Uint32() != uint32(devimg.FormatSPIRV) || len(size.Data()) != 8 || binary.LittleEndian.Uint64(size.Data()) != uint64(len(codes[i])) {
			t.Errorf("image %d: format %v, size %v", i, format, size)
		}
	}
	if len(sets.All) != 1 || images[0].Format != devimg.FormatSPIRV || images[1].Properties != nil {
		t.Error("Compress changed the images that it was given")
	}
}

func checkFrame(t *testing.T, frame, want []byte) {
	t.Helper()
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	got, err := decoder.DecodeAll(frame, nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("decompressed %d bytes, %v; want the %d that were compressed", len(got), err, len(want))
	}
}

// Images that are compressed already, or could not say so, stay.
func TestCompressLeavesAlone(t *testing.T) {
	images := []*devimg.Image{
		{Kind: devimg.KindOpenMP, Code: devimg.Bytes([]byte("code"))},
		{Kind: devimg.KindSYCL, Code: devimg.Bytes([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0})},
	}
	compressed, err := Compress(images, 3, scratchFile(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range images {
		if compressed[i] != images[i] {
			t.Errorf("image %d was compressed", i)
		}
	}
}

// The digest is of the code as it was given, compressed or not.
func TestDigest(t *testing.T) {
	code := someCode()
	images := []*devimg.Image{{Kind: devimg.KindSYCL, Code: devimg.Bytes(code)}}
	digested, err := Digest(images)
	if err != nil {
		t.Fatal(err)
	}
	compressed, err := Compress(digested, 3, scratchFile(t))
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(code)
	for i, image := range []*devimg.Image{digested[0], compressed[0]} {
		set := image.Properties.Get(props.SetOfflinkImage)
		got, ok := set.Get(props.ImageSHA256)
		if !ok || !bytes.Equal(got.Data(), want[:]) {
			t.Errorf("%d: digest %x, want %x", i, got.Data(), want)
		}
	}
	if len(compressed[0].Properties.All) != 1 || len(compressed[0].Properties.All[0].Properties) != 3 {
		t.Errorf("properties %v, want one set of three", compressed[0].Properties.All)
	}
	if _, err := Digest([]*devimg.Image{{Kind: devimg.KindHIP, Code: devimg.Bytes(code)}}); err == nil {
		t.Error("a HIP image got a digest")
	}
}
