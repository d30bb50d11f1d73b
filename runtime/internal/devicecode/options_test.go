package devicecode

import (
	"testing"

	"offlink/runtime/driver"
)

func TestDriverOptions(t *testing.T) {
	cpu := driver.Info{Type: driver.CPU, VendorID: intelVendor, Name: "Xeon"}
	arc := driver.Info{Type: driver.GPU, VendorID: intelVendor, Name: "Intel(R) Arc(TM) A770"}
	pvc := driver.Info{Type: driver.GPU, VendorID: intelVendor, Name: "Intel(R) Data Center GPU Max 1100"}
	const mode = "-ftarget-register-alloc-mode=pvc:-ze-intel-enable-auto-large-GRF-mode"
	for _, c := range []struct {
		device          driver.Info
		options, expect string
	}{
		{cpu, "", ""},
		{cpu, "-cl-opt-disable  -g", "-cl-opt-disable  -g"},
		{cpu, mode, ""},
		{cpu, "-g " + mode + " -ftarget-compile-fast -w", "-g -w"},
		{arc, mode + " -ftarget-compile-fast", fastCompilation},
		{pvc, mode + " -g", "-ze-intel-enable-auto-large-GRF-mode -g"},
		{pvc, "-ftarget-register-alloc-mode=dg2:-a,pvc:-b", "-b"},
	} {
		if got := DriverOptions(&driver.CompileOptions{Options: c.options}, &c.device, CLUnoptimized); got != c.expect {
			t.Errorf("%s: %q becomes %q; want %q", c.device.Name, c.options, got, c.expect)
		}
	}
}

// TestHints: the spellings are those that libsycl 2025.3.3 and 2026.2.0 give Intel's drivers.
func TestHints(t *testing.T) {
	cpu := driver.Info{Type: driver.CPU, VendorID: intelVendor}
	gpu := driver.Info{Type: driver.GPU, VendorID: intelVendor}
	other := driver.Info{Type: driver.GPU, VendorID: 0x1002}
	large, automatic := driver.CompileHints{Registers: driver.RegistersLarge}, driver.CompileHints{Registers: driver.RegistersAutomatic}
	for _, c := range []struct {
		device driver.Info
		hints  driver.CompileHints
		expect string
	}{
		{cpu, driver.CompileHints{Unoptimized: true, Registers: driver.RegistersLarge}, "-g -cl-opt-disable"},
		{gpu, driver.CompileHints{Unoptimized: true, Registers: driver.RegistersLarge}, "-g -ze-opt-large-register-file -cl-opt-disable"},
		{gpu, automatic, "-g -ze-intel-enable-auto-large-GRF-mode"},
		{gpu, driver.CompileHints{Unoptimized: true, ExplicitSIMD: true}, "-g -vc-codegen -disable-finalizer-msg"},
		{gpu, driver.CompileHints{ExplicitSIMD: true, Registers: driver.RegistersLarge}, "-g -vc-codegen -disable-finalizer-msg -doubleGRF"},
		{gpu, driver.CompileHints{GlobalAddresses: true}, "-g -ze-take-global-address"},
		{cpu, driver.CompileHints{GlobalAddresses: true}, "-g"},
		{other, large, "-g"},
		{other, driver.CompileHints{ExplicitSIMD: true}, "-g"},
	} {
		if got := DriverOptions(&driver.CompileOptions{Options: "-g", Hints: c.hints}, &c.device, CLUnoptimized); got != c.expect {
			t.Errorf("%+v on %v: %q; want %q", c.hints, c.device.Type, got, c.expect)
		}
	}
	if got := DriverOptions(&driver.CompileOptions{Hints: driver.CompileHints{Unoptimized: true}}, &cpu, ""); got != "" {
		t.Errorf("a driver without the option gets %q", got)
	}
}
