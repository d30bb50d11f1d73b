package opencl

import (
	"errors"
	"slices"
	"testing"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/internal/cl"
)

// TestVariableAccess runs the suite as if the driver had less: variables by
// name, then by kernels that offlink adds; memory of all three models.
func TestVariableAccess(t *testing.T) {
	for name, without := range map[string][]cl.Function{
		"by name, virtual memory": {cl.GetDeviceGlobalVariablePointerINTEL, cl.DeviceMemAllocINTEL},
		"by kernels, buffers":     {cl.EnqueueReadGlobalVariableINTEL, cl.DeviceMemAllocINTEL, cl.SVMAlloc},
	} {
		t.Run(name, func(t *testing.T) {
			if !inChild(t, testDevices[0]) {
				return
			}
			d := openDriver(t, Options{without: without})
			o := drivertest.Options{}
			if onlyDevice(t, d).able.memory == buffers {
				o.OffsetMultiple = onlyDevice(t, d).info.MemoryAlignment
			}
			drivertest.Test(t, d, o)
		})
	}
}

// TestHostName reaches a device global that has a name for the host and no
// linkage name.
func TestHostName(t *testing.T) {
	if !inChild(t, testDevices[0]) {
		return
	}
	d := onlyDevice(t, openDriver(t, Options{}))
	p, err := driver.Build(t.Context(), d, []driver.Module{hostNameModule()}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Variable("the name for the host")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if err := errors.Join(q.Write(v, 0, []byte{1, 2, 3, 4}, driver.Sync{}), q.Read(v, 1, got[:3], driver.Sync{Block: true})); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []byte{2, 3, 4, 0}) {
		t.Errorf("read %v", got)
	}
	if err := errors.Join(q.Read(v, 2, got, driver.Sync{Block: true})); err == nil {
		t.Error("read beyond the end")
	}
	if err := errors.Join(q.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}

// hostNameModule has a variable that is decorated HostAccessINTEL alone.
func hostNameModule() driver.Module {
	code := drivertest.SPIRV(drivertest.Code{Kernels: []string{"k"}, VariableHostNames: []string{"the name for the host"}})
	return driver.Module{Name: "module", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}
}
