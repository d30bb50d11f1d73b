package opencl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
)

// ledger counts the objects that OpenCL's calls give out and take back.
type ledger struct {
	mu   sync.Mutex
	live map[string]int // by kind
}

// kinds are the functions that make and release objects.
var kinds = map[string]struct {
	kind   string
	change int
}{
	"clCreateContext": {"context", 1}, "clReleaseContext": {"context", -1},
	"clCreateCommandQueueWithProperties": {"queue", 1}, "clRetainCommandQueue": {"queue", 1}, "clReleaseCommandQueue": {"queue", -1},
	"clCreateProgramWithIL": {"program", 1}, "clCreateProgramWithBinary": {"program", 1}, "clLinkProgram": {"program", 1}, "clReleaseProgram": {"program", -1},
	"clCreateKernel": {"kernel", 1}, "clReleaseKernel": {"kernel", -1},
	"clDeviceMemAllocINTEL": {"memory", 1}, "clHostMemAllocINTEL": {"memory", 1}, "clSharedMemAllocINTEL": {"memory", 1}, "clMemFreeINTEL": {"memory", -1}, "clMemBlockingFreeINTEL": {"memory", -1},
	"clCreateUserEvent": {"event", 1}, "clRetainEvent": {"event", 1}, "clReleaseEvent": {"event", -1},
}

func (l *ledger) traceCall(call string, args []uintptr, code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.HasPrefix(call, "clEnqueue") && code == 0 && args[len(args)-1] != 0 {
		l.live["event"]++ // stored through the last argument
	}
	if k, ok := kinds[call]; ok && code == 0 {
		l.live[k.kind] += k.change
	}
}

// neverFails reports whether a call is left out of the tests that have each fail.
func neverFails(call string) bool {
	switch call {
	case "clGetDeviceInfo":
		return true // a device lacks a property that it does not tell
	case "clSetUserEventStatus":
		return true // the commands that wait for the event would never end
	}
	return false
}

// TestFaults fails each call of OpenCL in turn on Intel's device and on PoCL: nothing is
// leaked or released twice, and the error names the call and its code. After devices of which
// all calls failed while commands with events ran, clWaitForEvents of Intel's driver was seen
// not to return for a barrier in a queue out of order: there all calls fail in the plain walk
// alone.
func TestFaults(t *testing.T) {
	for _, device := range testDevices[:2] {
		t.Run(device.name, func(t *testing.T) {
			if !inChild(t, device) {
				return
			}
			open := func(fail func(call string) error) (driver.Driver, func() int) { return openFailing(t, fail) }
			if device.name != "intel" {
				drivertest.TestFaults(t, open)
				return
			}
			drivertest.TestPlainFaults(t, open)
			drivertest.TestSingleFaults(t, open)
		})
	}
}

// openFailing opens the back end with calls that fail, and returns a count of its open objects.
func openFailing(t *testing.T, fail func(call string) error) (d driver.Driver, live func() int) {
	t.Helper()
	l := &ledger{live: map[string]int{}}
	d, err := Open(Options{Translator: translatorPath(), Trace: l.traceCall, Fail: func(call string) error {
		// The driver goes on with the commands: without their states their memory is freed.
		if neverFails(call) || call == "clGetEventInfo" {
			return nil
		}
		return fail(call)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d, func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		for kind, n := range l.live {
			if n != 0 {
				t.Logf("%d of %s", n, kind)
				return n
			}
		}
		return 0
	}
}

// TestBadModules: modules with which the driver exits, crashes or loops do not
// reach it; the process lives on and the device works.
func TestBadModules(t *testing.T) {
	if !inChild(t, testDevices[0]) {
		return
	}
	d := onlyDevice(t, openDriver(t, Options{}))
	good := testModule(t, "app").Code
	unknownExtension := drivertest.SPIRV(drivertest.Code{Kernels: []string{"k"}, Extensions: []string{"SPV_NOBODY_knows"}})
	bad := map[string][]byte{"empty": nil, "an unknown extension": unknownExtension, "a header": good[:20], "random": []byte("0123456789abcdef0123")}
	for n := 24; n < len(good); n += 28 {
		bad[fmt.Sprintf("cut at %d", n)] = good[:n]
	}
	for n := 20; n < len(good); n += 52 {
		changed := append([]byte(nil), good...)
		copy(changed[n:], []byte{0, 0, 0, 0}) // an instruction of no words, or an id 0
		bad[fmt.Sprintf("zeros at %d", n)] = changed
	}
	for name, code := range bad {
		o, err := d.Compile(t.Context(), driver.Module{Name: name, Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}, driver.CompileOptions{})
		if err == nil {
			t.Logf("%s: compiled", name)
			_ = o.Close()
			continue
		}
		if _, ok := errors.AsType[*driver.BuildError](err); !ok {
			t.Errorf("%s: %v; want a BuildError", name, err)
		}
	}
	linkAndRun(t, d)
}

// TestHostSymbol: an import is never bound to a function of the host process.
func TestHostSymbol(t *testing.T) {
	if !inChild(t, testDevices[0]) {
		return
	}
	d := onlyDevice(t, openDriver(t, Options{}))
	code := drivertest.SPIRV(drivertest.Code{Kernels: []string{"k"}, Imports: []string{"getpid"}})
	_, err := driver.Build(t.Context(), d, []driver.Module{{Name: "m", Image: driver.Image{Format: "spirv"}, Code: code}}, driver.BuildOptions{})
	if err == nil || !strings.Contains(err.Error(), "getpid") {
		t.Errorf("an import of getpid: %v", err)
	}
}

// TestSignals: the driver's handlers are gone after its first use: Go recovers
// from a nil pointer.
func TestSignals(t *testing.T) {
	for _, device := range testDevices[:2] {
		t.Run(device.name, func(t *testing.T) {
			if !inChild(t, device) {
				return
			}
			linkAndRun(t, onlyDevice(t, openDriver(t, Options{})))
			for range 3 {
				func() {
					defer func() {
						if recover() == nil {
							t.Error("no panic")
						}
					}()
					var none *Device
					_ = none.handle
				}()
			}
		})
	}
}

// TestEmptyPlatforms: a loader without drivers, and a platform without devices,
// are not errors.
func TestEmptyPlatforms(t *testing.T) {
	for _, device := range []testDevice{
		{name: "none", icd: func(t *testing.T) string { return filepath.Join(t.TempDir(), "nothing") }},
		{name: "no-device", icd: testDevices[2].icd, env: []string{"RUSTICL_ENABLE="}},
	} {
		t.Run(device.name, func(t *testing.T) {
			if inChild(t, device) {
				list, err := openDriver(t, Options{}).Devices()
				if err != nil || len(list) != 0 {
					t.Errorf("devices %v, %v", list, err)
				}
			}
		})
	}
}

// TestNoLoader: every name that was tried is in the error.
func TestNoLoader(t *testing.T) {
	file := filepath.Join(t.TempDir(), "libOpenCL.so.1")
	if err := os.WriteFile(file, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Libraries: []string{"/nowhere/libOpenCL.so", file}})
	if err == nil || !strings.Contains(err.Error(), "/nowhere/libOpenCL.so") || !strings.Contains(err.Error(), file) {
		t.Errorf("Open: %v", err)
	}
}

// installedQuirks are the quirks of the drivers that the tests have run on, by the version
// of the platform and of the driver: those of Debian 12 and 13, Ubuntu 24.04 and Intel's.
var installedQuirks = []struct{ device, version, quirks string }{
	{"intel", "", "intel-exit intel-failures"},
	{"pocl", "PoCL 3.1", "pocl-bitcode pocl-variables pocl-callbacks pocl-failures"},
	{"pocl", "PoCL 5.0+debian", "pocl-bitcode pocl-callbacks pocl-failures"},
	{"pocl", "PoCL 6.0", "pocl-callbacks pocl-failures"},
	{"rusticl", "driver 22.3", "rusticl-binary rusticl-events"},
	{"rusticl", "driver 24.0", "rusticl-linker rusticl-variables rusticl-pointers rusticl-failures"},
	{"rusticl", "driver 25.0", "rusticl-linker rusticl-variables rusticl-pointers rusticl-failures"},
	{"oclgrind", "Oclgrind 21.10", "oclgrind-bitcode oclgrind-threads oclgrind-events oclgrind-pointers"},
}

// checkQuirks compares a driver's quirks with those of its version.
func checkQuirks(t *testing.T, device string, d *Device) {
	t.Helper()
	version := driverVersion(d)
	for _, row := range installedQuirks {
		if row.device == device && strings.Contains(version, row.version) {
			if got := strings.Join(d.Quirks(), " "); got != row.quirks {
				t.Errorf("%s %s: quirks %q; want %q", d.platform.name, version, got, row.quirks)
			}
			return
		}
	}
	t.Logf("%s %s is not in the table", d.platform.name, version)
}

// TestQuirks: each row applies to the driver that it was written for.
func TestQuirks(t *testing.T) {
	for _, device := range testDevices {
		t.Run(device.name, func(t *testing.T) {
			if !inChild(t, device) {
				return
			}
			d := onlyDevice(t, openDriver(t, Options{}))
			checkQuirks(t, device.name, d)
			if device.name == "intel" {
				return
			}
			code := drivertest.SPIRV(drivertest.Code{Kernels: []string{"k"}, VariableExports: []string{"v"}})
			p, err := driver.Build(t.Context(), d, []driver.Module{{Name: "m", Image: driver.Image{Format: "spirv"}, Code: code}}, driver.BuildOptions{})
			if err == nil && d.able.noVariables != "" {
				if _, err = p.Variable("v"); !errors.Is(err, driver.ErrUnsupported) {
					t.Errorf("a variable: %v; want ErrUnsupported", err)
				}
			} else if d.able.refusesVariables && (err == nil || !strings.Contains(err.Error(), "variable v")) {
				t.Errorf("a variable that ends the process: %v", err)
			}
		})
	}
}

// TestTranslatorMissing: a driver of bitcode names the missing translator.
func TestTranslatorMissing(t *testing.T) {
	d := &Device{driver: &Driver{}, platform: &platform{name: "Portable Computing Language", version: "OpenCL 3.0 PoCL 3.1+debian  Linux, LLVM 15.0.6"}}
	d.info.Extensions = []string{"cl_khr_spir"}
	var a abilities
	d.applyQuirks(&a)
	if !strings.Contains(a.noSPIRV, "OFFLINK_LLVM_SPIRV") || a.takesSPIRV() {
		t.Errorf("without a translator: %+v", a)
	}
}

// TestWithoutSPIR: a PoCL that was built without SPIR gets no bitcode, at which it crashes.
func TestWithoutSPIR(t *testing.T) {
	d := &Device{driver: &Driver{options: Options{Translator: "/usr/bin/llvm-spirv"}}, platform: &platform{name: "Portable Computing Language", version: "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6"}}
	for _, c := range []struct {
		extensions []string
		bitcode    bool
	}{{[]string{"cl_khr_fp64"}, false}, {[]string{"cl_khr_fp64", "cl_khr_spir"}, true}} {
		d.info.Extensions = c.extensions
		a := abilities{noSPIRV: "it takes no SPIR-V"}
		d.applyQuirks(&a)
		if a.bitcode != c.bitcode || a.takesSPIRV() != c.bitcode || a.translateTo != map[bool]int{true: 14}[c.bitcode] {
			t.Errorf("%v: %+v", c.extensions, a)
		}
		if !c.bitcode && !strings.Contains(a.noSPIRV, "cl_khr_spir") {
			t.Errorf("%v: %s", c.extensions, a.noSPIRV)
		}
	}
}

// TestVersionsOfIntel: drivers that list SPIR-V 1.0 alone take the versions that they were seen
// to take, and one that lists several versions is believed.
func TestVersionsOfIntel(t *testing.T) {
	for _, c := range []struct{ driver, lists, want string }{
		{"2021.12.9.0.24_005321", "SPIR-V_1.0", "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3"},
		{"2024.16.1.0.27_160000.xmain-hotfix", "SPIR-V_1.0", "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3"},
		{"2023.16.12.0.12_195853.xmain-hotfix", "SPIR-V_1.0", "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4"},
		{"2024.17.5.0.08_160000.xmain-hotfix", "SPIR-V_1.0 SPIR-V_1.1", "SPIR-V_1.0 SPIR-V_1.1"},
		{"2024.18.7.0.11_160000", "SPIR-V_1.0", "SPIR-V_1.0"},
	} {
		d := &Device{driver: &Driver{}, platform: &platform{name: "Intel(R) OpenCL", version: "OpenCL 3.0 LINUX"}}
		d.info.DriverVersion, d.info.ILVersions = c.driver, strings.Fields(c.lists)
		var a abilities
		d.applyQuirks(&a)
		if got := strings.Join(d.info.ILVersions, " "); got != c.want {
			t.Errorf("%s lists %s: %s", c.driver, c.lists, got)
		}
	}
}
