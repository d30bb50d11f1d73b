package resolve_test

import (
	"fmt"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/wrapper/devimg"
)

// A kernel of a program calls a function of a shared library's device code;
// the error of a link that lacks it names everything that was looked at.
func Example() {
	app := exampleImage(drivertest.Code{Kernels: []string{"app"}, Imports: []string{"LibDeviceFunc"}})
	lib := exampleImage(drivertest.Code{Exports: []string{"LibDeviceFunc"}})
	request := resolve.Request{
		Kernel:     "app",
		Accepts:    func(driver.Image) error { return nil },
		Extensions: []string{"pi_ext_spirv64_linking"},
	}

	var images registry.Registry
	var resolver resolve.Resolver
	images.Add(registry.Owner{ID: 1, Name: "a.out"}, []*devimg.Image{app})
	_, err := resolver.Link(images.Snapshot(), request)
	fmt.Println(err)

	images.Add(registry.Owner{ID: 2, Name: "libhelpers.so"}, []*devimg.Image{lib})
	link, err := resolver.Link(images.Snapshot(), request)
	fmt.Printf("%d images; %s for %s; error: %v\n", len(link.Images), link.Images[1].Owner.Name, link.Reasons[1], err)
	// Output:
	// kernel app needs LibDeviceFunc, imported by a.out: image 0 (spir64, spirv), and no image provides it; load the file whose device code exports it. Looked at:
	//   a.out: image 0 (spir64, spirv): does not export it
	// 2 images; libhelpers.so for LibDeviceFunc; error: <nil>
}

func exampleImage(c drivertest.Code) *devimg.Image {
	sets := new(props.Sets)
	for _, name := range c.Exports {
		sets.Put(props.SetExportedSymbols, name, props.Uint32(1))
	}
	for _, name := range c.Imports {
		sets.Put(props.SetImportedSymbols, name, props.Uint32(1))
	}
	return &devimg.Image{
		Target: "spir64", Code: devimg.Bytes(drivertest.SPIRV(c)), Properties: sets,
		Entries: append(c.Kernels, c.Exports...), HasEntries: true,
	}
}
