package pi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// Plugin is an open plugin. It is safe for concurrent use.
type Plugin struct {
	library *dl.Library
	version string // "15.47.1"
	table   int    // index of tableVersions
	address [functions]uintptr
	hooks   Hooks
}

// Hooks see each call; each may be nil.
type Hooks struct {
	// Enter is called before each call is made.
	Enter func(name string)
	// Before is called before each call that can fail. An error of it becomes the
	// call's result, and the call is not made.
	Before func(name string) error
	// After is called after each call, with its result.
	After func(name string, args []uintptr, code int)
}

// InitFunction is the function that makes a library a plugin.
const InitFunction = "piPluginInit"

// ErrPointerSize is the error of Open on systems with 32-bit pointers.
var ErrPointerSize = errors.New("plugins need a system with 64-bit pointers")

// NotPluginError says that a library is not a plugin.
type NotPluginError struct {
	Path string
	// Unified is the part of Unified Runtime that the library is, "loader" or
	// "adapter"; "" if it is none.
	Unified string
	Err     error // the loader's words
}

func (e *NotPluginError) Error() string {
	if e.Unified != "" {
		return fmt.Sprintf("%s is the %s of Unified Runtime, of DPC++ 2025 or newer, which offlink does not call: name its plugins of 2021.4 to 2024.2 (libpi_*.so), "+
			"or leave it out, as the drivers of OpenCL, Level Zero and CUDA are found without it", e.Path, e.Unified)
	}
	return e.Path + " is not a plugin: " + e.Err.Error()
}

// Unwrap returns the loader's words.
func (e *NotPluginError) Unwrap() error { return e.Err }

// VersionError says that the table of a plugin's version is not known, or that
// the plugin takes none of the known versions.
type VersionError struct {
	Path    string
	Version string // of the plugin; "" if it took none of ours
}

func (e *VersionError) Error() string {
	known := strings.Join(tableVersions[:], ", ")
	if e.Version == "" {
		return fmt.Sprintf("%s: piPluginInit takes none of the versions %s of the plugin interface", e.Path, known)
	}
	return fmt.Sprintf("%s is a plugin of version %q of the plugin interface; the tables of %s are known", e.Path, e.Version, known)
}

// TableError says that a plugin's table cannot be used.
type TableError struct {
	Path, Version, Problem string
}

func (e *TableError) Error() string {
	return fmt.Sprintf("%s: the table of the plugin (version %s) %s", e.Path, e.Version, e.Problem)
}

// Open opens the first of the libraries that can be opened and checks that it
// is a plugin, its version and its table. Errors are *dl.OpenError,
// *NotPluginError, *VersionError, *TableError, and CallErrors of piPluginInit.
// The caller closes the plugin.
func Open(names []string, hooks Hooks) (*Plugin, error) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		return nil, ErrPointerSize
	}
	library, err := dl.Open(names...)
	if err != nil {
		return nil, err
	}
	p := &Plugin{library: library, hooks: hooks}
	err = p.initialize()
	if _, ok := errors.AsType[*NotPluginError](err); ok {
		// The library stays loaded: its constructors may have started threads, which
		// nothing ends.
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, library.Close())
	}
	return p, nil
}

// initialize agrees on a version with piPluginInit and reads the table. Old plugins
// compare versions as text, each by its own rule, and refuse those that are "below"
// theirs. So all known versions are offered, the newest first; a plugin that refuses
// one leaves the struct as it was.
func (p *Plugin) initialize() error {
	init, err := p.library.Symbol(InitFunction)
	if err != nil {
		return &NotPluginError{p.library.Path, p.unifiedPart(), err}
	}
	for _, version := range slices.Backward(tableVersions[:]) {
		record := newRecord(version)
		code := int(int32(dl.Call(init, uintptr(unsafe.Pointer(record)))))
		switch code {
		case 0:
			return p.readRecord(record)
		case InvalidOperation:
			continue
		}
		return &driver.CallError{Call: InitFunction, Code: code, Name: CodeName(code)}
	}
	return &VersionError{Path: p.library.Path}
}

// unifiedPart returns the part of Unified Runtime that the library is, by its entry points
// (ur_api.h, ur_ddi.h), or "".
func (p *Plugin) unifiedPart() string {
	for _, part := range []struct{ symbol, name string }{{"urLoaderInit", "loader"}, {"urGetPlatformProcAddrTable", "adapter"}} {
		if _, err := p.library.Symbol(part.symbol); err == nil {
			return part.name
		}
	}
	return ""
}

// readRecord takes the version and the functions of the record that
// piPluginInit filled.
func (p *Plugin) readRecord(r *record) error {
	version, layout, ok := r.version()
	if !ok {
		return &VersionError{p.library.Path, printable(r[:60])}
	}
	p.version = version
	if p.table = slices.Index(tableVersions[:], majorMinor(version)); p.table < 0 {
		return &VersionError{p.library.Path, version}
	}
	if layoutOf(p.table) != layout {
		return &TableError{p.library.Path, version, "is not where this version has it"}
	}
	for f := range functions {
		if slot := slots[f][p.table]; slot >= 0 {
			p.address[f] = r.pointer(layout.table + 8*int(slot))
		}
	}
	return p.checkTable()
}

// required are the functions without which nothing works.
var required = []Function{
	PlatformsGet, PlatformGetInfo, DevicesGet, DeviceGetInfo, ContextCreate, ContextRelease, QueueFinish, QueueRelease,
	ProgramGetBuildInfo, ProgramRelease, KernelCreate, KernelSetArg, KernelRelease,
	EnqueueKernelLaunch, EnqueueEventsWait, EventsWait, EventGetInfo, EventRelease,
}

// requiredForSPIRV are those that a plugin with piProgramCreate needs too. One without it
// runs native code alone.
var requiredForSPIRV = []Function{ProgramCompile, ProgramLink}

// checkTable checks that every entry points into a loaded library, so that a table with
// another layout is refused before it is called, and that the required entries are
// there.
func (p *Plugin) checkTable() error {
	var missing []string
	for f := range functions {
		if address := p.address[f]; address != 0 && dl.FileOf(address) == "" {
			return &TableError{p.library.Path, p.version, fmt.Sprintf("has %#x for %v, which is not code of a library", address, f)}
		}
	}
	list := required
	if p.Has(ProgramCreate) {
		list = slices.Concat(required, requiredForSPIRV)
	}
	for _, f := range list {
		if p.address[f] == 0 {
			missing = append(missing, f.String())
		}
	}
	if len(missing) > 0 {
		return &TableError{p.library.Path, p.version, "lacks " + strings.Join(missing, ", ")}
	}
	return nil
}

// Path is the plugin's file.
func (p *Plugin) Path() string { return p.library.File(InitFunction) }

// Version is the plugin's version: that of the interface, and its own number.
func (p *Plugin) Version() string { return p.version }

// Attempts are the paths that were tried.
func (p *Plugin) Attempts() []dl.Attempt { return p.library.Attempts }

// Has reports whether the plugin has the function.
func (p *Plugin) Has(f Function) bool { return p.address[f] != 0 }

// Without removes functions, for tests of a plugin that has less.
func (p *Plugin) Without(list ...Function) {
	for _, f := range list {
		p.address[f] = 0
	}
}

// since reports whether the plugin is of that version of the interface or newer.
func (p *Plugin) since(major, minor int) bool {
	var m, n int
	_, _ = fmt.Sscanf(tableVersions[p.table], "%d.%d", &m, &n)
	return m > major || m == major && n >= minor
}

// TearDown tells the plugin that no further calls follow. It may be called once, before
// Unload. Plugins that wrap Unified Runtime store a flag through the parameter, and
// crash if it is null; others ignore it.
func (p *Plugin) TearDown() error {
	if !p.Has(TearDown) {
		return nil
	}
	flag := new(uint64)
	return p.release(TearDown, uintptr(unsafe.Pointer(flag)))
}

// Unload unloads the library.
func (p *Plugin) Unload() error { return p.library.Close() }
