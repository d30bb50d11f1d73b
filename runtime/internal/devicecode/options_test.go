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
		if got := DriverOptions(c.options, &c.device); got != c.expect {
			t.Errorf("%s: %q becomes %q; want %q", c.device.Name, c.options, got, c.expect)
		}
	}
}
