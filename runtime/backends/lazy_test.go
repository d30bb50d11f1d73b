package backends

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/runtime"
)

// TestLazy: the environment decides when a back end is opened, and its fault is
// told once.
func TestLazy(t *testing.T) {
	rt := runtime.NewLazily(Lazy(Options{Getenv: environment(hostOnly)}), runtime.Options{})
	if d, err := rt.Device("host"); err != nil || d.String() != "host:0" {
		t.Errorf("%v, %v", d, err)
	}
	if list, err := rt.Devices(); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if err := rt.Shutdown(); err != nil {
		t.Error(err)
	}
	for _, selector := range []string{"", "host"} {
		rt = runtime.NewLazily(Lazy(Options{Getenv: environment("ONEAPI_DEVICE_SELECTOR=nonsense")}), runtime.Options{})
		if _, err := rt.Device(selector); err == nil || strings.Count(err.Error(), "ONEAPI_DEVICE_SELECTOR") != 1 {
			t.Errorf("%q: %v", selector, err)
		}
		if err := rt.Shutdown(); err != nil {
			t.Error(err)
		}
	}
}

// TestLazyFailures: a plugin that cannot be opened is a warning where another back end has
// the device, and a reason where none has one; so is the variable that excludes a back end
// which is asked for.
func TestLazyFailures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plugins.conf")
	if err := os.WriteFile(file, []byte("/nowhere/libfirst.so\n/nowhere/libsecond.so\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var warnings []string
	o := Options{Getenv: environment(hostOnly, "SYCL_PI_CONFIG="+file), Warn: func(line string) { warnings = append(warnings, line) }}
	check := func(selector string, wantWarnings int, want ...string) {
		t.Helper()
		warnings = nil
		rt := runtime.NewLazily(Lazy(o), runtime.Options{})
		_, err := rt.Device(selector)
		if len(warnings) != wantWarnings || (err != nil) != (want != nil) {
			t.Errorf("%q: warnings %q, error %v", selector, warnings, err)
		}
		for _, part := range want {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v; want %q", selector, err, part)
			}
		}
		if err := rt.Shutdown(); err != nil {
			t.Error(err)
		}
	}
	check("", 0) // the variable excludes plugins
	check("cuda", 0, "cuda: excluded by "+hostOnly)
	o.Getenv = environment(noDrivers, "SYCL_PI_CONFIG="+file)
	check("host", 0)
	check("", 2)
	if len(warnings) == 0 || !strings.HasPrefix(warnings[0], "plugin /nowhere/libfirst.so: "+file+":1: /nowhere/libfirst.so: ") {
		t.Errorf("%q", warnings)
	}
	check("first:0", 2, "\n  /nowhere/libfirst.so: ", "\n  /nowhere/libsecond.so: ")
	o.Warn = nil
	check("", 0)
	o.Getenv = environment(noDrivers, "SYCL_PI_CONFIG=/nowhere/plugins.conf")
	o.Warn = func(line string) { warnings = append(warnings, line) }
	check("*:cpu", 1)
	check("*:gpu", 1, "\n  SYCL_PI_CONFIG: ")
}

// TestBuiltinNames: a row of the table can be selected under its name, whether DPC++ has
// the name or not.
func TestBuiltinNames(t *testing.T) {
	defer func(before []backend) { builtin = before }(builtin)
	builtin = append(slices.Clone(builtin), backend{name: "mydriver"})
	for _, name := range builtinNames() {
		if err := CheckEnvironment(Options{Getenv: environment("ONEAPI_DEVICE_SELECTOR=" + name + ":*")}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := CheckEnvironment(Options{Getenv: environment("ONEAPI_DEVICE_SELECTOR=other:*")})
	if err == nil || strings.Count(err.Error(), "opencl") != 1 || !strings.Contains(err.Error(), "mydriver") {
		t.Errorf("other: %v", err)
	}
}
