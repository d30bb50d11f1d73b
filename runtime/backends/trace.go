package backends

import (
	"fmt"
	"io"
	"strings"

	"offlink/runtime/selector"
)

// tracer prints the lines that SYCL_PI_TRACE and SYCL_UR_TRACE ask for, in the shapes
// of DPC++'s runtimes: those of 2021 to 2024 with the first variable, those of
// Unified Runtime's loader and of its tracing layer, from 2025 on, with the second.
// Each line is written whole, as several threads call drivers.
type tracer struct {
	selector.Trace
	out io.Writer
}

// tellFound prints that a back end was opened.
func (t *tracer) tellFound(f *Found) {
	switch {
	case !t.Basic:
	case t.Unified:
		fmt.Fprintf(t.out, "<LOADER>[INFO]: loaded adapter %s (%s) from %s\n", f.Name, orElse(f.Version, "-"), orElse(f.Path, f.Name))
	default:
		fmt.Fprintf(t.out, "SYCL_PI_TRACE[basic]: Plugin found and successfully loaded: %s [ PluginVersion: %s ]\n", orElse(f.Path, f.Name), orElse(f.Version, "-"))
	}
}

// tellFailure prints why a back end was not opened. In the form of Unified Runtime it prints
// each path that was tried, even at the lowest level of tracing.
func (t *tracer) tellFailure(f *Found) {
	switch {
	case t.Unified && t.Basic:
		for _, tried := range f.Attempts {
			fmt.Fprintf(t.out, "<LOADER>[INFO]: failed to load adapter '%s' with error: %v\n", tried.Path, tried.Err)
		}
		if len(f.Attempts) == 0 {
			fmt.Fprintf(t.out, "<LOADER>[INFO]: failed to load adapter '%s' with error: %v\n", f.Name, f.Err)
		}
	case t.All:
		fmt.Fprintf(t.out, "SYCL_PI_TRACE[all]: %s: %v\n", f.Name, f.Err)
	}
}

// nativeCalls are the hooks of a back end that calls a native interface, nil if
// nobody wants to see them. resultName names the results of the interface.
func (t *tracer) nativeCalls(resultName func(code int) string) (enter func(call string), after func(call string, args []uintptr, code int)) {
	switch {
	case !t.Calls:
		return nil, nil
	case t.Unified:
		return func(call string) { fmt.Fprintf(t.out, "   ---> %s\n", call) },
			func(call string, args []uintptr, code int) {
				fmt.Fprintf(t.out, "   <--- %s(%s) -> %s;\n", call, spellArguments(args), resultName(code))
			}
	}
	return nil, func(call string, args []uintptr, code int) {
		fmt.Fprintf(t.out, "---> %s(%s)\n---> %s\n", call, spellArguments(args), resultName(code))
	}
}

func spellArguments(args []uintptr) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprintf("%#x", a)
	}
	return strings.Join(words, ", ")
}

// hostCalls is the hook of the embedded device, whose calls have no arguments
// of a native interface.
func (t *tracer) hostCalls() func(call string) error {
	if !t.Calls {
		return nil
	}
	indent := ""
	if t.Unified {
		indent = "   "
	}
	return func(call string) error {
		fmt.Fprintf(t.out, "%s---> host: %s\n", indent, call)
		return nil
	}
}
