package selector

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// machine is the devices that the tests choose from.
var machine = []Device{
	{Backend: "level_zero", Type: "gpu", Path: []int{0}, VendorID: 0x8086, Name: "Arc", Platform: "Level-Zero"},
	{Backend: "level_zero", Type: "gpu", Path: []int{0, 0}, VendorID: 0x8086, Name: "Arc", Platform: "Level-Zero"},
	{Backend: "level_zero", Type: "gpu", Path: []int{0, 1}, VendorID: 0x8086, Name: "Arc", Platform: "Level-Zero"},
	{Backend: "level_zero", Type: "gpu", Path: []int{0, 1, 0}, VendorID: 0x8086, Name: "Arc", Platform: "Level-Zero"},
	{Backend: "opencl", Type: "cpu", Path: []int{0}, VendorID: 0x8086, Name: "Xeon", Platform: "Intel(R) OpenCL", DriverVersion: "2026.22"},
	{Backend: "opencl", Type: "gpu", Path: []int{1}, VendorID: 0x1002, Name: "Radeon", Platform: "AMD"},
	{Backend: "opencl", Type: "fpga", Path: []int{2}, VendorID: 0x1172, Name: "FPGA"},
	{Backend: "host", Type: "cpu", Path: []int{0}, Name: "offlink embedded device"},
}

func chosen(f *Filter) string {
	var list []string
	for _, d := range machine {
		if f.Chooses(d) {
			list = append(list, d.Backend+":"+Path(d.Path).String())
		}
	}
	return strings.Join(list, " ")
}

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

func TestFilter(t *testing.T) {
	const all = "level_zero:0 opencl:0 opencl:1 opencl:2 host:0"
	for _, c := range []struct{ variables, want string }{
		{"", all},
		{"ONEAPI_DEVICE_SELECTOR=*:*", all},
		{"ONEAPI_DEVICE_SELECTOR=opencl:*", "opencl:0 opencl:1 opencl:2"},
		{"ONEAPI_DEVICE_SELECTOR=OpenCL:GPU,fpga", "opencl:1 opencl:2"},
		{"ONEAPI_DEVICE_SELECTOR=opencl:0;level_zero:gpu", "level_zero:0 opencl:0"},
		{"ONEAPI_DEVICE_SELECTOR=*:gpu", "level_zero:0 opencl:1"},
		{"ONEAPI_DEVICE_SELECTOR=!opencl:gpu", "level_zero:0 opencl:0 opencl:2 host:0"},
		{"ONEAPI_DEVICE_SELECTOR=opencl:*;!opencl:0,fpga", "opencl:1"},
		{"ONEAPI_DEVICE_SELECTOR=level_zero:0.1", "level_zero:0.1"},
		{"ONEAPI_DEVICE_SELECTOR=level_zero:0.*", "level_zero:0.0 level_zero:0.1"},
		{"ONEAPI_DEVICE_SELECTOR=level_zero:*.*;!level_zero:0.0", "level_zero:0.1"},
		{"ONEAPI_DEVICE_SELECTOR=level_zero:0.1.*", "level_zero:0.1.0"},
		{"ONEAPI_DEVICE_SELECTOR=level_zero:0.*.*", "level_zero:0.1.0"},
		{"ONEAPI_DEVICE_SELECTOR=host:*", "host:0"},
		{"ONEAPI_DEVICE_SELECTOR=;opencl:cpu,;;!cuda:*;", "opencl:0"},
		{"ONEAPI_DEVICE_SELECTOR=mine:*;opencl:cpu", "opencl:0"},
		{"ONEAPI_DEVICE_SELECTOR=cuda:*", ""},
		{"SYCL_DEVICE_FILTER=opencl", "opencl:0 opencl:1 opencl:2"},
		{"SYCL_DEVICE_FILTER=opencl:gpu", "opencl:1"},
		{"SYCL_DEVICE_FILTER=gpu", "level_zero:0 opencl:1"},
		{"SYCL_DEVICE_FILTER=0", "level_zero:0 opencl:0 host:0"},
		{"SYCL_DEVICE_FILTER=*:acc,host", "opencl:2 host:0"},
		{"SYCL_DEVICE_FILTER=opencl:cpu:0,level_zero:0", "level_zero:0 opencl:0"},
		{"SYCL_BE=PI_OPENCL", "opencl:0 opencl:1 opencl:2"},
		{"SYCL_BE=PI_OPENCL SYCL_DEVICE_TYPE=CPU", "opencl:0"},
		{"SYCL_DEVICE_TYPE=HOST", "host:0"},
		{"SYCL_DEVICE_ALLOWLIST=BackendName:opencl,DeviceVendorId:0x8086", "opencl:0"},
		{"SYCL_DEVICE_ALLOWLIST=DeviceName:{{Xe.*}}|DeviceType:acc", "opencl:0 opencl:2"},
		{"SYCL_DEVICE_ALLOWLIST=DeviceType:host", "host:0"},
		{"SYCL_DEVICE_ALLOWLIST=BackendName:mine|DeviceType:host|", "host:0"},
		{"SYCL_DEVICE_ALLOWLIST=BackendName:opencl,", "opencl:0 opencl:1 opencl:2"},
		{"SYCL_DEVICE_ALLOWLIST=DriverVersion:{{2026\\.22}},PlatformName:{{Intel.*}}", "opencl:0"},
		{"ONEAPI_DEVICE_SELECTOR=*:gpu SYCL_DEVICE_ALLOWLIST=BackendName:opencl", "opencl:1"},
	} {
		f, err := FromEnvironment(environment(strings.Fields(c.variables)...), "mine")
		if err != nil {
			t.Errorf("%s: %v", c.variables, err)
			continue
		}
		if got := chosen(f); got != c.want {
			t.Errorf("%s chooses %q; want %q", c.variables, got, c.want)
		}
		for _, d := range machine {
			if f.Chooses(d) && !f.MayChoose(d.Backend) {
				t.Errorf("%s: MayChoose(%s) is false", c.variables, d.Backend)
			}
			if len(d.Path) > 1 && f.Chooses(d) && !f.ChoosesParts(machine[0]) {
				t.Errorf("%s: ChoosesParts is false", c.variables)
			}
		}
	}
}

func TestMayChoose(t *testing.T) {
	for variables, want := range map[string]bool{
		"ONEAPI_DEVICE_SELECTOR=host:*":            false,
		"ONEAPI_DEVICE_SELECTOR=!opencl:*":         false,
		"ONEAPI_DEVICE_SELECTOR=*:gpu;!opencl:cpu": true,
		"SYCL_BE=PI_CUDA":                          false,
	} {
		f, err := FromEnvironment(environment(variables))
		if err != nil || f.MayChoose("opencl") != want {
			t.Errorf("%s: MayChoose(opencl) = %v, %v; want %v", variables, !want, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for variables, want := range map[string]string{
		"ONEAPI_DEVICE_SELECTOR=opencl":                                   `no ":"`,
		"ONEAPI_DEVICE_SELECTOR=opencl:":                                  "lacks a device",
		"ONEAPI_DEVICE_SELECTOR=vulkan:*":                                 `"vulkan" is not a back end`,
		"ONEAPI_DEVICE_SELECTOR=opencl:tpu":                               `"tpu" is neither`,
		"ONEAPI_DEVICE_SELECTOR=opencl:0.1.2.3":                           "4 parts",
		"ONEAPI_DEVICE_SELECTOR=opencl:-1":                                "neither",
		"ONEAPI_DEVICE_SELECTOR=opencl:*.0":                               "after",
		"ONEAPI_DEVICE_SELECTOR=opencl:,":                                 "lacks a device",
		"ONEAPI_DEVICE_SELECTOR=;":                                        "no term",
		"ONEAPI_DEVICE_SELECTOR=mine:*":                                   `"mine" is not a back end`,
		"SYCL_DEVICE_ALLOWLIST=DeviceVendorId:8086":                       "hexadecimal",
		"SYCL_DEVICE_ALLOWLIST=BackendName:opencl,,":                      "KEY:VALUE",
		"SYCL_DEVICE_ALLOWLIST=BackendName:opencl,BackendName:level_zero": "twice",
		"ONEAPI_DEVICE_SELECTOR=!opencl:*;cuda:*":                         "come last",
		"SYCL_DEVICE_FILTER=opencl:gpu:0:1":                               "BACKEND:TYPE:NUMBER",
		"SYCL_DEVICE_FILTER=nonsense":                                     "BACKEND:TYPE:NUMBER",
		"SYCL_BE=OPENCL":                                                  "PI_OPENCL",
		"SYCL_DEVICE_TYPE=TPU":                                            "CPU, GPU",
		"SYCL_DEVICE_ALLOWLIST=DeviceName:Xeon":                           "{{REGULAR EXPRESSION}}",
		"SYCL_DEVICE_ALLOWLIST=DeviceName:{{(}}":                          "error parsing",
		"SYCL_DEVICE_ALLOWLIST=DeviceName:{{a}}b":                         "was expected",
		"SYCL_DEVICE_ALLOWLIST=Color:red":                                 "not a key",
		"SYCL_DEVICE_ALLOWLIST=DeviceVendorId:abc":                        "number",
	} {
		name, _, _ := strings.Cut(variables, "=")
		_, err := FromEnvironment(environment(variables))
		if e, ok := errors.AsType[*Error](err); !ok || e.Variable != name || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", variables, err, want)
		}
	}
	for _, pair := range [][]string{
		{"ONEAPI_DEVICE_SELECTOR=*:*", "SYCL_DEVICE_FILTER=gpu"},
		{"SYCL_DEVICE_FILTER=gpu", "SYCL_BE=PI_CUDA"},
		{"ONEAPI_DEVICE_SELECTOR=*:*", "SYCL_DEVICE_TYPE=GPU"},
	} {
		_, err := FromEnvironment(environment(pair...))
		if _, ok := errors.AsType[*ConflictError](err); !ok || !strings.Contains(err.Error(), "in conjunction with") {
			t.Errorf("%v: %v; want a conflict", pair, err)
		}
	}
}

func TestTrace(t *testing.T) {
	for variables, want := range map[string]Trace{
		"":                                {},
		"SYCL_PI_TRACE=1":                 {Basic: true},
		"SYCL_PI_TRACE=2":                 {Calls: true},
		"SYCL_UR_TRACE=-1":                {Basic: true, Calls: true, All: true, Unified: true},
		"SYCL_PI_TRACE=1 SYCL_UR_TRACE=2": {Basic: true, Calls: true, Unified: true},
	} {
		if got, err := TraceFromEnvironment(environment(strings.Fields(variables)...)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", variables, got, err)
		}
	}
	if _, err := TraceFromEnvironment(environment("SYCL_PI_TRACE=yes")); err == nil {
		t.Error("a trace of yes was taken")
	}
}

// FuzzSelector: a selector that is read is spelled so that it reads the same.
func FuzzSelector(f *testing.F) {
	for _, seed := range []string{"*:*", "opencl:gpu,0.1;!cuda:*", "level_zero:0.*.2", "!host:cpu"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		first, err := FromEnvironment(environment("ONEAPI_DEVICE_SELECTOR=" + value))
		if err != nil || value == "" {
			return
		}
		again, err := FromEnvironment(environment("ONEAPI_DEVICE_SELECTOR=" + first.String()))
		if err != nil || again.String() != first.String() || chosen(again) != chosen(first) {
			t.Errorf("%q is spelled %q, which reads as %v, %v", value, first, again, err)
		}
	})
}

// FuzzVariables: the other grammars give an error or a filter.
func FuzzVariables(f *testing.F) {
	f.Add("SYCL_DEVICE_FILTER", "opencl:gpu:0,host")
	f.Add("SYCL_DEVICE_ALLOWLIST", "DeviceName:{{a|b}},BackendName:opencl|DeviceType:gpu")
	f.Add("SYCL_BE", "PI_OPENCL")
	f.Fuzz(func(t *testing.T, name, value string) {
		if !slices.Contains([]string{"SYCL_DEVICE_FILTER", "SYCL_DEVICE_ALLOWLIST", "SYCL_BE", "SYCL_DEVICE_TYPE"}, name) {
			return
		}
		filter, err := FromEnvironment(environment(name + "=" + value))
		if (filter == nil) == (err == nil) {
			t.Errorf("%s=%q: %v, %v", name, value, filter, err)
		}
		if filter != nil {
			chosen(filter)
		}
	})
}
