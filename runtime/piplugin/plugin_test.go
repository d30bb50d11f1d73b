package piplugin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/pi"
)

// newest are the options of the plugin of testdata for the newest version.
var newest = tableOptions("15_47", "15.47.3", "20")

// tableOptions build the plugin with the table of a version.
func tableOptions(table, version, length string, more ...string) []string {
	return append([]string{"-DPI_TABLE=PI_TABLE_" + table, `-DPI_VERSION="` + version + `"`, "-DPI_TEXT=" + length}, more...)
}

// buildPlugin compiles testdata/plugin.c.
func buildPlugin(t *testing.T, options ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libpi_test.so")
	args := append([]string{"-shared", "-fPIC", "-I../internal/pi/include", "-I../drivertest/testdata", "-o", path, "testdata/plugin.c"}, options...)
	if out, err := exec.Command(testtool.Path(t, "gcc"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// counters are the plugin's variables, which the test reads and sets. They
// hold the library open.
type counters struct {
	t       *testing.T
	library *dl.Library
}

func countersOf(t *testing.T, path string) counters {
	t.Helper()
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = library.Close() })
	return counters{t, library}
}

func (c counters) bytes(name string, size int) []byte {
	c.t.Helper()
	address, err := c.library.Symbol(name)
	if err != nil {
		c.t.Fatal(err)
	}
	return dl.Bytes(address, size)
}

func (c counters) number(name string) int {
	return int(int32(binary.NativeEndian.Uint32(c.bytes(name, 4))))
}

// failNext has the plugin's next call return a code.
func (c counters) failNext(code int32) {
	binary.NativeEndian.PutUint32(c.bytes("plugin_next_code", 4), uint32(code))
}

func openPlugin(t *testing.T, path string, o Options) *Driver {
	t.Helper()
	o.Libraries = []string{path}
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

func onlyDevice(t *testing.T, d *Driver) *Device {
	t.Helper()
	list, err := d.Devices()
	if err != nil || len(list) != 1 {
		t.Fatalf("devices %v, %v; want one", list, err)
	}
	return list[0].(*Device)
}

// TestTables runs the suite on the plugin with the table of each version, and
// with fewer functions than the version has.
func TestTables(t *testing.T) {
	oldest := []string{"-DOLD_BUFFER_ARGS", "-DOLD_QUEUE_IMPORTS"}
	for name, options := range map[string][]string{
		"5.7":             tableOptions("5_7", "5.7", "4", append(oldest, "-DOLD_BINARIES")...),
		"9.11":            tableOptions("9_11", "9.11.1", "10", oldest...),
		"11.15":           tableOptions("11_15", "11.15.1", "20", oldest...),
		"12.27":           tableOptions("12_27", "12.27.1", "20", oldest...),
		"14.37":           tableOptions("14_37", "14.37.1", "20"),
		"15.47":           newest,
		"variables named": append(newest, "-DNO_POINTERS"),
		"buffers":         append(newest, "-DNO_USM"),
		"least":           append(newest, "-DNO_USM", "-DNO_POINTERS", "-DNO_NAMES"),
		"buffers of 12":   tableOptions("12_27", "12.27.1", "20", append(oldest, "-DNO_USM")...),
	} {
		t.Run(name, func(t *testing.T) {
			path := buildPlugin(t, options...)
			c := countersOf(t, path)
			d := openPlugin(t, path, Options{})
			o := drivertest.Options{}
			if !onlyDevice(t, d).able.usm {
				o.OffsetMultiple = 128
			}
			drivertest.Test(t, d, o)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			for counter, want := range map[string]int{"device_live": 0, "device_misuses": 0, "plugin_torn_down": 1, "plugin_live_at_end": 0} {
				if got := c.number(counter); got != want {
					t.Errorf("%s is %d; want %d; the last misuse: %s", counter, got, want, bytes.TrimRight(c.bytes("device_misuse", 64), "\x00"))
				}
			}
		})
	}
}

// TestRefusals: libraries that are not plugins, versions that nobody knows, and
// tables that cannot be used are refused with the reason.
func TestRefusals(t *testing.T) {
	notPlugin := filepath.Join(t.TempDir(), "libother.so")
	if out, err := exec.Command(testtool.Path(t, "gcc"), "-shared", "-x", "c", "-o", notPlugin, "/dev/null").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := filepath.Join(t.TempDir(), "libtext.so")
	if err := os.WriteFile(text, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	loader, adapter := exporting(t, "urLoaderInit", "urGetPlatformProcAddrTable"), exporting(t, "urGetPlatformProcAddrTable")
	version, table, call := &pi.VersionError{}, &pi.TableError{}, &driver.CallError{}
	for name, c := range map[string]struct {
		path string
		as   any
		want string
	}{
		"text":                        {text, new(*dl.OpenError), "file too short"},
		"no plugin":                   {notPlugin, new(*pi.NotPluginError), "piPluginInit"},
		"a loader of Unified Runtime": {loader, new(*pi.NotPluginError), "is the loader of Unified Runtime"},
		"an adapter":                  {adapter, new(*pi.NotPluginError), "is the adapter of Unified Runtime"},
		"a newer version":             {buildPlugin(t, tableOptions("15_47", "16.1.1", "20")...), &version, `version "16.1.1"`},
		"another minor":               {buildPlugin(t, tableOptions("15_47", "15.48.1", "20")...), &version, "5.7, 9.11, 11.15, 12.27, 14.37, 15.47"},
		"no version":                  {buildPlugin(t, tableOptions("15_47", "newest", "20")...), &version, "version"},
		"takes none":                  {buildPlugin(t, append(newest, `-DPI_TAKES="99.0"`)...), &version, "takes none"},
		"another layout":              {buildPlugin(t, tableOptions("15_47", "15.47.3", "10")...), &table, "is not where"},
		"fails":                       {buildPlugin(t, append(newest, "-DPI_RESULT=-30")...), &call, "piPluginInit failed with PI_ERROR_INVALID_VALUE (-30)"},
		"a null entry":                {buildPlugin(t, append(newest, "-DPI_NULL=14")...), &table, "lacks piContextCreate"},
		"a wild entry":                {buildPlugin(t, append(newest, "-DPI_JUNK=60")...), &table, "0x1234 for piKernelSetExecInfo"},
	} {
		_, err := Open(Options{Libraries: []string{c.path}})
		if err == nil || !errors.As(err, c.as) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want a %T with %q", name, err, c.as, c.want)
		}
		if err != nil && name != "fails" && !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v does not name the file", name, err)
		}
	}
}

// exporting compiles a library that exports functions.
func exporting(t *testing.T, names ...string) string {
	t.Helper()
	source := ""
	for _, name := range names {
		source += "int " + name + "(void) { return 0; }\n"
	}
	path := filepath.Join(t.TempDir(), "libexports.so")
	gcc := exec.Command(testtool.Path(t, "gcc"), "-shared", "-fPIC", "-x", "c", "-o", path, "-")
	gcc.Stdin = strings.NewReader(source)
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestUnload: a plugin that was listed only is unloaded after its piTearDown; one whose
// device was used stays, as drivers have threads and exit handlers then.
func TestUnload(t *testing.T) {
	for name, use := range map[string]bool{"listed": false, "used": true} {
		path := buildPlugin(t, newest...)
		d, err := Open(Options{Libraries: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		device := onlyDevice(t, d)
		if use {
			m, err := device.Alloc(driver.DeviceMemory, 16)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := errors.Join(d.Close(), d.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if loaded := dl.IsLoaded(path); loaded != use {
			t.Errorf("%s: the library is loaded: %v", name, loaded)
		}
		if use {
			if n := countersOf(t, path).number("plugin_torn_down"); n != 1 {
				t.Errorf("it was torn down %d times", n)
			}
		}
	}
}

// TestVersionChoice: a plugin that takes one version alone is asked for that.
func TestVersionChoice(t *testing.T) {
	path := buildPlugin(t, append(tableOptions("12_27", "12.27.1", "20"), `-DPI_TAKES="12.27"`, "-DOLD_BUFFER_ARGS")...)
	d := openPlugin(t, path, Options{})
	if d.Version() != "PI 12.27.1" || d.Name() != "test" || d.Path() != path {
		t.Errorf("version %s, name %s, path %s", d.Version(), d.Name(), d.Path())
	}
}

// TestMissingEntries: a call that the plugin lacks is unsupported, by name.
func TestMissingEntries(t *testing.T) {
	d := onlyDevice(t, openPlugin(t, buildPlugin(t, append(newest, "-DNO_USM", "-DNO_BINARIES", "-DPI_NULL=30")...), Options{}))
	_, err := d.Alloc(driver.DeviceMemory, 16)
	if _, ok := errors.AsType[*pi.MissingError](err); !ok || !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "piMemBufferCreate") {
		t.Errorf("Alloc without piMemBufferCreate: %v", err)
	}
	if _, err := d.Alloc(driver.HostMemory, 16); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("host memory without USM: %v", err)
	}
	code := drivertest.SPIRV(drivertest.Code{Kernels: []string{"app"}})
	m := driver.Module{Name: "m", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}
	p, err := driver.Build(t.Context(), d, []driver.Module{m}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.(driver.BinaryProgram).Binary(); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "piProgramGetInfo") {
		t.Errorf("a binary without piProgramGetInfo: %v", err)
	}
}

// TestErrors: errors of calls have the call, its code and the plugin's text;
// those of builds the log.
func TestErrors(t *testing.T) {
	path := buildPlugin(t, newest...)
	c := countersOf(t, path)
	d := onlyDevice(t, openPlugin(t, path, Options{}))
	if _, err := d.open(); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[int32]string{
		-996:  "piextUSMDeviceAlloc failed with PI_ERROR_PLUGIN_SPECIFIC_ERROR (-996): usm failed on purpose",
		-5:    "piextUSMDeviceAlloc failed with PI_ERROR_OUT_OF_RESOURCES (-5)",
		-4711: "piextUSMDeviceAlloc failed with -4711",
	} {
		c.failNext(code)
		_, err := d.Alloc(driver.DeviceMemory, 16)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v; want %q", code, err, want)
		}
		if errors.Is(err, driver.ErrOutOfResources) != (code == -5) {
			t.Errorf("%d: %v is used-up resources", code, err)
		}
	}
	c.failNext(-995)
	if _, err := d.NewQueue(driver.QueueOptions{}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("PI_ERROR_UNSUPPORTED_FEATURE: %v", err)
	}
	code := drivertest.SPIRV(drivertest.Code{Kernels: []string{"app"}})
	m := driver.Module{Name: "m", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}
	_, compiled := d.Compile(t.Context(), m, driver.CompileOptions{Options: "-fail"})
	o, err := d.Compile(t.Context(), m, driver.CompileOptions{Options: "-O2 -ftarget-compile-fast"})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if options := string(c.bytes("plugin_last_options", 4)); options != "-O2\x00" {
		t.Errorf("the plugin got the options %q", options)
	}
	_, linked := d.Link(t.Context(), []driver.Object{o}, driver.LinkOptions{Options: "-fail"})
	for _, err := range []error{compiled, linked} {
		if build, ok := errors.AsType[*driver.BuildError](err); !ok || build.Log != "error: options asked for a failure" {
			t.Errorf("a failed build: %v", err)
		}
	}
	if n := c.number("device_misuses"); n != 0 {
		t.Errorf("%d misuses", n)
	}
}

// TestFaults has each call fail in the plugin in turn.
func TestFaults(t *testing.T) {
	for name, options := range map[string][]string{"addresses": newest, "buffers, added kernels": append(newest, "-DNO_USM", "-DNO_POINTERS", "-DNO_NAMES")} {
		t.Run(name, func(t *testing.T) {
			path := buildPlugin(t, options...)
			c := countersOf(t, path)
			drivertest.TestFaults(t, func(fail func(call string) error) (driver.Driver, func() int) {
				d, err := Open(Options{Libraries: []string{path}, Fail: func(call string) error {
					switch call {
					case "piDeviceGetInfo", "piEventGetInfo":
						return nil // a device lacks a property that it does not tell; states are asked again
					case "piextQueueGetNativeHandle", "piextMemGetNativeHandle":
						return nil // a handle that the driver does not tell is 0
					}
					if failed, ok := errors.AsType[*driver.CallError](fail(call)); ok {
						c.failNext(int32(failed.Code))
					}
					return nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				return d, func() int { return c.number("device_live") + c.number("device_misuses") }
			})
		})
	}
}

// TestUnfinishedQueue: a queue that nobody finishes keeps the memory of commands
// that may run, and no more.
func TestUnfinishedQueue(t *testing.T) {
	d := onlyDevice(t, openPlugin(t, buildPlugin(t, newest...), Options{}))
	q, err1 := d.NewQueue(driver.QueueOptions{})
	m, err2 := d.Alloc(driver.DeviceMemory, 16)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for range 10000 {
		if err := q.Write(m, 0, make([]byte, 16), driver.Sync{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := q.(*queue).Host.Held(); n > 200 {
		t.Errorf("the queue keeps the memory of %d writes", n)
	}
	gate, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if err := q.Write(m, 0, make([]byte, 16), driver.Sync{After: []driver.Event{gate}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := q.(*queue).Host.Held(); n < 1000 {
		t.Errorf("the memory of %d of 1000 writes that wait is kept", n)
	}
	gate.Complete(nil)
	if err := errors.Join(q.Finish(), gate.Close()); err != nil {
		t.Error(err)
	}
	if n := q.(*queue).Host.Held(); n != 0 {
		t.Errorf("the memory of %d writes is kept after Finish", n)
	}
	if err := errors.Join(m.Close(), q.Close()); err != nil {
		t.Error(err)
	}
}

// TestNativeHandles: handles are those of the native interface, and a queue
// comes back from its own.
func TestNativeHandles(t *testing.T) {
	for name, options := range map[string][]string{"new": newest, "old": tableOptions("12_27", "12.27.1", "20", "-DOLD_BUFFER_ARGS", "-DOLD_QUEUE_IMPORTS")} {
		t.Run(name, func(t *testing.T) {
			path := buildPlugin(t, options...)
			d := onlyDevice(t, openPlugin(t, path, Options{}))
			if d.Handle()&1 != 1 {
				t.Errorf("the device's handle is %#x, which is not a native one", d.Handle())
			}
			q, err := d.NewQueue(driver.QueueOptions{})
			if err != nil {
				t.Fatal(err)
			}
			native := q.(driver.NativeHandle).Handle()
			other, err := d.ImportQueue(native)
			if err != nil || native&1 != 1 {
				t.Fatalf("the queue of %#x: %v", native, err)
			}
			var event driver.Event
			if err := other.Barrier(driver.Sync{Done: &event}); err != nil {
				t.Fatal(err)
			}
			if h := event.(driver.NativeHandle).Handle(); h&1 != 1 {
				t.Errorf("the event's handle is %#x", h)
			}
			if err := errors.Join(event.Close(), other.Finish(), other.Close(), q.Close()); err != nil {
				t.Error(err)
			}
			c := countersOf(t, path)
			if n := c.number("device_misuses"); n != 0 {
				t.Errorf("%d misuses", n)
			}
		})
	}
}

func TestBackendName(t *testing.T) {
	for path, want := range map[string]string{
		"/x/libpi_opencl.so": "opencl", "libpi_level_zero.so": "level_zero", "libother.so.1": "other", "pi_cuda.dll": "cuda", "a:b,c.so": "a_b_c",
	} {
		if got := BackendName(path); got != want {
			t.Errorf("%s: %s; want %s", path, got, want)
		}
	}
}
