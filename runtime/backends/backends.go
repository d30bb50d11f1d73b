// Package backends is the only list of back ends: those that are built in, and
// the plugins that a configuration file names. It opens them, and keeps the
// devices that the environment chooses.
package backends

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"offlink/runtime"
	"offlink/runtime/cache"
	"offlink/runtime/cuda"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
	"offlink/runtime/internal/dl"
	"offlink/runtime/levelzero"
	"offlink/runtime/opencl"
	"offlink/runtime/selector"
)

// Options configure the back ends; the zero value is right for
// programs.
type Options struct {
	// Output takes the output of kernels; standard output if nil.
	Output io.Writer
	// Getenv reads the environment; os.Getenv if nil. docs/environment.md lists
	// the variables.
	Getenv func(string) string
	// Trace takes the output of SYCL_PI_TRACE; standard error if nil.
	Trace io.Writer
	// Warn, if set, takes warnings, a line each: a plugin that the user names and that
	// cannot be used, and a driver that cannot list all of its devices.
	Warn func(string)
	// Cache, if set, keeps native code of the embedded device between runs.
	Cache *cache.Cache
	// Findings, if set, takes the findings of the embedded device in checked mode,
	// which the errors of launches have too.
	Findings io.Writer
	// Ending, if set, reports whether the exit of the process is under way: a
	// driver whose library is loaded may have ended then, and is not opened.
	Ending func() bool
	// Only, if set, is the one of Parts to open, for a process that queries a driver
	// which may crash it.
	Only string
	// SaveTemps is a folder for the C that the embedded device makes of kernels;
	// none if empty.
	SaveTemps string
}

func (o *Options) readVariable(name string) string {
	if choosesCode[name] && isPrivileged() {
		return ""
	}
	if o.Getenv == nil {
		return os.Getenv(name)
	}
	return o.Getenv(name)
}

func (o *Options) traceOutput() io.Writer {
	if o.Trace == nil {
		return os.Stderr
	}
	return o.Trace
}

// Plugins is the part of Options.Only that has all plugins. With a colon and a name of
// the configuration file after it, it is that plugin alone.
const Plugins = "plugins"

// Parts are the values of Options.Only, in the order in which they are opened: each
// plugin, then each back end that is built in.
func Parts(o Options) []string { return append(pluginParts(&o), builtinNames()...) }

func builtinNames() (names []string) {
	for _, b := range builtin {
		names = append(names, b.name)
	}
	return names
}

func (o *Options) opensPart(name string) bool { return o.Only == "" || o.Only == name }

// onlyPlugin is the one plugin that is opened; "" where there is no such limit.
func (o *Options) onlyPlugin() string {
	name, ok := strings.CutPrefix(o.Only, pluginPart(""))
	if !ok {
		return ""
	}
	return name
}

func pluginPart(name string) string { return Plugins + ":" + name }

// backend is a back end that is built in.
type backend struct {
	name string
	open func(o *Options, t *tracer) (driver.Driver, error)
	// install says what to install for it.
	install string
	// library is the one that it opens first; "" for the embedded device.
	library string
	// explain, unless it is nil, returns why the back end has no device if its own
	// calls do not say.
	explain func(o *Options) error
	// choosing are variables that its library reads itself, and by which a user chooses code
	// that runs or files that are written (privileged.go).
	choosing []string
}

// builtin are the back ends in order of preference: those of real drivers, then
// the embedded device, which is always there.
var builtin = []backend{
	{"cuda", openCUDA, "NVIDIA's driver (" + cuda.DefaultLibrary() + ")", cuda.DefaultLibrary(), nil, cudaChoosing},
	{"opencl", openOpenCL, "an OpenCL loader (ocl-icd-libopencl1) and a driver; for CPUs: pip install intel-opencl-rt intel-cmplr-lib-rt, then OCL_ICD_VENDORS=.../lib/libintelocl.so", "libOpenCL.so.1", explainOpenCL, openCLChoosing},
	{"level_zero", openLevelZero, "the loader of Level Zero (libze1) and a driver, for Intel's GPUs libze-intel-gpu1 or intel-level-zero-gpu", levelzero.DefaultLibrary(), nil, levelZeroChoosing},
	{"host", openHost, "", "", nil, nil},
}

func openCUDA(_ *Options, t *tracer) (driver.Driver, error) {
	enter, after := t.nativeCalls(cuda.ResultName)
	return cuda.New(cuda.Options{Enter: enter, Trace: after})
}

func openOpenCL(o *Options, t *tracer) (driver.Driver, error) {
	enter, after := t.nativeCalls(opencl.ResultName)
	return opencl.Open(opencl.Options{Translator: o.readVariable("OFFLINK_LLVM_SPIRV"), Enter: enter, Trace: after})
}

func explainOpenCL(o *Options) error { return opencl.VendorProblems(o.readVariable("OCL_ICD_VENDORS")) }

func openLevelZero(_ *Options, t *tracer) (driver.Driver, error) {
	enter, after := t.nativeCalls(levelzero.ResultName)
	return levelzero.New(levelzero.Options{Enter: enter, Trace: after})
}

func openHost(o *Options, t *tracer) (driver.Driver, error) {
	options := hostdev.Options{Output: o.Output, Fail: t.hostCalls(), Cache: o.Cache, SaveTemps: o.SaveTemps, Loader: NativeLoader()}
	if o.Findings != nil {
		options.Findings = func(found *hostdev.CheckError) { fmt.Fprintf(o.Findings, "offlink: %v\n", found) }
	}
	return hostdev.New(options), nil
}

// NativeLoader returns the loader for native code of the embedded device, nil on systems
// where shared libraries cannot be opened. It is here because [hostdev.Options] has none
// by default.
func NativeLoader() hostdev.Loader {
	if !dl.Supported {
		return nil
	}
	return dl.Loader{}
}

// FlushOutput writes out the text that drivers printed, as the output of kernels, and
// that is still in the buffers of C's standard streams: a program of Go ends without
// C's exit, which would do it, and the text is lost unless standard output is a terminal.
func FlushOutput() { dl.FlushStreams() }

// Open opens the back ends, in order of preference, with the devices that the
// environment chooses. Those without such a device are closed again. A variable
// that cannot be read is the error of listing the devices. The caller must
// close the drivers.
func Open(o Options) []driver.Driver {
	d, err := Discover(o)
	if err != nil {
		return []driver.Driver{refusal{"environment", err}}
	}
	return driversOf(d.Backends)
}

func driversOf(found []*Found) (list []driver.Driver) {
	for _, f := range found {
		if f.Driver != nil {
			list = append(list, f.Driver)
		}
	}
	return list
}

// Lazy is Open for a runtime that opens each back end when a device of it may be
// wanted. The environment is read once, when the first is opened.
func Lazy(o Options) []runtime.Backend {
	l := &lazyDiscovery{options: o}
	l.start = sync.OnceValue(l.readEnvironment)
	list := []runtime.Backend{{Open: l.openPlugins, Provides: l.namesPlugin}}
	for _, b := range builtin {
		list = append(list, runtime.Backend{Name: b.name, Open: func() ([]driver.Driver, error) { return l.openBuiltin(b) }, Embedded: b.library == ""})
	}
	return list
}

// OpensLibraries reports whether a search for a device that is spelled so, as
// [runtime.Runtime.Device] takes it, may open the library of a driver or of a plugin.
func OpensLibraries(o Options, spelled string) bool {
	d, _, err := startDiscovery(&o)
	if err != nil {
		return false // Lazy opens nothing either
	}
	if len(pluginNames(&o)) > 0 {
		return true
	}
	name, _, _ := strings.Cut(strings.ToLower(spelled), ":")
	name = selector.BackendName(name)
	for _, b := range builtin {
		if (name == "" || name == "*" || name == b.name) && b.library != "" && d.Filter.MayChoose(b.name) {
			return true
		}
	}
	return false
}

// lazyDiscovery is a Discovery whose back ends are opened one by one.
type lazyDiscovery struct {
	options   Options
	discovery *Discovery
	tracer    *tracer
	start     func() error // readEnvironment, once
	refused   sync.Once
}

func (l *lazyDiscovery) readEnvironment() (err error) {
	l.discovery, l.tracer, err = startDiscovery(&l.options)
	return err
}

// openFound opens back ends. If the environment cannot be read, the first call returns
// the error, and later ones return no drivers.
func (l *lazyDiscovery) openFound(open func() []*Found) (list []driver.Driver, err error) {
	if err := l.start(); err != nil {
		var first error
		l.refused.Do(func() { first = fmt.Errorf("environment: %w", err) })
		return nil, first
	}
	found := open()
	for _, f := range found {
		if warning := f.Warning(); warning != "" && l.options.Warn != nil {
			l.options.Warn(warning)
		}
	}
	return driversOf(found), reasonsOf(found)
}

// reasonsOf joins the reasons why back ends were not opened, or have no device that the
// environment chooses.
func reasonsOf(found []*Found) error {
	var reasons []error
	for _, f := range found {
		if f.Driver == nil {
			reasons = append(reasons, f.Reason())
		}
	}
	return errors.Join(reasons...)
}

func (l *lazyDiscovery) openBuiltin(b backend) ([]driver.Driver, error) {
	return l.openFound(func() []*Found { return []*Found{l.discovery.openBuiltin(&l.options, l.tracer, b)} })
}

func (l *lazyDiscovery) openPlugins() ([]driver.Driver, error) {
	return l.openFound(func() []*Found { return l.discovery.openPlugins(&l.options, l.tracer) })
}

// namesPlugin reports whether the configuration file names a plugin of that back end, which
// is opened before a built-in one whose place it takes.
func (l *lazyDiscovery) namesPlugin(name string) bool {
	return slices.ContainsFunc(pluginNames(&l.options), func(plugin string) bool { return strings.EqualFold(plugin, name) })
}

// refusal is a driver without devices, whose Devices returns an error.
type refusal struct {
	name string
	err  error
}

func (r refusal) Name() string                      { return r.name }
func (r refusal) Devices() ([]driver.Device, error) { return nil, r.err }
func (r refusal) Close() error                      { return nil }

// selected is a driver with the chosen ones of its devices.
type selected struct {
	driver.Driver
	devices []driver.Device
	err     error // of listing some
}

func (s *selected) Devices() ([]driver.Device, error) { return s.devices, s.err }
