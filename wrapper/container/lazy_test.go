package container

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"

	"offlink/props"
	"offlink/spirv"
	"offlink/wrapper/devimg"
)

func zstdOf(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// spirvLike is code that begins as SPIR-V does.
func spirvLike() []byte {
	return append(binary.LittleEndian.AppendUint32(nil, spirv.Magic), bytes.Repeat([]byte("code"), 100)...)
}

func facts(list ...props.Property) *props.Sets {
	s := &props.Sets{}
	for _, p := range list {
		s.Put(props.SetOfflinkImage, p.Name, p.Value)
	}
	return s
}

func TestLazy(t *testing.T) {
	code := spirvLike()
	sum := sha256.Sum256(code)
	digest := props.Property{Name: props.ImageSHA256, Value: props.Bytes(sum[:])}
	format := props.Property{Name: props.ImageFormat, Value: props.Uint32(uint32(devimg.FormatSPIRV))}
	for _, c := range []struct {
		name string
		img  devimg.Image
	}{
		{"plain", devimg.Image{Format: devimg.FormatSPIRV, Code: devimg.Bytes(code)}},
		{"digested", devimg.Image{Format: devimg.FormatSPIRV, Code: devimg.Bytes(code), Properties: facts(digest)}},
		{"compressed", devimg.Image{Format: devimg.FormatCompressedNone, Code: devimg.Bytes(zstdOf(t, code)), Properties: facts(format)}},
		{"compressed by others", devimg.Image{Format: devimg.FormatCompressedNone, Code: devimg.Bytes(zstdOf(t, code))}},
		{"compressed, unmarked", devimg.Image{Code: devimg.Bytes(zstdOf(t, code))}},
		{"both", devimg.Image{Format: devimg.FormatCompressedNone, Code: devimg.Bytes(zstdOf(t, code)), Properties: facts(format, digest)}},
	} {
		got := Lazy(&c.img)
		if got.Format != devimg.FormatSPIRV {
			t.Errorf("%s: format %v; want spirv", c.name, got.Format)
		}
		read, err := devimg.ReadCode(got.Code)
		if err != nil || !bytes.Equal(read, code) {
			t.Errorf("%s: read %d bytes, %v; want the %d of the code", c.name, len(read), err, len(code))
		}
	}
}

func TestLazyRefuses(t *testing.T) {
	code := spirvLike()
	sum := sha256.Sum256(code)
	digest := facts(props.Property{Name: props.ImageSHA256, Value: props.Bytes(sum[:])})
	changed := bytes.Clone(code)
	changed[20] ^= 1
	for _, img := range []devimg.Image{
		{Format: devimg.FormatSPIRV, Code: devimg.Bytes(changed), Properties: digest},
		{Format: devimg.FormatCompressedNone, Code: devimg.Bytes(zstdOf(t, changed)), Properties: digest},
	} {
		_, err := devimg.ReadCode(Lazy(&img).Code)
		if _, ok := errors.AsType[*DigestError](err); !ok {
			t.Errorf("reading changed code of format %v: %v; want a DigestError", img.Format, err)
		}
	}
	cut := devimg.Image{Format: devimg.FormatCompressedNone, Code: devimg.Bytes(zstdOf(t, code)[:20])}
	if _, err := devimg.ReadCode(Lazy(&cut).Code); err == nil {
		t.Error("a truncated zstd frame was read")
	}
}
