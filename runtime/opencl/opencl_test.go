package opencl

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
)

// childTest names the device in a child process: drivers are met there alone,
// as some abort, exit or loop.
const childTest = "OFFLINK_TEST_OPENCL"

// testDevice is a driver that is installed for the tests.
type testDevice struct {
	name string
	icd  func(t *testing.T) string // for OCL_ICD_VENDORS
	env  []string
}

var testDevices = []testDevice{
	{name: "intel", icd: func(t *testing.T) string { return testtool.Python(t, "lib/libintelocl.so") }},
	{name: "pocl", icd: vendorFile("pocl.icd", "pocl-opencl-icd"), env: []string{"POCL_SIGFPE_HANDLER=0", "POCL_SIGUSR2_HANDLER=0"}},
	{name: "rusticl", icd: vendorFile("rusticl.icd", "mesa-opencl-icd"), env: []string{"RUSTICL_ENABLE=llvmpipe"}},
	{name: "oclgrind", icd: oclgrindFile},
}

// vendorFile is a driver of a package of the system.
func vendorFile(name, packageName string) func(t *testing.T) string {
	return func(t *testing.T) string {
		path := filepath.Join("/etc/OpenCL/vendors", name)
		if _, err := os.Stat(path); err != nil {
			testtool.Missing(t, &exec.Error{Name: packageName, Err: err})
		}
		return path
	}
}

// oclgrindFile makes the file that the package lacks.
func oclgrindFile(t *testing.T) string {
	const library = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
	if _, err := os.Stat(library); err != nil {
		testtool.Missing(t, &exec.Error{Name: "oclgrind", Err: err})
	}
	path := filepath.Join(t.TempDir(), "oclgrind.icd")
	if err := os.WriteFile(path, []byte(library+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// childOutput is the output of the last child process.
var childOutput string

// inChild runs this test again in a process that sees that device alone. It
// tells whether this is that process.
func inChild(t *testing.T, d testDevice) bool {
	t.Helper()
	if os.Getenv(childTest) == d.name {
		return true
	}
	if os.Getenv(childTest) != "" {
		t.Skip("another device's process")
	}
	testtool.Need(t, "gcc") // no devices in the fast lane
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v", "-test.timeout=9m")
	cmd.Env = append(append(os.Environ(), childTest+"="+d.name, "OCL_ICD_VENDORS="+d.icd(t), "POCL_CACHE_DIR="+t.TempDir()), d.env...)
	out, err := cmd.CombinedOutput()
	childOutput = string(out)
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("the process with the device: %v", err)
	}
	return false
}

func openDriver(t *testing.T, o Options) *Driver {
	t.Helper()
	if o.Translator == "" {
		o.Translator = translatorPath()
	}
	d, err := Open(o)
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

func translatorPath() string {
	for _, name := range []string{"llvm-spirv-15", "llvm-spirv-14"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// TestConformance runs the suite on the devices, each in a process of its own.
// The results are the table of docs/opencl.md.
func TestConformance(t *testing.T) {
	results := map[string][]caseResult{}
	for _, d := range testDevices {
		t.Run(d.name, func(t *testing.T) {
			if inChild(t, d) {
				driver := openDriver(t, Options{})
				device := onlyDevice(t, driver)
				fmt.Println(versionMark + driverVersion(device))
				able := device.able // TestQuirks compares it with the driver's version
				drivertest.Test(t, driver, drivertest.Options{NoVariables: able.noVariables != "" && !able.refusesVariables, RefusesVariables: able.refusesVariables})
				return
			}
			if hasTableVersion(d.name, childOutput) {
				results[d.name] = readResults(childOutput)
			}
		})
	}
	if len(results) == len(tableColumns) && os.Getenv(childTest) == "" && !t.Failed() {
		compareTable(t, conformanceTable(results))
	}
}

// TestLink links a kernel with a function of another module on every device.
func TestLink(t *testing.T) {
	for _, d := range testDevices {
		t.Run(d.name, func(t *testing.T) {
			if inChild(t, d) {
				linkAndRun(t, onlyDevice(t, openDriver(t, Options{})))
			}
		})
	}
}

func onlyDevice(t *testing.T, d *Driver) *Device {
	t.Helper()
	list, err := d.Devices()
	if err != nil || len(list) != 1 {
		t.Fatalf("devices %v, %v; want one", list, err)
	}
	return list[0].(*Device)
}

func testModule(t *testing.T, name string) driver.Module {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	return driver.Module{Name: name, Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}
}

func linkAndRun(t *testing.T, d *Device) {
	app, lib := testModule(t, "app"), testModule(t, "lib")
	if _, err := driver.Build(t.Context(), d, []driver.Module{app}, driver.BuildOptions{}); err == nil || !strings.Contains(err.Error(), "LibDeviceFunc") {
		t.Errorf("app alone: %v; want LibDeviceFunc named", err)
	}
	p, err := driver.Build(t.Context(), d, []driver.Module{app, lib}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err1 := d.Alloc(driver.DeviceMemory, 32)
	q, err2 := d.NewQueue(driver.QueueOptions{})
	k, err3 := p.Kernel("app")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 32)
	if err := errors.Join(
		q.Launch(k, driver.Range{Global: []int{8}}, []driver.Arg{{Memory: m}}, driver.Sync{}),
		q.Read(m, 0, got, driver.Sync{Block: true}), q.Finish(),
	); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if got[4*i] != byte(2*i) {
			t.Fatalf("got %v", got)
		}
	}
	if err := errors.Join(q.Close(), k.Close(), m.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}
