package backends

import (
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
