package opencl

import (
	"errors"
	"testing"

	"offlink/runtime/driver"
)

// TestNativeArguments launches a kernel of native code, whose parameters drivers do not
// describe: a buffer is set for one all the same.
func TestNativeArguments(t *testing.T) {
	t.Run("fake", func(t *testing.T) { runNative(t, onlyDevice(t, buildFake(t).open(Options{}))) })
	for _, d := range testDevices[:1] { // others' binaries of the suite's program are not native images
		t.Run(d.name, func(t *testing.T) {
			if inChild(t, d) {
				runNative(t, onlyDevice(t, openDriver(t, Options{})))
			}
		})
	}
}

func runNative(t *testing.T, d *Device) {
	source, err := testBuild(t, d)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	code, err := d.api.ProgramBinary(source.(*program).handle)
	if err != nil {
		t.Fatal(err)
	}
	m := driver.Module{Name: "native", Image: driver.Image{Format: "native", Target: "spir64_x86_64"}, Code: code}
	p, err := driver.Build(t.Context(), d, []driver.Module{m}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err1 := p.Kernel("app")
	memory, err2 := d.Alloc(driver.DeviceMemory, 32)
	q, err3 := d.NewQueue(driver.QueueOptions{})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if params := k.Params(); len(params) != 1 || params[0].Kind != driver.ParamUnknown && params[0].Kind != driver.ParamBuffer { // Intel's of 2021.12 describes it
		t.Errorf("the parameters are %+v; want one that is not known", params)
	}
	got := make([]byte, 32)
	if err := errors.Join(
		q.Launch(k, driver.Range{Global: []int{8}}, []driver.Arg{{Memory: memory}}, driver.Sync{}),
		q.Read(memory, 0, got, driver.Sync{Block: true}), q.Finish(),
	); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if got[4*i] != byte(2*i) {
			t.Fatalf("got %v", got)
		}
	}
	if err := errors.Join(q.Close(), k.Close(), memory.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}
