package selector

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dpcppBackends are the names that selectors of DPC++ may have, including those of back
// ends that offlink lacks. "host" is the embedded device.
var dpcppBackends = []string{"*", "host", "opencl", "level_zero", "cuda", "hip", "native_cpu", "esimd_emulator", "unified_runtime"}

var typeNames = []string{"*", "cpu", "gpu", "fpga"}

// ModeCheck in the place of a type chooses the checked mode of the embedded
// device, and Embedded is another name of that back end.
const (
	ModeCheck = "check"
	Embedded  = "embedded"
)

// BackendName returns the name of the back end for which a word of a selector stands.
func BackendName(said string) string {
	if said == Embedded {
		return "host"
	}
	return said
}

// maxNumber bounds the numbers of devices.
const maxNumber = 1 << 16

// parseSelector reads ONEAPI_DEVICE_SELECTOR:
//
//	terms   = term {";" term}             accepting ones first; empty ones are left out
//	term    = ["!"] backend ":" devices
//	devices = device {"," device}         at least one; empty ones are left out
//	device  = "*" | type | number ["." number ["." number]]
//
// "*" may stand for a number of a path if those after it are "*" too. host:check is an
// extension of offlink.
func (f *Filter) parseSelector(value string) error {
	for text := range strings.SplitSeq(strings.ToLower(value), ";") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		text, discards := strings.CutPrefix(text, "!")
		if !discards && len(f.discard) > 0 {
			return fmt.Errorf("the term %q follows one with %q; those that discard come last", text, "!")
		}
		term, err := f.parseTerm(text)
		if err != nil {
			return err
		}
		if discards {
			f.discard = append(f.discard, term)
		} else {
			f.accept = append(f.accept, term)
		}
	}
	if len(f.accept)+len(f.discard) == 0 {
		return errors.New("it has no term; \"*:*\" is all devices")
	}
	return nil
}

func (f *Filter) parseTerm(text string) (Term, error) {
	backend, devices, ok := strings.Cut(text, ":")
	if !ok {
		return Term{}, fmt.Errorf("the term %q has no \":\"; a term is BACKEND:DEVICES", text)
	}
	backend = BackendName(strings.TrimSpace(backend))
	if err := oneOf("back end", backend, f.backendNames()); err != nil {
		return Term{}, err
	}
	t := Term{Backend: backend}
	err := t.parseDevices(devices)
	if err == nil && len(t.Types)+len(t.Paths) == 0 {
		err = fmt.Errorf("the term %q lacks a device; \"*\" is all", text)
	}
	return t, err
}

func (t *Term) parseDevices(devices string) error {
	for device := range strings.SplitSeq(devices, ",") {
		device = strings.TrimSpace(device)
		switch {
		case slices.Contains(typeNames, device), t.Backend == "host" && device == ModeCheck:
			t.Types = append(t.Types, device)
			continue
		case device == "":
			continue
		}
		path, err := parsePath(device)
		if err != nil {
			return err
		}
		t.Paths = append(t.Paths, path)
	}
	return nil
}

// backendNames are the names that a selector may have, each once.
func (f *Filter) backendNames() []string {
	names := slices.Clone(dpcppBackends)
	for _, name := range f.backends {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func oneOf(what, word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%q is not a %s; there are %s", word, what, strings.Join(words, ", "))
}

func parsePath(text string) (Path, error) {
	parts := strings.Split(text, ".")
	if len(parts) > maxDepth {
		return nil, fmt.Errorf("%q has %d parts; a device, its sub-device and that one's are %d", text, len(parts), maxDepth)
	}
	var path Path
	for _, part := range parts {
		if part == "*" && len(parts) > 1 {
			path = append(path, Any)
			continue
		}
		n, err := parseNumber(part)
		if err != nil {
			return nil, fmt.Errorf("%q is neither a type (%s) nor a number of a device", text, strings.Join(typeNames, ", "))
		}
		if slices.Contains(path, Any) {
			return nil, fmt.Errorf("%q has a number after \"*\"; the parts of all devices are \"*\" too", text)
		}
		path = append(path, n)
	}
	return path, nil
}

var errNumber = errors.New("not a number of a device")

func parseNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxNumber || text[0] == '+' {
		return 0, errNumber
	}
	return n, nil
}

// filterTypes are the types of SYCL_DEVICE_FILTER with those of Term.
var filterTypes = map[string]string{"*": "*", "cpu": "cpu", "gpu": "gpu", "acc": "fpga", "host": "*"}

// parseDeviceFilter reads SYCL_DEVICE_FILTER: entries joined by ",", each
// backend:type:number of which any may be left out.
func (f *Filter) parseDeviceFilter(value string) error {
	for entry := range strings.SplitSeq(strings.ToLower(value), ",") {
		t, err := f.parseEntry(strings.TrimSpace(entry))
		if err != nil {
			return err
		}
		f.accept = append(f.accept, t...)
	}
	return nil
}

// parseEntry reads one entry. A number after a type counts all devices of the back end,
// not only those of the type, which the device then need not have: DPC++ counts like
// that.
func (f *Filter) parseEntry(entry string) ([]Term, error) {
	t := Term{Backend: "*"}
	parts := strings.Split(entry, ":")
	if slices.Contains(f.backendNames(), parts[0]) && parts[0] != "*" {
		t.Backend, parts = parts[0], parts[1:]
	} else if parts[0] == "*" && len(parts) > 1 {
		parts = parts[1:]
	}
	typeName := "*"
	if len(parts) > 0 && filterTypes[parts[0]] != "" {
		if parts[0] == "host" {
			t.Backend = "host"
		}
		typeName, parts = filterTypes[parts[0]], parts[1:]
	}
	if len(parts) == 0 {
		t.Types = []string{typeName}
		return []Term{t}, nil
	}
	n, err := parseNumber(parts[0])
	if err != nil || len(parts) > 1 {
		return nil, fmt.Errorf("%q is not BACKEND:TYPE:NUMBER; back ends are %s; types are cpu, gpu, acc, host, *", entry, strings.Join(f.backendNames(), ", "))
	}
	t.Paths = []Path{{n}}
	return []Term{t}, nil
}

// parseBackend reads SYCL_BE.
func (f *Filter) parseBackend(value string) error {
	names := map[string]string{"PI_OPENCL": "opencl", "PI_LEVEL_ZERO": "level_zero", "PI_CUDA": "cuda", "PI_HIP": "hip", "PI_OTHER": "host"}
	backend := names[strings.ToUpper(strings.TrimSpace(value))]
	if backend == "" {
		return errors.New("it is one of PI_OPENCL, PI_LEVEL_ZERO, PI_CUDA, PI_HIP, PI_OTHER")
	}
	f.accept = []Term{{Backend: backend, Types: []string{"*"}}}
	return nil
}

// parseType reads SYCL_DEVICE_TYPE, which narrows SYCL_BE.
func (f *Filter) parseType(value string) error {
	names := map[string]Term{
		"CPU": {"*", []string{"cpu"}, nil}, "GPU": {"*", []string{"gpu"}, nil},
		"ACC": {"*", []string{"fpga"}, nil}, "HOST": {"host", []string{"*"}, nil},
	}
	t, ok := names[strings.ToUpper(strings.TrimSpace(value))]
	if !ok {
		return errors.New("it is one of CPU, GPU, ACC, HOST")
	}
	if len(f.accept) == 0 {
		f.accept = []Term{t}
		return nil
	}
	if t.Backend != "*" {
		return fmt.Errorf("HOST is not a type of the devices that SYCL_BE chooses")
	}
	for i := range f.accept {
		f.accept[i].Types = t.Types
	}
	return nil
}
