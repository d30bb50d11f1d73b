// Package selector reads the environment variables of DPC++ that choose devices:
// ONEAPI_DEVICE_SELECTOR, SYCL_DEVICE_FILTER, SYCL_BE, SYCL_DEVICE_TYPE and
// SYCL_DEVICE_ALLOWLIST. It knows the grammars and no driver.
//
// Source: the environment variables of intel/llvm, sycl/doc.
package selector

import (
	"fmt"
	"strings"
)

// Device is a device, as far as a filter looks at it.
type Device struct {
	Backend string // "host", "opencl", "cuda", "level_zero", ...
	Type    string // "cpu", "gpu", "fpga"
	// Path is the number among the devices of the back end that the allow list has,
	// then those of the parts of a sub-device.
	Path []int

	VendorID        uint32
	Name            string
	DriverVersion   string
	Platform        string
	PlatformVersion string
}

// Filter decides which devices an environment chooses. The zero value chooses all devices
// and no sub-device.
type Filter struct {
	accept, discard []Term
	allow           []allowed
	variables       []string // that were set, "NAME=VALUE"
	backends        []string // names of back ends, besides those of DPC++
}

// Term is one choice: of back ends, and of devices by type or number.
type Term struct {
	Backend string   // "*" for all
	Types   []string // "cpu", ...; "*" for all
	Paths   []Path
}

// Path is a number among devices, with those of sub-devices. Any stands for
// every number.
type Path []int

// Any is a number that fits all.
const Any = -1

// maxDepth is the most parts of a path: a device, its sub-device, and a sub-device of that.
const maxDepth = 3

// Error is a variable that cannot be read.
type Error struct {
	Variable, Value string
	Msg             string
}

func (e *Error) Error() string { return fmt.Sprintf("%s=%q: %s", e.Variable, e.Value, e.Msg) }

// ConflictError is two variables that cannot be used at once.
type ConflictError struct{ First, Second string }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s cannot be used in conjunction with %s; unset one of them", e.First, e.Second)
}

// choosing are the variables that choose devices, at most one of which may be
// set, with the functions that read them.
var choosing = []struct {
	name  string
	parse func(f *Filter, value string) error
}{
	{"ONEAPI_DEVICE_SELECTOR", (*Filter).parseSelector},
	{"SYCL_DEVICE_FILTER", (*Filter).parseDeviceFilter},
	{"SYCL_BE", (*Filter).parseBackend},
}

// FromEnvironment reads the variables. They may name the back ends of DPC++ and those
// in backends. Errors are *Error and *ConflictError.
func FromEnvironment(getenv func(string) string, backends ...string) (*Filter, error) {
	f := &Filter{backends: backends}
	chosen := ""
	for _, v := range choosing {
		value := getenv(v.name)
		if value == "" {
			continue
		}
		if chosen != "" {
			return nil, &ConflictError{chosen, v.name}
		}
		chosen = v.name
		if err := f.readVariable(v.name, value, v.parse); err != nil {
			return nil, err
		}
	}
	if value := getenv("SYCL_DEVICE_TYPE"); value != "" {
		if chosen != "" && chosen != "SYCL_BE" {
			return nil, &ConflictError{chosen, "SYCL_DEVICE_TYPE"}
		}
		if err := f.readVariable("SYCL_DEVICE_TYPE", value, (*Filter).parseType); err != nil {
			return nil, err
		}
	}
	if value := getenv("SYCL_DEVICE_ALLOWLIST"); value != "" {
		if err := f.readVariable("SYCL_DEVICE_ALLOWLIST", value, (*Filter).parseAllowList); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *Filter) readVariable(name, value string, parse func(*Filter, string) error) error {
	f.variables = append(f.variables, name+"="+value)
	if err := parse(f, value); err != nil {
		return &Error{name, value, err.Error()}
	}
	return nil
}

// Variables are the variables that are set, as NAME=VALUE.
func (f *Filter) Variables() []string { return f.variables }

// MayChoose reports whether devices of the back end can be chosen. Other back ends need
// not be opened.
func (f *Filter) MayChoose(backend string) bool {
	if len(f.accept) == 0 {
		return !discardsAll(f.discard, backend)
	}
	for _, t := range f.accept {
		if t.fitsBackend(backend) {
			return !discardsAll(f.discard, backend)
		}
	}
	return false
}

func discardsAll(discard []Term, backend string) bool {
	for _, t := range discard {
		if t.fitsBackend(backend) && contains(t.Types, "*") {
			return true
		}
	}
	return false
}

// ChoosesParts reports whether sub-devices of the device may be chosen, so that it has to
// be partitioned.
func (f *Filter) ChoosesParts(d Device) bool {
	for _, t := range f.accept {
		if !t.fitsBackend(d.Backend) {
			continue
		}
		for _, p := range t.Paths {
			if len(p) > len(d.Path) && p[:len(d.Path)].fitsPath(d.Path) {
				return true
			}
		}
	}
	return false
}

// Chooses reports whether the device is chosen.
func (f *Filter) Chooses(d Device) bool {
	accepted := len(f.accept) == 0 && len(d.Path) == 1
	for _, t := range f.accept {
		accepted = accepted || t.fitsDevice(d)
	}
	for _, t := range f.discard {
		accepted = accepted && !t.fitsDevice(d)
	}
	return accepted && f.AllowsDevice(d)
}

// ChoosesMode reports whether a mode of the device is chosen, by its name.
func (f *Filter) ChoosesMode(d Device, mode string) bool {
	for _, t := range f.accept {
		if t.fitsBackend(d.Backend) && contains(t.Types, mode) {
			return f.AllowsDevice(d)
		}
	}
	return false
}

func (t Term) fitsBackend(backend string) bool { return t.Backend == "*" || t.Backend == backend }

func (t Term) fitsDevice(d Device) bool {
	if !t.fitsBackend(d.Backend) {
		return false
	}
	if len(d.Path) == 1 && (contains(t.Types, "*") || contains(t.Types, d.Type)) {
		return true
	}
	for _, p := range t.Paths {
		if len(p) == len(d.Path) && p.fitsPath(d.Path) {
			return true
		}
	}
	return false
}

func (p Path) fitsPath(path []int) bool {
	for i, n := range p {
		if n != Any && n != path[i] {
			return false
		}
	}
	return true
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// String is the filter as ONEAPI_DEVICE_SELECTOR spells it.
func (f *Filter) String() string {
	var terms []string
	for _, t := range f.accept {
		terms = append(terms, t.String())
	}
	for _, t := range f.discard {
		terms = append(terms, "!"+t.String())
	}
	return strings.Join(terms, ";")
}

// String is the term as ONEAPI_DEVICE_SELECTOR spells it.
func (t Term) String() string {
	devices := append([]string(nil), t.Types...)
	for _, p := range t.Paths {
		devices = append(devices, p.String())
	}
	return t.Backend + ":" + strings.Join(devices, ",")
}

// String is the path, "0.1.*".
func (p Path) String() string {
	var parts []string
	for _, n := range p {
		if n == Any {
			parts = append(parts, "*")
		} else {
			parts = append(parts, fmt.Sprint(n))
		}
	}
	return strings.Join(parts, ".")
}
