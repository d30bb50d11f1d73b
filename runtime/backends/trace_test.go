package backends

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"offlink/runtime"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/selector"
)

// TestTrace: the lines of a runtime on the embedded device, with each variable.
func TestTrace(t *testing.T) {
	for variable, want := range map[string][]string{
		"SYCL_PI_TRACE=1": {
			"SYCL_PI_TRACE[basic]: Plugin found and successfully loaded: host [ PluginVersion: - ]",
			"SYCL_PI_TRACE[all]: Requested device: *:*", "SYCL_PI_TRACE[all]: Selected device: host:0",
			"SYCL_PI_TRACE[all]:   platform: ", "SYCL_PI_TRACE[all]:   device: offlink embedded device",
		},
		"SYCL_PI_TRACE=2": {"---> host: NewQueue"},
		"SYCL_UR_TRACE=1": {
			"SYCL_UR_TRACE: Requested device: *:*",
			"<LOADER>[INFO]: loaded adapter host (-) from host",
			"SYCL_UR_TRACE: Selected device: host:0", "SYCL_UR_TRACE:   device: offlink embedded device",
		},
		"SYCL_UR_TRACE=-1": {"SYCL_UR_TRACE: Candidate device: host:0", "   ---> host: NewQueue"},
	} {
		var out bytes.Buffer
		getenv := environment(hostOnly, variable)
		rt := runtime.NewLazily(Lazy(Options{Getenv: getenv, Trace: &out}), runtime.Options{Getenv: getenv, Choices: &out})
		device, err := rt.Device("")
		if err != nil {
			t.Fatal(err)
		}
		q, err := device.NewQueue(driver.QueueOptions{})
		if err := errors.Join(err, q.Close(), rt.Shutdown()); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains("\n"+out.String(), "\n"+line) {
				t.Errorf("%s: the trace lacks %q:\n%s", variable, line, &out)
			}
		}
	}
}

// The shapes of the lines of libsycl 2025.3.3 and 2026.2.0, with the addresses and
// arguments left open.
var unifiedShapes = regexp.MustCompile(`^(` + strings.Join([]string{
	`<LOADER>\[INFO\]: loaded adapter \S+ \(.*\) from .+`,
	`<LOADER>\[INFO\]: failed to load adapter '[^']+' with error: .+`,
	`   ---> [A-Za-z]+`,
	`   <--- [A-Za-z]+\(.*\) -> [A-Z_]+;`,
}, "|") + `)$`)

// TestUnifiedShapes: back ends that are found, missing or called print lines of the
// shapes that Unified Runtime's have.
func TestUnifiedShapes(t *testing.T) {
	var out bytes.Buffer
	tr := &tracer{selector.Trace{Basic: true, Calls: true, Unified: true}, &out}
	found := &Found{Name: "opencl", Path: "/lib/libOpenCL.so.1"}
	tr.tellFound(found)
	missing := &Found{Name: "cuda"}
	_, err := dl.Open("/nowhere/libcuda.so.1")
	missing.recordFailure(tr, err)
	broken := &Found{Name: "level_zero"}
	broken.recordFailure(tr, errors.New("zeInit failed"))
	enter, after := tr.nativeCalls(func(int) string { return "CL_SUCCESS" })
	enter("clFinish")
	after("clFinish", []uintptr{1, 0x20}, 0)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines {
		if !unifiedShapes.MatchString(line) {
			t.Errorf("%q has none of the shapes", line)
		}
	}
	want := `   ---> clFinish
   <--- clFinish(0x1, 0x20) -> CL_SUCCESS;
`
	if !strings.HasSuffix(out.String(), want) || len(lines) != 5 {
		t.Errorf("the trace is\n%s", &out)
	}
}
