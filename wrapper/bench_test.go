package wrapper

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// manyImages links an object of n images as large libraries have them: a few
// kilobytes of code, one kernel, four sets.
func manyImages(t testing.TB, n int) string {
	t.Helper()
	images := make([]*devimg.Image, n)
	for i := range images {
		kernel := fmt.Sprintf("_ZTSN5dpctl6tensor7kernels12some_functor%dEE", i)
		sets := &props.Sets{}
		sets.Put(props.SetDeviceRequirements, "aspects", props.Uint32s(6))
		sets.Put(props.SetKernelParamOpt, kernel, props.Bits([]byte{byte(i), 1}, 10))
		sets.Put(props.SetMiscProperties, "optLevel", props.Uint32(3))
		sets.Put(props.SetDevicelibReqMask, "DeviceLibReqMask", props.Uint32(0))
		images[i] = &devimg.Image{
			Kind: devimg.KindSYCL, Target: "spir64", Properties: sets, Entries: []string{kernel}, HasEntries: true,
			Code: devimg.Bytes(bytes.Repeat([]byte{3, 2, 35, 7, byte(i), byte(i >> 8), 0, 0}, 600)),
		}
	}
	dir := t.TempDir()
	object := filepath.Join(dir, "many.o")
	f, err := os.Create(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Wrap(f, images, WrapOptions{}); err != nil {
		t.Fatal(err)
	}
	return object
}

// BenchmarkOpen reads the images of a library, of 10,000 images or the one
// that OFFLINK_BENCH_LIBRARY names, beside reading the file once.
func BenchmarkOpen(b *testing.B) {
	name := os.Getenv("OFFLINK_BENCH_LIBRARY")
	if name == "" {
		name = manyImages(b, 10000)
	}
	b.Run("read", func(b *testing.B) {
		buffer := make([]byte, 1<<20)
		for b.Loop() {
			f, err := os.Open(name)
			if err != nil {
				b.Fatal(err)
			}
			for n := 1; n > 0; n, _ = f.Read(buffer) {
			}
			f.Close()
		}
	})
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := Open(name, ReadOptions{})
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}
