package wrapper_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"offlink/props"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// gain is an image of SPIR-V with one kernel.
func gain() *devimg.Image {
	code, err := devimg.FromFile("../testdata/wrapper/inputs/gain.spv")
	if err != nil {
		log.Fatal(err)
	}
	image := &devimg.Image{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Code: code,
		Entries: []string{"gain"}, HasEntries: true, Properties: &props.Sets{},
	}
	image.Properties.Put(props.SetExportedSymbols, "gain", props.Uint32(1))
	return image
}

// writeObject wraps the image for Linux in a folder.
func writeObject(dir string) string {
	host, err := wrapper.ParseHost("x86_64-unknown-linux-gnu")
	if err != nil {
		log.Fatal(err)
	}
	object, err := os.Create(filepath.Join(dir, "gain.o"))
	if err != nil {
		log.Fatal(err)
	}
	defer object.Close()
	if err := wrapper.Wrap(object, []*devimg.Image{gain()}, wrapper.WrapOptions{Host: host}); err != nil {
		log.Fatal(err)
	}
	return object.Name()
}

// An image becomes a host object that any linker takes. Its constructor
// registers the image with the SYCL runtime.
func ExampleWrap() {
	host, err := wrapper.ParseHost("aarch64-unknown-linux-gnu")
	if err != nil {
		log.Fatal(err)
	}
	object, err := os.CreateTemp("", "gain-*.o")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(object.Name())
	defer object.Close()
	err = wrapper.Wrap(object, []*devimg.Image{gain()}, wrapper.WrapOptions{Host: host})
	fmt.Println(err)
	// Output: <nil>
}

// Open finds the images of an object, a program, a library or an archive.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, err := wrapper.Open(writeObject(dir), wrapper.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close() // the images are valid until then
	for i, image := range file.Images() {
		fmt.Println(i, image.Kind, image.Target, image.Format, image.Entries)
		fmt.Println(image.Section, image.Properties.Get(props.SetExportedSymbols).Names())
	}
	// Output:
	// 0 sycl spir64 spirv [gain]
	// __CLANG_OFFLOAD_BUNDLE__sycl-spir64 [gain]
}

// The kernels of an image can be listed even if it has no table of entries.
func ExampleKernelNames() {
	image := gain()
	image.Entries, image.HasEntries = nil, false
	names, err := wrapper.KernelNames(image)
	fmt.Println(names, err)
	// Output: [gain mute] <nil>
}

// Replace writes a copy of a file in which an image has other code.
func ExampleFile_Replace() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, err := wrapper.Open(writeObject(dir), wrapper.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	edited, err := os.Create(filepath.Join(dir, "edited.o"))
	if err != nil {
		log.Fatal(err)
	}
	defer edited.Close()
	code := devimg.Bytes([]byte("other code"))
	if err := file.Replace(edited, 0, code, wrapper.EditOptions{}); err != nil {
		log.Fatal(err)
	}
	after, err := wrapper.Open(edited.Name(), wrapper.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer after.Close()
	same, err := after.Images()[0].HasCode(code, nil)
	fmt.Println(same, err)
	// Output: true <nil>
}
