package runtime

import (
	"io"
	"os"
	"slices"
	"strings"

	"offlink/privilege"
	"offlink/runtime/cache"
	"offlink/runtime/devicelib"
	"offlink/runtime/driver"
	"offlink/runtime/globals"
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
	// Choices takes the lines of SYCL_PI_TRACE and SYCL_UR_TRACE about devices that
	// were chosen; standard error if nil.
	Choices io.Writer
}

// compileOptions are the options for compiling an image: its own, unless the
// environment has others, then those to be added.
func (o *Options) compileOptions(img *registry.Image) string {
	return o.chooseOptions(img.CompileOptions, "SYCL_PROGRAM_COMPILE_OPTIONS", "SYCL_PROGRAM_APPEND_COMPILE_OPTIONS")
}

// compileHints are the hints of an image's miscellaneous properties and device globals. Options
// of the environment take the place of the level of optimization too.
func (o *Options) compileHints(img *registry.Image) (h driver.CompileHints) {
	level, ok := img.MiscProperty("optLevel")
	h.Unoptimized = ok && level == 0 && o.chosenOptions("SYCL_PROGRAM_COMPILE_OPTIONS") == ""
	simd, _ := img.MiscProperty("isEsimdImage")
	h.ExplicitSIMD = simd != 0
	h.GlobalAddresses = len(globals.Of(img)) > 0
	// The older property has the modes of DPC++, the newer one a number of registers.
	mode, isMode := img.MiscProperty("sycl-register-alloc-mode")
	size, isSize := img.MiscProperty("sycl-grf-size")
	switch {
	case isMode && mode == 2 || isSize && size == 256:
		h.Registers = driver.RegistersLarge
	case isMode && mode == 0 || isSize && size == 0:
		h.Registers = driver.RegistersAutomatic
	}
	return h
}

// linkOptions are the options for linking a program, those of the kernel's image.
func (o *Options) linkOptions(img *registry.Image) string {
	return o.chooseOptions(img.LinkOptions, "SYCL_PROGRAM_LINK_OPTIONS", "SYCL_PROGRAM_APPEND_LINK_OPTIONS")
}

// nativeSymbols returns a function that reports whether a device with these extensions has a
// function of the device libraries itself. SYCL_DEVICELIB_INHIBIT_NATIVE lists extensions
// that are not to be used.
func (o *Options) nativeSymbols(extensions []string) func(string) bool {
	if inhibited := strings.Fields(strings.ReplaceAll(o.getenv("SYCL_DEVICELIB_INHIBIT_NATIVE"), ",", " ")); len(inhibited) > 0 {
		extensions = slices.DeleteFunc(slices.Clone(extensions), func(e string) bool { return slices.Contains(inhibited, e) })
	}
	return func(symbol string) bool { return devicelib.Native(symbol, extensions) }
}

// deviceLibrary is the device library of the runtime, unless SYCL_DEVICELIB_NO_FALLBACK
// is set.
func (o *Options) deviceLibrary() func(string) *registry.Image {
	if o.getenv("SYCL_DEVICELIB_NO_FALLBACK") != "" {
		return nil
	}
	return devicelib.Image
}

// chosenOptions reads a variable with options of a driver's compiler, which may name files.
func (o *Options) chosenOptions(name string) string {
	if privilege.Raised() {
		return ""
	}
	return o.getenv(name)
}

func (o *Options) getenv(name string) string {
	if o.Getenv == nil {
		return os.Getenv(name)
	}
	return o.Getenv(name)
}

func (o *Options) chooseOptions(own, replace, add string) string {
	if other := o.chosenOptions(replace); other != "" {
		own = other
	}
	if more := o.chosenOptions(add); more != "" {
		if own != "" {
			own += " "
		}
		own += more
	}
	return own
}
