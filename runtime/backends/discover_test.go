package backends

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/selector"
)

// environment is a Getenv of NAME=VALUEs.
func environment(list ...string) func(string) string {
	return func(name string) string {
		for _, e := range list {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// hostOnly keeps the drivers of the machine and plugins out of a test,
// noDrivers the former.
const (
	hostOnly  = "ONEAPI_DEVICE_SELECTOR=host:*"
	noDrivers = "ONEAPI_DEVICE_SELECTOR=!cuda:*;!opencl:*;!level_zero:*"
)

func TestHostIsAlwaysThere(t *testing.T) {
	d, err := Discover(Options{Getenv: environment(hostOnly)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Backends {
		if opened := f.Driver != nil; opened != (f.Name == "host") {
			t.Errorf("%s: opened is %v", f.Name, opened)
		}
		if f.Name != "host" && f.Filtered != hostOnly {
			t.Errorf("%s: filtered by %q", f.Name, f.Filtered)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestBadVariablesAreErrors(t *testing.T) {
	for _, list := range [][]string{
		{"ONEAPI_DEVICE_SELECTOR=nonsense"},
		{hostOnly, "SYCL_DEVICE_FILTER=host"},
		{hostOnly, "SYCL_PI_TRACE=loud"},
	} {
		name, _, _ := strings.Cut(list[len(list)-1], "=")
		drivers := Open(Options{Getenv: environment(list...)})
		if len(drivers) != 1 {
			t.Fatalf("%v: %d drivers", list, len(drivers))
		}
		if _, err := drivers[0].Devices(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: %v; want %s named", list, err, name)
		}
	}
}

// parted is a device with two parts.
type parted struct{ driver.Device }

func (p parted) SubDevices() ([]driver.Device, error) {
	return []driver.Device{p.Device, p.Device}, nil
}

type partedDriver struct {
	*drivertest.Fake
	closed *int
}

func (d partedDriver) Name() string { return "level_zero" }

func (d partedDriver) Devices() ([]driver.Device, error) {
	list, err := d.Fake.Devices()
	return []driver.Device{parted{list[0]}, parted{list[0]}}, err
}

func (d partedDriver) Close() error { *d.closed++; return nil }

// TestChosen: devices, sub-devices, and a driver that is closed because none of
// its devices is chosen.
func TestChosen(t *testing.T) {
	for value, want := range map[string]int{
		"*:*": 2, "level_zero:1": 1, "level_zero:0.*": 2, "level_zero:*.*;!level_zero:0.1": 3, "*:gpu": 0, "level_zero:7": 0,
	} {
		filter, err := selector.FromEnvironment(environment("ONEAPI_DEVICE_SELECTOR=" + value))
		if err != nil {
			t.Fatal(err)
		}
		closed := 0
		f, d := &Found{}, &Discovery{Filter: filter}
		d.keepChosen(f, &tracer{}, partedDriver{&drivertest.Fake{}, &closed})
		if len(f.Chosen) != want || len(f.All) != 2 || (f.Driver == nil) != (want == 0) || closed != map[bool]int{true: 1}[want == 0] {
			t.Errorf("%s: %d devices chosen, driver %v, closed %d times; want %d devices", value, len(f.Chosen), f.Driver, closed, want)
		}
	}
}

// TestNumbersCountAllowed: a number is that among the devices which the allow list has.
func TestNumbersCountAllowed(t *testing.T) {
	first, second := named("first"), named("second")
	for variables, want := range map[string][]driver.Device{
		"ONEAPI_DEVICE_SELECTOR=level_zero:0 SYCL_DEVICE_ALLOWLIST=DeviceName:{{second}}": {second},
		"ONEAPI_DEVICE_SELECTOR=level_zero:1 SYCL_DEVICE_ALLOWLIST=DeviceName:{{second}}": nil,
		"ONEAPI_DEVICE_SELECTOR=level_zero:1":                                             {second},
		"SYCL_DEVICE_ALLOWLIST=DeviceName:{{first|second}}":                               {first, second},
	} {
		filter, err := selector.FromEnvironment(environment(strings.Fields(variables)...))
		if err != nil {
			t.Fatal(err)
		}
		f, d := &Found{All: []driver.Device{first, second}}, &Discovery{Filter: filter}
		if got := d.chosenOf(f, "level_zero"); !slices.Equal(got, want) {
			t.Errorf("%s chooses %v; want %v", variables, got, want)
		}
	}
}

// namedDevice has only a name.
type namedDevice struct {
	driver.Device
	name string
}

func named(name string) driver.Device { return &namedDevice{name: name} }

func (d *namedDevice) Info() driver.Info { return driver.Info{Name: d.name} }

// configured writes a configuration file, and discovers with it.
func configured(t *testing.T, text string, more ...string) *Discovery {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plugins.conf")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Discover(Options{Getenv: environment(append(more, noDrivers, "SYCL_PI_CONFIG="+file)...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func foundNamed(t *testing.T, d *Discovery, name string) *Found {
	t.Helper()
	i := slices.IndexFunc(d.Backends, func(f *Found) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("%s is not listed", name)
	}
	return d.Backends[i]
}

// TestPlugins: one that is not there, one that is not a plugin: both are told with
// every path, and the embedded device is there all the same.
func TestPlugins(t *testing.T) {
	folder := t.TempDir()
	library := filepath.Join(folder, "libother.so")
	cmd := exec.Command(testtool.Path(t, "gcc"), "-shared", "-x", "c", "-o", library, "/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d := configured(t, "# plugins\n\nlibnowhere.so  # not there\nlibother.so\n", "LD_LIBRARY_PATH="+folder+":/other")
	missing := foundNamed(t, d, "libnowhere.so")
	var tried []string
	for _, a := range missing.Attempts {
		tried = append(tried, a.Path)
		if a.Err == nil {
			t.Errorf("%s was opened", a.Path)
		}
	}
	for _, path := range []string{filepath.Join(folder, "libnowhere.so"), "/other/libnowhere.so", "libnowhere.so"} {
		if !slices.Contains(tried, path) {
			t.Errorf("%s was not tried: %v", path, tried)
		}
	}
	if other := foundNamed(t, d, "libother.so"); other.Err == nil || !strings.Contains(other.Err.Error(), "not a plugin") || !strings.Contains(other.Err.Error(), library) {
		t.Errorf("libother.so: %v", other.Err)
	}
	if foundNamed(t, d, "host").Driver == nil {
		t.Error("the embedded device is missing")
	}
}

// TestPluginNames: a selector may have the name of a plugin's back end, found or
// not.
func TestPluginNames(t *testing.T) {
	d := configured(t, "libpi_mine.so\n", "ONEAPI_DEVICE_SELECTOR=mine:*")
	for _, f := range d.Backends {
		if f.Name == "libpi_mine.so" {
			if f.Err == nil || f.Filtered != "" {
				t.Errorf("the plugin: %v, filtered by %q", f.Err, f.Filtered)
			}
		} else if f.Filtered == "" {
			t.Errorf("%s is not filtered", f.Name)
		}
	}
}

// TestPluginByName: the error about a name that is not found says that the path is to be written,
// and which if the library is beside the configuration file.
func TestPluginByName(t *testing.T) {
	folder := t.TempDir()
	config, library := filepath.Join(folder, "plugins.conf"), filepath.Join(folder, "libbeside.so")
	if err := errors.Join(os.WriteFile(config, []byte("libbeside.so\nlibnowhere.so\n"), 0o644), os.WriteFile(library, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	d, err := Discover(Options{Getenv: environment(noDrivers, "SYCL_PI_CONFIG=plugins.conf")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, want := range map[string]string{"libbeside.so": "write the path " + library + " in plugins.conf", "libnowhere.so": "write its path in plugins.conf"} {
		if f := foundNamed(t, d, name); f.Err == nil || !strings.Contains(f.Err.Error(), want) || len(f.Attempts) == 0 {
			t.Errorf("%s: %v, tried %v; want %q", name, f.Err, f.Attempts, want)
		}
	}
}

// TestPluginTwice: a library that a configuration file names twice, by its path or a link too, is
// one back end.
func TestPluginTwice(t *testing.T) {
	folder := t.TempDir()
	config, library, link := filepath.Join(folder, "plugins.conf"), filepath.Join(folder, "libpi_one.so"), filepath.Join(folder, "libpi_link.so")
	text := strings.Join([]string{library, folder + "/./libpi_one.so", "libpi_one.so", "libpi_none.so", link, "libpi_none.so"}, "\n")
	if err := errors.Join(os.WriteFile(config, []byte(text), 0o644), os.WriteFile(library, nil, 0o644), os.Symlink(library, link)); err != nil {
		t.Fatal(err)
	}
	o := &Options{Getenv: func(name string) string {
		return map[string]string{configVariable: config, "LD_LIBRARY_PATH": folder}[name]
	}}
	entries, err := o.readPlugins(config)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.name)
	}
	if want := []string{library, "libpi_none.so"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v; want %v", names, err, want)
	}
}

// buildPlugin makes a plugin of the back end opencl.
func buildPlugin(t *testing.T) (library string) {
	t.Helper()
	library = filepath.Join(t.TempDir(), "libpi_opencl.so")
	cmd := exec.Command(testtool.Path(t, "gcc"), "-shared", "-fPIC", "-I../internal/pi/include", "-DPI_TABLE=PI_TABLE_15_47",
		`-DPI_VERSION="15.47.3"`, "-DPI_TEXT=20", "-I../drivertest/testdata", "-o", library, "../piplugin/testdata/plugin.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return library
}

// TestPluginReplacesByName: a program that asks for the back end by its name alone gets the plugin
// too.
func TestPluginReplacesByName(t *testing.T) {
	defer func(before []backend) { builtin = before }(builtin)
	opened := false
	builtin = []backend{{name: "opencl", library: "libOpenCL.so.1", open: func(*Options, *tracer) (driver.Driver, error) {
		opened = true
		return nil, errors.New("opened in spite of the plugin")
	}}}
	config := filepath.Join(t.TempDir(), "plugins.conf")
	if err := os.WriteFile(config, []byte(buildPlugin(t)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"opencl", "OpenCL:*"} {
		rt := runtime.NewLazily(Lazy(Options{Getenv: environment("SYCL_PI_CONFIG=" + config)}), runtime.Options{})
		if d, err := rt.Device(name); err != nil || d.Backend != "opencl" || opened {
			t.Errorf("%s: %v, %v; the built-in back end was opened: %v", name, d, err, opened)
		}
		if err := rt.Shutdown(); err != nil {
			t.Error(err)
		}
	}
}

// TestPluginReplaces: a plugin with devices takes the place of the back end of
// its name.
func TestPluginReplaces(t *testing.T) {
	library := buildPlugin(t)
	d := configured(t, library+"\n", "ONEAPI_DEVICE_SELECTOR=opencl:*")
	var plugin, builtIn *Found
	for _, f := range d.Backends {
		switch {
		case f.Name == "opencl" && f.Path == library:
			plugin = f
		case f.Name == "opencl":
			builtIn = f
		}
	}
	if plugin == nil || len(plugin.Chosen) != 1 || plugin.Version != "PI 15.47.3" {
		t.Errorf("the plugin: %+v", plugin)
	}
	if builtIn == nil || builtIn.Driver != nil || builtIn.Filtered != "the plugin "+library {
		t.Errorf("the back end that is built in: %+v", builtIn)
	}
}

// FuzzConfig: the names of a configuration file are not empty and without NUL,
// and few.
func FuzzConfig(f *testing.F) {
	f.Add("# plugins\n\nlibnowhere.so  # not there\n/a/b.so\n")
	f.Add("a\x00b")
	f.Add(strings.Repeat("x\n", maxPlugins+1))
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parseConfig("plugins.conf", strings.NewReader(text))
		if err != nil && !strings.Contains(err.Error(), "plugins.conf") {
			t.Errorf("%v does not name the file", err)
		}
		if len(entries) > maxPlugins {
			t.Errorf("%d names", len(entries))
		}
		for _, entry := range entries {
			name := entry.name
			if name == "" || name != strings.TrimSpace(name) || strings.ContainsAny(name, "\x00#\n") {
				t.Errorf("the name %q", name)
			}
		}
	})
}

// TestOddConfigurations: a pipe that nobody writes to is not waited for, and a line without an
// end is named.
func TestOddConfigurations(t *testing.T) {
	pipe, long := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "long")
	if out, err := exec.Command(testtool.Path(t, "mkfifo"), pipe).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(long, []byte("first.so\n"+strings.Repeat("x", 1<<20)), 0o666); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{pipe: pipe + " is a pipe", long: long + ":2: a line of 65536 bytes or more"} {
		d, err := Discover(Options{Getenv: environment(hostOnly, "SYCL_PI_CONFIG="+file)})
		if err != nil {
			t.Fatal(err)
		}
		if f := foundNamed(t, d, file); f.Err == nil || !strings.Contains(f.Err.Error(), want) {
			t.Errorf("%v; want %q", f.Err, want)
		}
		d.Close()
	}
}

func TestConfiguration(t *testing.T) {
	d, err := Discover(Options{Getenv: environment(hostOnly, "SYCL_PI_CONFIG=/nowhere/plugins.conf")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if f := foundNamed(t, d, "/nowhere/plugins.conf"); !errors.Is(f.Err, os.ErrNotExist) || !strings.Contains(f.Err.Error(), "SYCL_PI_CONFIG") {
		t.Errorf("the missing file: %v", f.Err)
	}
	home := t.TempDir()
	o := Options{Getenv: environment("HOME=" + home)}
	if path, explicit := configFile(&o); path != "/etc/offlink/plugins.conf" || explicit {
		t.Errorf("configFile = %s, %v", path, explicit)
	}
	own := filepath.Join(home, ".config", "offlink", "plugins.conf")
	if err := errors.Join(os.MkdirAll(filepath.Dir(own), 0o777), os.WriteFile(own, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if path, explicit := configFile(&o); path != own || explicit {
		t.Errorf("configFile = %s, %v", path, explicit)
	}
}

func TestSelfTest(t *testing.T) {
	for _, d := range Open(Options{Getenv: environment(hostOnly)}) {
		list, err := d.Devices()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := SelfTest(t.Context(), list[0]); err != nil {
			t.Error(err)
		}
	}
	fake, _ := (&drivertest.Fake{Refuse: func(driver.Image) error { return errors.New("nothing") }}).Devices()
	_, err := SelfTest(t.Context(), fake[0])
	if _, ok := errors.AsType[*RefusedError](err); !ok {
		t.Errorf("a device that takes nothing: %v", err)
	}
	empty, _ := (&drivertest.Fake{Kernels: map[string]drivertest.FakeKernel{"selftest": {}}}).Devices()
	if _, err := SelfTest(t.Context(), empty[0]); err == nil || !strings.Contains(err.Error(), "want 1") {
		t.Errorf("a kernel that does nothing: %v", err)
	}
}

// staysLoaded reports whether the dynamic linker keeps a library after dlclose, as it
// does with one that defines unique symbols of C++: Level Zero's loader does from 1.20.
// The answer is of another process, which only opens and closes the library.
func staysLoaded(t *testing.T, library string) bool {
	t.Helper()
	const script = `import ctypes, _ctypes, sys
_ctypes.dlclose(ctypes.CDLL(sys.argv[1])._handle)
sys.exit(0 if sys.argv[1] in open("/proc/self/maps").read() else 3)`
	out, err := exec.Command(testtool.Path(t, "python3"), "-c", script, library).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 3 {
		return false
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return true
}

// TestUnchosenUnloaded: a back end that the environment excludes is not opened, and one
// that has no chosen device is unloaded; the process of this test has loaded neither.
func TestUnchosenUnloaded(t *testing.T) {
	const child = "OFFLINK_TEST_UNCHOSEN"
	if os.Getenv(child) == "" {
		for _, filter := range []string{"host:*", "opencl:fpga;host:*", "level_zero:fpga;host:*"} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestUnchosenUnloaded$")
			cmd.Env = append(os.Environ(), child+"=1", "ONEAPI_DEVICE_SELECTOR="+filter)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", filter, err, out)
			}
		}
		return
	}
	found, err := Discover(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Backends {
		if f.Name != "host" && f.Driver != nil {
			t.Errorf("%s has chosen devices", f.Name)
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	for _, library := range []string{"libOpenCL.so", "libze_loader.so", "libcuda.so"} {
		if strings.Contains(string(maps), library) && !staysLoaded(t, library+".1") {
			t.Errorf("%s is loaded", library)
		}
	}
	if err := found.Close(); err != nil {
		t.Error(err)
	}
}
