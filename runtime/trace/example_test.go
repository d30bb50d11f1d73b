package trace_test

import (
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"offlink/runtime/trace"
)

// A recorder writes the JSON that Perfetto and chrome://tracing read.
func Example() {
	var out strings.Builder
	now := time.Duration(0)
	clock := func() time.Duration { now += time.Millisecond; return now }
	recorder := trace.New(&out, 7, "app", clock)

	build := recorder.Start("build", "program")
	link := build.Start("link", "app and libhelpers.so")
	link.End(nil)
	build.End(errors.New("no image provides twice"))
	if err := recorder.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(out.String(), `"link"`) > 0, strings.Contains(out.String(), "no image provides twice"))
	// Output: true true
}
