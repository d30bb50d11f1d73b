package wrapper

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"offlink/wrapper/abi"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// llvmRecord is an object with the image record of upstream LLVM.
func llvmRecord(t testing.TB) []byte {
	t.Helper()
	images := []*devimg.Image{{Kind: devimg.KindSYCL, Target: "spirv64", Code: devimg.Bytes([]byte("code")), Entries: []string{"k"}, HasEntries: true}}
	var b bytes.Buffer
	if err := Wrap(&b, images, WrapOptions{Record: abi.RecordLLVM}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fatObject is an object whose section has a CUDA fat binary of one PTX entry,
// and an empty one after it.
func fatObject(t testing.TB, name string) []byte {
	t.Helper()
	le := binary.LittleEndian
	entry := make([]byte, 64)
	le.PutUint16(entry, 1)
	le.PutUint32(entry[4:], 64)
	le.PutUint64(entry[8:], 24)
	le.PutUint32(entry[28:], 80)
	fat := append(le.AppendUint32(nil, 0xBA55ED50), 1, 0, 16, 0)
	fat = append(le.AppendUint64(fat, 88), entry...)
	fat = append(fat, ".version 8.0\n.entry k(){}"[:24]...)
	fat = append(fat, le.AppendUint64(append(le.AppendUint32(nil, 0xBA55ED50), 1, 0, 16, 0), 0)...)
	section := &objfile.ObjectSection{Name: name, Use: objfile.UseData, Align: 8, Pieces: []objfile.Content{objfile.Bytes(fat)}}
	var b bytes.Buffer
	if err := (&objfile.Object{Format: objfile.ELF, Machine: objfile.X86_64, Sections: []*objfile.ObjectSection{section}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Fat binaries of code that is linked on its own are in a section of another name.
func TestRelocatableFatSection(t *testing.T) {
	const section = "__nv_relfatbin"
	images, err := Unwrap(fatObject(t, section), ReadOptions{})
	if err != nil || len(images) != 1 || images[0].Arch != "sm_80" || images[0].Path[0] != section {
		t.Errorf("%d images, %v: %+v", len(images), err, images)
	}
}

// CUDA's fat binaries in a host file are listed and replaced.
func TestFatSection(t *testing.T) {
	images, err := Unwrap(fatObject(t, ".nv_fatbin"), ReadOptions{})
	if err != nil || len(images) != 1 {
		t.Fatalf("%d images, %v", len(images), err)
	}
	img := &images[0]
	if img.Kind != devimg.KindCUDA || img.Arch != "sm_80" || img.Path[0] != ".nv_fatbin" {
		t.Errorf("image %v %s in %s", img.Kind, img.Arch, img.Path)
	}
	testKernelNames(t, []byte(".version 8.0\n.entry k(){}"), "k")
	file := &File{name: "fat.o", images: images, data: fatObject(t, ".nv_fatbin")}
	var larger bytes.Buffer
	if err := file.Replace(&larger, 0, devimg.Bytes(bytes.Repeat([]byte(".version 8.0\n"), 9)), EditOptions{}); err == nil {
		t.Error("larger code took the place of the fat binary after it")
	}
}

// FuzzUnwrap reads images out of damaged files and edits them:
// either an error or images whose parts are all there.
func FuzzUnwrap(f *testing.F) {
	for _, name := range []string{
		"one_image/wrapped.pic.o", "one_image/program.pie", "bare/wrapped.o", "windows_one_image/wrapped.obj",
	} {
		f.Add(goldenFile(f, name))
	}
	f.Add(llvmRecord(f))
	f.Add(fatObject(f, ".nv_fatbin"))
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
			KernelNames(&img.Image)
			file.Replace(io.Discard, i, devimg.Bytes(code), EditOptions{})
			file.Replace(io.Discard, i, devimg.Bytes(append(code, 'x')), EditOptions{MoveHeaders: i%2 == 0})
			file.Remove(io.Discard, i)
		}
		Compare(images, images, container.NewBudget(1<<20))
	})
}
