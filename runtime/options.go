package runtime

import (
	"os"

	"offlink/runtime/cache"
	"offlink/runtime/registry"
	"offlink/runtime/trace"
)

// Options are the options of a runtime; the zero value is right for programs.
type Options struct {
	// Getenv reads the environment; os.Getenv if nil. The SYCL_ variables that
	// DPC++'s runtime documents are honored: SYCL_PROGRAM_COMPILE_OPTIONS,
	// SYCL_PROGRAM_LINK_OPTIONS and the two with APPEND.
	Getenv func(string) string
	// Warn, if set, takes warnings, a line each.
	Warn func(string)
	// Cache, if set, keeps built programs between runs. The runtime does not
	// close it.
	Cache *cache.Cache
	// Trace, if set, records each step with its time. The runtime does not
	// close it.
	Trace *trace.Recorder
}

// compile are the options for compiling an image: its own, unless the
// environment has others, then those to be added.
func (o *Options) compile(img *registry.Image) string {
	return o.chosen(img.CompileOptions, "SYCL_PROGRAM_COMPILE_OPTIONS", "SYCL_PROGRAM_APPEND_COMPILE_OPTIONS")
}

// link are the options for linking a program, those of the kernel's image.
func (o *Options) link(img *registry.Image) string {
	return o.chosen(img.LinkOptions, "SYCL_PROGRAM_LINK_OPTIONS", "SYCL_PROGRAM_APPEND_LINK_OPTIONS")
}

func (o *Options) chosen(own, replace, add string) string {
	getenv := o.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	if other := getenv(replace); other != "" {
		own = other
	}
	if more := getenv(add); more != "" {
		if own != "" {
			own += " "
		}
		own += more
	}
	return own
}
