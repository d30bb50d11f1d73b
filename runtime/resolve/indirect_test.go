package resolve

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// virtual puts a property of the set of virtual functions.
func virtual(key, sets string) edit {
	return func(img *devimg.Image) { img.Properties.Put(props.SetVirtualFunctions, key, props.String(sets)) }
}

func register(files ...file) *registry.Snapshot {
	var r registry.Registry
	for i, f := range files {
		r.Add(registry.Owner{ID: uint64(i + 1), Name: f.name}, f.images)
	}
	return r.Snapshot()
}

func ownersOf(l *Link) (names []string) {
	for _, img := range l.Images {
		names = append(names, img.Owner.Name)
	}
	return names
}

// TestVirtualFunctions: every image that shares a set with one of the link
// is in it, those that the device does not take are not.
func TestVirtualFunctions(t *testing.T) {
	s := register(
		file{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}}, virtual("uses-virtual-functions-set", "one,two"))}},
		file{"defines one", []*devimg.Image{newImage(drivertest.Code{Exports: []string{"a"}}, virtual("virtual-functions-set", "one"))}},
		file{"defines three", []*devimg.Image{newImage(drivertest.Code{Exports: []string{"b"}}, virtual("virtual-functions-set", "three"))}},
		file{"other format", []*devimg.Image{newImage(drivertest.Code{}, format(devimg.FormatNative), virtual("virtual-functions-set", "two"))}},
		file{"constructs two", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"make"}}, virtual("uses-virtual-functions-set", "two,four"))}},
		file{"defines four", []*devimg.Image{newImage(drivertest.Code{Exports: []string{"c"}}, virtual("virtual-functions-set", "four"))}},
		file{"none", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"other"}})}},
	)
	var r Resolver
	link, err := r.Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"app", "defines one", "constructs two", "defines four"}, ownersOf(link)); diff != "" {
		t.Error(diff)
	}
	if link, err = r.Link(s, Request{Kernel: "other", Accepts: acceptSPIRV, Extensions: linking}); err != nil || len(link.Images) != 1 {
		t.Errorf("a kernel without virtual functions: %v, %v", ownersOf(link), err)
	}
	_, err = r.Link(s, Request{Kernel: "k", Accepts: acceptSPIRV})
	if _, ok := errors.AsType[*LinkingError](err); !ok {
		t.Errorf("on a device that does not link: %v", err)
	}
}

// TestFunctions: functions of the request are linked though nobody imports
// them.
func TestFunctions(t *testing.T) {
	s := register(
		file{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k"}})}},
		file{"lib", []*devimg.Image{newImage(drivertest.Code{Exports: []string{"f"}})}},
	)
	var r Resolver
	link, err := r.Link(s, Request{Kernel: "k", Functions: []string{"f"}, Accepts: acceptSPIRV, Extensions: linking})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"app", "lib"}, ownersOf(link)); diff != "" {
		t.Error(diff)
	}
	_, err = r.Link(s, Request{Kernel: "k", Functions: []string{"g"}, Accepts: acceptSPIRV, Extensions: linking})
	if _, ok := errors.AsType[*UnresolvedError](err); !ok {
		t.Errorf("a function that nobody exports: %v", err)
	}
}
