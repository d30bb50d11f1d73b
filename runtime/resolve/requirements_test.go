package resolve

import (
	"encoding/binary"
	"strings"
	"testing"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/wrapper/devimg"
)

// requires puts numbers of 4 or 8 bytes into the requirements of an image.
func requires(key string, bytes int, numbers ...uint64) edit {
	var data []byte
	for _, n := range numbers {
		data = append(data, binary.LittleEndian.AppendUint64(nil, n)[:bytes]...)
	}
	return func(img *devimg.Image) { img.Properties.Put(props.SetDeviceRequirements, key, props.Bytes(data)) }
}

func requiresSubGroup(size uint32) edit {
	return func(img *devimg.Image) {
		img.Properties.Put(props.SetDeviceRequirements, "reqd_sub_group_size", props.Uint32(size))
	}
}

var smallDevice = driver.Info{
	Aspects: []string{"cpu", "fp16"}, SubGroupSizes: []int{8, 16}, MaxWorkGroup: 256, MaxWorkItems: [3]int{256, 256, 64},
}

// TestRequirements: an image whose requirements a device does not meet has no kernel for it.
func TestRequirements(t *testing.T) {
	silent := driver.Info{Aspects: smallDevice.Aspects}
	for _, c := range []struct {
		name   string
		edit   edit
		device *driver.Info
		err    string // part of the error
	}{
		{"no requirements", requires("aspects", 4), &smallDevice, ""},
		{"aspects that are there", requires("aspects", 4, 1, 5), &smallDevice, ""},
		{"an aspect that is not", requires("aspects", 4, 5, 6), &smallDevice, "app: image 0 (spir64, spirv): it requires the aspect fp64, which the device lacks"},
		{"an aspect that no back end reports", requires("aspects", 4, 40), &smallDevice, ""},
		{"no device", requires("aspects", 4, 6), nil, ""},
		{"a damaged list", requires("aspects", 3, 6), &smallDevice, ""},
		{"a group", requires("reqd_work_group_size_uint64_t", 8, 4, 64), &smallDevice, ""},
		{"a large group", requires("reqd_work_group_size_uint64_t", 8, 8, 64), &smallDevice, "work-groups of 8 x 64 work-items, and the device takes 256"},
		{"a group whose product overflows", requires("reqd_work_group_size_uint64_t", 8, 1<<32, 1<<32), &driver.Info{MaxWorkGroup: 256}, "the device takes 256"},
		{"a long group", requires("reqd_work_group_size_uint64_t", 8, 512), &smallDevice, "work-groups of 512 work-items in one dimension, and the device takes 256"},
		{"the older form", requires("reqd_work_group_size", 4, 1, 512), &smallDevice, "512 work-items"},
		{"no limits", requires("reqd_work_group_size_uint64_t", 8, 8, 64), &silent, ""},
		{"a sub-group", requiresSubGroup(16), &smallDevice, ""},
		{"a sub-group of another size", requiresSubGroup(32), &smallDevice, "sub-groups of 32 work-items, and the device has [8 16]"},
		{"sizes of sub-groups unknown", requiresSubGroup(32), &silent, ""},
	} {
		s := snapshot([]file{{"app", []*devimg.Image{newImage(kernelK, c.edit)}}})
		_, err := new(Resolver).Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Info: c.device})
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.err)
		}
	}
}

// TestRequirementsChoose: requirements choose among images of a kernel, of a symbol, and of a
// set of virtual functions.
func TestRequirementsChoose(t *testing.T) {
	double := requires("aspects", 4, 6)
	virtual := func(img *devimg.Image) {
		img.Properties.Put(props.SetVirtualFunctions, "virtual-functions-set", props.String("s"))
	}
	s := snapshot([]file{
		{"app", []*devimg.Image{newImage(imports("f"), virtual), newImage(imports("f"), double)}},
		{"lib", []*devimg.Image{newImage(exports("f"), double), newImage(exports("f")), newImage(exports("v"), virtual, double)}},
	})
	link, err := new(Resolver).Link(s, Request{Kernel: "k", Accepts: acceptSPIRV, Extensions: linking, Info: &smallDevice})
	if err != nil {
		t.Fatal(err)
	}
	if len(link.Images) != 2 || link.Images[0] != s.Images[0] || link.Images[1] != s.Images[3] {
		t.Errorf("linked %v", link.Images)
	}
}

// TestAlternativeExporters: of the images of a library that export a symbol, that suits which the
// kernel's image does.
func TestAlternativeExporters(t *testing.T) {
	defaults := func(img *devimg.Image) {
		img.Properties.Put(props.SetMiscProperties, "specConstsReplacedWithDefault", props.Uint32(1))
	}
	constants := func(img *devimg.Image) {
		img.Properties.Put(props.SetSpecConstants, "c", props.Bytes(make([]byte, 12)))
	}
	compiled := func(name string) edit {
		return func(img *devimg.Image) {
			target("nvptx64")(img)
			img.Properties.Put(props.SetDeviceRequirements, "compile_target", props.String(name))
		}
	}
	f := drivertest.Code{Exports: []string{"f"}}
	for _, c := range []struct {
		name  string
		app   edit
		lib   []*devimg.Image
		given bool
		want  int // of lib
	}{
		{"values, the copy first", constants, []*devimg.Image{newImage(f, constants, defaults), newImage(f, constants)}, true, 1},
		{"no values, the copy last", constants, []*devimg.Image{newImage(f, constants), newImage(f, constants, defaults)}, false, 1},
		{"values, the copy alone", constants, []*devimg.Image{newImage(f, constants, defaults)}, true, 0},
		{"architectures", compiled("nvidia_gpu_sm_90"), []*devimg.Image{newImage(f, compiled("nvidia_gpu_sm_70")), newImage(f, compiled("nvidia_gpu_sm_90"))}, false, 1},
	} {
		s := snapshot([]file{{"app", []*devimg.Image{newImage(imports("f"), c.app)}}, {"lib", c.lib}})
		link, err := new(Resolver).Link(s, Request{Kernel: "k", Accepts: func(driver.Image) error { return nil }, Extensions: linking, SpecConstants: c.given})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := link.Images[1]; got != s.Images[1+c.want] {
			t.Errorf("%s: linked with %v; want image %d", c.name, got, c.want)
		}
	}
}

// TestServiceKernels: a kernel of DPC++'s runtime is found by its full name, and is in no list.
func TestServiceKernels(t *testing.T) {
	const service = "_ZTSN4sycl3_V16detail23__sycl_service_kernel__16AssertInfoCopierE"
	s := snapshot([]file{{"app", []*devimg.Image{newImage(drivertest.Code{Kernels: []string{"k", service}})}}})
	if names := s.KernelNames(); len(names) != 1 || names[0] != "k" {
		t.Errorf("kernels %v", names)
	}
	if _, err := new(Resolver).Link(s, Request{Kernel: service, Owner: registry.Owner{}, Accepts: acceptSPIRV}); err != nil {
		t.Error(err)
	}
}
