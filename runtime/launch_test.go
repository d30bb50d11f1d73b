package runtime

import (
	"math"
	"strings"
	"testing"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/wrapper/devimg"
)

// openKernel returns a kernel with those device parameters and mask of
// removed parameters.
func openKernel(t *testing.T, fake *drivertest.Fake, mask props.Value, params ...driver.Param) (*Kernel, driver.Queue, error) {
	t.Helper()
	fake.Kernels = map[string]drivertest.FakeKernel{"k": {Params: params}}
	rt := New([]driver.Driver{fake})
	img := image(drivertest.Code{Kernels: []string{"k"}})
	if mask.Type() != 0 {
		img.Properties.Put(props.SetKernelParamOpt, "k", mask)
	}
	rt.Register(appOwner, []*devimg.Image{img})
	device := must(rt.Device(""))
	kernel, err := must(rt.Program(t.Context(), device, KernelRef{Name: "k"})).Kernel()
	return kernel, must(device.NewQueue(driver.QueueOptions{})), err
}

func TestRemovedParams(t *testing.T) {
	value, buffer := driver.Param{Kind: driver.ParamValue, Size: 4}, driver.Param{Kind: driver.ParamBuffer}
	// Parameters 0, 2 and 8 of nine were removed.
	mask := props.Bits([]byte{0b101, 1}, 9)
	fake := new(drivertest.Fake)
	k, q, err := openKernel(t, fake, mask, value, buffer, value, value, value, value)
	if err != nil {
		t.Fatal(err)
	}
	memory := must(k.device.Alloc(driver.DeviceMemory, 4))
	args := make([]driver.Arg, 9)
	for i := range args {
		args[i].Value = make([]byte, 4)
	}
	args[3] = driver.Arg{Memory: memory}
	args[0] = driver.Arg{Value: make([]byte, 77)} // removed: anything goes
	fake.Calls()
	if err := k.Launch(q, driver.Range{Global: []int{1}}, args, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	if got, want := fake.Calls()[0], "launch k over [1] in [] with 6 args"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	err = k.Launch(q, driver.Range{Global: []int{1}}, args[:6], driver.Sync{})
	if want := "kernel k: 6 arguments given; it takes 9"; err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

func TestMaskThatDoesNotFit(t *testing.T) {
	value := driver.Param{Kind: driver.ParamValue, Size: 4}
	for _, mask := range []props.Value{props.Bits([]byte{0b01}, 3), props.Bits([]byte{0b11}, 2), props.Bits([]byte{0}, 2)} {
		if _, _, err := openKernel(t, new(drivertest.Fake), mask, value); err == nil {
			t.Errorf("mask %v of %d bits was accepted for one parameter", mask.Data(), mask.BitLen())
		}
	}
}

func TestLaunchRefusals(t *testing.T) {
	k, q, err := openKernel(t, new(drivertest.Fake), props.Value{},
		driver.Param{Kind: driver.ParamValue, Size: 4, Type: "float"},
		driver.Param{Kind: driver.ParamBuffer},
		driver.Param{Kind: driver.ParamLocal})
	if err != nil {
		t.Fatal(err)
	}
	memory := must(k.device.Alloc(driver.DeviceMemory, 4))
	good := []driver.Arg{{Value: make([]byte, 4)}, {Memory: memory}, {LocalSize: 8}}
	with := func(i int, arg driver.Arg) []driver.Arg {
		args := append([]driver.Arg{}, good...)
		args[i] = arg
		return args
	}
	one := driver.Range{Global: []int{8}}
	for _, c := range []struct {
		r    driver.Range
		args []driver.Arg
		want string
	}{
		{one, good, ""},
		{driver.Range{Global: []int{8, 2}, Local: []int{4, 2}, Offset: []int{1, 0}}, good, ""},
		{one, good[:1], "kernel k: 1 argument given; it takes 3"},
		{one, with(0, driver.Arg{Value: make([]byte, 8)}), "kernel k: argument 0: the kernel takes a value of 4 bytes (float) here and a value of 8 bytes was given"},
		{one, with(0, good[1]), "kernel k: argument 0: the kernel takes a value of 4 bytes (float) here and a buffer was given"},
		{one, with(1, good[2]), "kernel k: argument 1: the kernel takes a buffer here and local memory was given"},
		{one, with(2, good[0]), "kernel k: argument 2: the kernel takes local memory here and a value of 4 bytes was given"},
		{one, with(2, driver.Arg{LocalSize: 1024}), ""},
		{one, with(2, driver.Arg{LocalSize: 1025}), "kernel k: argument 2: 1025 bytes of local memory are asked for and the device has 1024"},
		{driver.Range{}, good, "kernel k: the global size has 0 dimensions; give 1 to 3"},
		{driver.Range{Global: []int{1, 1, 1, 1}}, good, "kernel k: the global size has 4 dimensions; give 1 to 3"},
		{driver.Range{Global: []int{-1}}, good, "kernel k: the global size -1 is not one of numbers whose product fits 63 bits"},
		{driver.Range{Global: []int{math.MaxInt, 2}}, good, "kernel k: the global size 9223372036854775807,2 is not one of numbers whose product fits 63 bits"},
		{driver.Range{Global: []int{8}, Local: []int{3}}, good, "kernel k: the local size 3 does not divide the global size 8"},
		{driver.Range{Global: []int{8, 8}, Local: []int{8, 3}}, good, "kernel k: the local size 8,3 does not divide the global size 8,8"},
		{driver.Range{Global: []int{8}, Local: []int{-1}}, good, "kernel k: the local size -1 is not one of positive numbers"},
		{driver.Range{Global: []int{128}, Local: []int{128}}, good, "kernel k: the local size 128 has 128 work-items and the device takes 64"},
		{driver.Range{Global: []int{8}, Local: []int{8, 1}}, good, "kernel k: the local size 8,1 has 2 dimensions and the global size 8 has 1"},
		{driver.Range{Global: []int{8}, Offset: []int{0, 0}}, good, "kernel k: the offset 0,0 has 2 dimensions and the global size 8 has 1"},
	} {
		got := ""
		if err := k.Launch(q, c.r, c.args, driver.Sync{}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: got %q; want %q", c.r, got, c.want)
		}
	}
}

func TestKernelListedButNotInCode(t *testing.T) {
	rt := New([]driver.Driver{new(drivertest.Fake)})
	rt.Register(appOwner, []*devimg.Image{image(drivertest.Code{Kernels: []string{"k"}})})
	program := must(rt.Program(t.Context(), must(rt.Device("")), KernelRef{Name: "k"}))
	_, err := program.Kernel()
	if want := "kernel k: a.out: image 0 (spir64, spirv) lists it, but its code does not have it: kernel k: not found"; err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

// TestUnknownParams: a parameter that the driver does not describe takes a value, memory,
// local memory and the null pointer; images need a driver that does.
func TestUnknownParams(t *testing.T) {
	k, q, err := openKernel(t, new(drivertest.Fake), props.Value{}, driver.Param{Kind: driver.ParamUnknown})
	if err != nil {
		t.Fatal(err)
	}
	memory := must(k.device.Alloc(driver.DeviceMemory, 4))
	for what, arg := range map[string]driver.Arg{"a value": {Value: make([]byte, 3)}, "memory": {Memory: memory}, "local memory": {LocalSize: 8}, "null": {}} {
		if err := k.Launch(q, driver.Range{Global: []int{1}}, []driver.Arg{arg}, driver.Sync{}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, arg := range map[string]driver.Arg{"a sampler": {Sampler: &driver.Sampler{}}, "-1 bytes": {LocalSize: -1}} {
		if err := k.Launch(q, driver.Range{Global: []int{1}}, []driver.Arg{arg}, driver.Sync{}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// unevenKernel is a kernel whose work-groups may have different sizes.
type unevenKernel struct{ driver.Kernel }

func (k unevenKernel) Info() driver.KernelInfo { return driver.KernelInfo{Uneven: true} }

func TestUnevenLaunch(t *testing.T) {
	k, _, err := openKernel(t, new(drivertest.Fake), props.Value{})
	if err != nil {
		t.Fatal(err)
	}
	r := driver.Range{Global: []int{8}, Local: []int{3}}
	if k.checkLocal(r, [3]int{}) == nil {
		t.Error("a kernel with work-groups of one size takes it")
	}
	k.kernel = unevenKernel{k.kernel}
	if err := k.checkLocal(r, [3]int{}); err != nil {
		t.Error(err)
	}
}
