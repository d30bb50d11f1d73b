package selector

import (
	"strconv"
	"strings"
)

// Trace is the lines that SYCL_PI_TRACE and SYCL_UR_TRACE ask for.
type Trace struct {
	Basic bool // the back ends found, and the device chosen
	Calls bool // every call of a native interface, with its arguments and result
	All   bool // failures that were passed over, too
	// Unified: SYCL_UR_TRACE is set, whose lines are those of Unified Runtime.
	Unified bool
}

// TraceFromEnvironment reads the variables: a mask of 1 for Basic and 2 for
// Calls, or -1 for everything.
func TraceFromEnvironment(getenv func(string) string) (Trace, error) {
	var t Trace
	for _, name := range []string{"SYCL_PI_TRACE", "SYCL_UR_TRACE"} {
		value := strings.TrimSpace(getenv(name))
		if value == "" {
			continue
		}
		mask, err := strconv.Atoi(value)
		if err != nil {
			return Trace{}, &Error{name, value, "it is a mask: 1, 2, 3, or -1 for everything"}
		}
		t.Basic = t.Basic || mask&1 != 0
		t.Calls = t.Calls || mask&2 != 0
		t.All = t.All || mask == -1
		t.Unified = t.Unified || name == "SYCL_UR_TRACE"
	}
	return t, nil
}
