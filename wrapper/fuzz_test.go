package wrapper

import (
	"io"
	"testing"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// FuzzUnwrap reads images out of damaged files and edits what it finds:
// either an error or images whose parts are all there.
func FuzzUnwrap(f *testing.F) {
	for _, name := range []string{
		"one_image/wrapped.pic.o", "one_image/program.pie", "bare/wrapped.o", "windows_one_image/wrapped.obj",
	} {
		f.Add(goldenFile(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		images, err := Unwrap(data, ReadOptions{MaxInflated: 1 << 20})
		if err != nil {
			if images != nil {
				t.Fatal("images and an error")
			}
			return
		}
		file := &File{name: "fuzz", images: images, data: data}
		for i := range images {
			img := &images[i]
			code, err := devimg.ReadCode(img.Code)
			if err != nil {
				t.Fatal(err)
			}
			if img.Offset >= 0 && string(data[img.Offset:][:len(code)]) != string(code) && img.Envelope != EnvelopeDescriptor {
				t.Fatalf("image %d is not at %#x", i, img.Offset)
			}
			if i > 2 {
				continue
			}
			file.Replace(io.Discard, i, devimg.Bytes(append(code, 'x')), EditOptions{MoveHeaders: i%2 == 0})
			file.Remove(io.Discard, i)
		}
		Compare(images, images, container.NewBudget(1<<20))
	})
}
