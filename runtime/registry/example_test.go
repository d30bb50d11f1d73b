package registry_test

import (
	"fmt"

	"offlink/props"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// Images are registered with their owner; a snapshot finds kernels and exported symbols,
// and stays as it is when images come and go.
func Example() {
	var images registry.Registry
	exports := new(props.Sets)
	exports.Put(props.SetExportedSymbols, "twice", props.Uint32(1))
	app := registry.Owner{ID: 1, Name: "app"}
	images.Add(app, []*devimg.Image{{Target: "spir64", Code: devimg.Bytes(nil), Entries: []string{"fill"}, HasEntries: true}})
	library := images.Add(registry.Owner{ID: 2, Name: "libhelpers.so"}, []*devimg.Image{{Target: "spir64", Code: devimg.Bytes(nil), Properties: exports}})

	before := images.Snapshot()
	images.Remove(library)
	after := images.Snapshot()

	fmt.Println(before.KernelNames(), len(before.Exporters("twice")), len(after.Exporters("twice")))
	for _, image := range before.Exporters("twice") {
		fmt.Println(image)
	}
	// Output:
	// [fill] 1 0
	// libhelpers.so: image 0 (spir64, none)
}
