package levelzero

import (
	"slices"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// TestModuleProperties: the versions of SPIR-V and the types of floats are the driver's, so
// that images which need double precision run where the device has it, and only there.
func TestModuleProperties(t *testing.T) {
	const half, double, atomic64 = 1, 2, 4
	for name, c := range map[string]struct {
		flags, spirv int
		aspects      []string
		versions     string
		double       driver.FloatConfig
	}{
		"half":   {half, 1<<16 | 2, []string{"fp16"}, "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2", 0},
		"double": {double | atomic64, 1 << 16, []string{"fp64", "atomic64"}, "SPIR-V_1.0", driver.FloatCorrectlyRoundedDivideSqrt},
		"later":  {0, 2<<16 | 1, nil, "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := openFake(t)
			f.set(t, "module_flags", c.flags)
			f.set(t, "spirv", c.spirv)
			d := f.open(t)
			defer d.Close()
			info := d.devices[0].Info()
			for _, aspect := range []string{"fp16", "fp64", "atomic64"} {
				if has := info.HasAspect(aspect); has != slices.Contains(c.aspects, aspect) {
					t.Errorf("the aspect %s: %v", aspect, has)
				}
			}
			if got := strings.Join(info.ILVersions, " "); got != c.versions {
				t.Errorf("versions %s; want %s", got, c.versions)
			}
			if info.Double != c.double || info.MaxParameterSize != 2048 || info.PrintfBuffer != 4096 {
				t.Errorf("double %#x, parameters of %d bytes, a buffer of %d", info.Double, info.MaxParameterSize, info.PrintfBuffer)
			}
			if (info.VectorWidths.Double != 0) != (c.double != 0) {
				t.Errorf("vectors of %d doubles", info.VectorWidths.Double)
			}
		})
	}
}

// TestSoftwareFloats: Level Zero has other numbers for them than OpenCL.
func TestSoftwareFloats(t *testing.T) {
	f := openFake(t)
	d := f.open(t)
	defer d.Close()
	info := d.devices[0].Info()
	if info.Half != driver.FloatSoft || info.Single != driver.FloatInfNaN|driver.FloatRoundToNearest|driver.FloatFMA {
		t.Errorf("half %#x, single %#x", info.Half, info.Single)
	}
}

// TestNoSPIRV: a device without SPIR-V says so where an image is offered to it.
func TestNoSPIRV(t *testing.T) {
	f := openFake(t)
	f.set(t, "spirv", 0)
	d := f.open(t)
	defer d.Close()
	device := d.devices[0]
	info := device.Info()
	err := device.Accepts(driver.Image{Format: "spirv", Target: "spir64"})
	if err == nil || !strings.Contains(err.Error(), "takes no SPIR-V") || info.HasAspect("online_compiler") {
		t.Errorf("%v; aspects %v", err, info.Aspects)
	}
}

// TestOtherTypes: processors for neural networks and copying are left out.
func TestOtherTypes(t *testing.T) {
	for _, kind := range []int{4, 5, 77} {
		f := openFake(t)
		f.set(t, "second_device", 1)
		f.set(t, "device_type", kind)
		d := f.open(t)
		if list, err := d.Devices(); err != nil || len(list) != 1 || list[0].Info().Type != driver.GPU {
			t.Errorf("type %d: %v, %v; want the second device", kind, list, err)
		}
		d.Close()
		f.Verify(t)
	}
}

// TestOneBadDevice: the devices after one that fails are listed, with its failure.
func TestOneBadDevice(t *testing.T) {
	f := openFake(t)
	f.set(t, "second_device", 1)
	f.set(t, "bad_device", deviceLost)
	d := f.open(t)
	defer d.Close()
	if list, err := d.Devices(); err == nil || len(list) != 1 || !strings.Contains(err.Error(), "device 0: zeDeviceGetProperties") {
		t.Errorf("%d devices, %v", len(list), err)
	}
}

// TestCopyOnly: a device of which no group of queues runs kernels is left out with the reason.
func TestCopyOnly(t *testing.T) {
	f := openFake(t)
	f.set(t, "copy_only", 1)
	d := f.open(t)
	defer d.Close()
	if list, err := d.Devices(); err == nil || len(list) != 0 || !strings.Contains(err.Error(), "no group of queues runs kernels") {
		t.Errorf("%d devices, %v", len(list), err)
	}
}

// TestImageOptions: options that DPC++ records for its own runtime do not reach the driver.
func TestImageOptions(t *testing.T) {
	f := openFake(t)
	d := f.open(t)
	defer d.Close()
	o, err := d.devices[0].Compile(t.Context(), spirvModule("a"), driver.CompileOptions{Options: "-g -ftarget-register-alloc-mode=pvc:-ze-opt-large-register-file"})
	if err != nil {
		t.Fatal(err)
	}
	if flags := o.(*object).flags; flags != "-g" {
		t.Errorf("the driver's options are %q", flags)
	}
}
