package piplugin

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/drivertest"
)

// childTest names the release in a child process: plugins are met there
// alone, as some of them, and their drivers, end the process.
const childTest = "OFFLINK_TEST_PLUGIN"

// releases are the versions of DPC++ whose plugins scripts/pi-plugins unpacks,
// with the versions of the interface.
var releases = []struct{ dpcpp, pi string }{
	{"2021.4.0", "5.7"}, {"2022.2.0", "9.11"}, {"2023.0.0", "11.15"}, {"2023.2.4", "12.27"}, {"2024.0.3", "14.37"}, {"2024.2.1", "15.47"},
}

// inChild runs this test again in a process with that release's libraries and
// Intel's CPU device. It tells whether this is that process.
func inChild(t *testing.T, release string, env ...string) bool {
	t.Helper()
	if os.Getenv(childTest) == release {
		return true
	}
	if os.Getenv(childTest) != "" {
		t.Skip("another release's process")
	}
	folder := pluginFolder(t, release)
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v", "-test.timeout=9m")
	cmd.Env = append(append(os.Environ(), childTest+"="+release, "LD_LIBRARY_PATH="+folder,
		"OCL_ICD_VENDORS="+testtool.Python(t, "lib/libintelocl.so")), env...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("the process with the plugin: %v", err)
	}
	return false
}

// pluginFolder is the folder of a release's plugins.
func pluginFolder(t *testing.T, release string) string {
	t.Helper()
	return testtool.BuildFile(t, "pi-plugins/"+release)
}

func openRelease(t *testing.T, release, name string) *Driver {
	t.Helper()
	d, err := Open(Options{Libraries: []string{pluginFolder(t, release) + "/" + name}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

// TestLevelZeroWithoutDevice: the Level Zero plugins of all releases find no
// device here. Each is refused with a reason, and the process lives on.
func TestLevelZeroWithoutDevice(t *testing.T) {
	if _, err := os.Stat("/dev/dri"); err == nil {
		t.Skip("there may be a GPU")
	}
	for _, r := range releases {
		t.Run(r.dpcpp, func(t *testing.T) {
			if !inChild(t, r.dpcpp) {
				return
			}
			d, err := Open(Options{Libraries: []string{pluginFolder(t, r.dpcpp) + "/libpi_level_zero.so"}})
			if err != nil {
				t.Logf("not opened: %v", err)
				return
			}
			list, err := d.Devices()
			if len(list) != 0 || err == nil {
				t.Errorf("devices %v, %v; want none, with the reason", list, err)
			}
			t.Logf("%s: %v", d.Version(), err)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestConformance runs the suite on Intel's CPU device, through the OpenCL plugin of each
// release. After 2021.4 they return the addresses of kernels only.
func TestConformance(t *testing.T) {
	for i, r := range releases {
		t.Run(r.dpcpp, func(t *testing.T) {
			if inChild(t, r.dpcpp) {
				drivertest.Test(t, openRelease(t, r.dpcpp, "libpi_opencl.so"), drivertest.Options{NoFunctionPointers: i > 0})
			}
		})
	}
}
