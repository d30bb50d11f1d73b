// Package opencl is the back end of OpenCL's drivers: it opens the loader
// (libOpenCL), which knows the drivers that are installed, and runs SPIR-V, LLVM
// bitcode and native code on their devices.
//
// Drivers are not trusted. Bad modules make them exit, crash or loop, so that modules are
// verified here, and imports resolved, before a driver sees them. The signal actions that
// drivers replace are restored. Each fault of a known driver is a row in quirks.go.
//
// Memory is unified shared memory where the driver has
// cl_intel_unified_shared_memory, else shared virtual memory, else buffers.
package opencl

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/clinfo"
	"offlink/runtime/internal/dl"
)

// Options are the options of the back end; the zero value is right for
// programs.
type Options struct {
	// Libraries are the names and paths of OpenCL's loader to try; those of the
	// system if nil.
	Libraries []string
	// Translator is an installed llvm-spirv, for drivers that take LLVM bitcode and
	// no SPIR-V. Without it their devices take no SPIR-V.
	Translator string
	// Fail, if set, is called with the name of each call of OpenCL that can fail,
	// before it is made. If it returns an error, the call returns that instead: for
	// tests of callers.
	Fail func(call string) error
	// Enter, if set, is called before each call of OpenCL is made, Trace
	// after it with its result.
	Enter func(call string)
	Trace func(call string, args []uintptr, code int)

	// without are functions that drivers are taken not to have, for tests, and alter changes
	// the abilities of devices after the quirks.
	without []cl.Function
	alter   func(*abilities)
}

// Driver is the back end, opened. It is safe for concurrent use.
type Driver struct {
	api     *cl.API
	options Options
	used    atomic.Bool // a device has a context: drivers have threads from then on

	mu      sync.Mutex
	devices []driver.Device // those that were listed
	listed  bool
}

// systemLibraries are the names of OpenCL's loader.
func systemLibraries() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"OpenCL.dll"}
	case "darwin":
		return []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
	}
	return []string{"libOpenCL.so.1", "libOpenCL.so"}
}

// Open opens OpenCL's loader. The error lists the names that were tried.
func Open(o Options) (*Driver, error) {
	if o.Libraries == nil {
		o.Libraries = systemLibraries()
	}
	d := &Driver{options: o}
	var hooks *cl.Hooks
	if o.Fail != nil || o.Enter != nil || o.Trace != nil {
		hooks = &cl.Hooks{Before: o.Fail, Enter: o.Enter, After: o.Trace}
	}
	err := dl.Opening("an OpenCL driver", func() (err error) {
		d.api, err = cl.Open(o.Libraries, hooks)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Name is "opencl".
func (d *Driver) Name() string { return "opencl" }

// Path is the file of the loader that was opened.
func (d *Driver) Path() string { return d.api.File() }

// Devices lists the devices of all platforms, in the loader's order. A platform
// or device that fails is left out; the error names its platform.
func (d *Driver) Devices() ([]driver.Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.listed {
		return d.devices, nil
	}
	err := dl.Opening("an OpenCL driver", d.listDevices)
	d.listed = err == nil
	return d.devices, err
}

func (d *Driver) listDevices() error {
	platforms, err := d.api.Platforms()
	if err != nil {
		return err
	}
	d.devices = nil
	var errs []error
	for _, handle := range platforms {
		if handle == 0 {
			errs = append(errs, errors.New("the loader lists a null platform"))
			continue
		}
		p, err := d.newPlatform(handle)
		if err == nil {
			err = d.addDevices(p)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("platform %q: %w", p.name, err))
		}
	}
	return errors.Join(errs...)
}

func (d *Driver) addDevices(p *platform) error {
	list, err := p.api.Devices(p.handle)
	errs := []error{err}
	for _, handle := range list {
		device, err := d.newDevice(p, handle)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.devices = append(d.devices, device)
	}
	return errors.Join(errs...)
}

// platform is a driver below the loader.
type platform struct {
	handle        cl.Handle
	api           *cl.API // with its extensions
	name, version string
}

func (d *Driver) newPlatform(handle cl.Handle) (*platform, error) {
	p := &platform{handle: handle}
	name, named := d.api.Text(cl.GetPlatformInfo, cl.PlatformName, handle)
	version, versioned := d.api.Text(cl.GetPlatformInfo, cl.PlatformVersion, handle)
	p.name, p.version = clinfo.Printable(name), clinfo.Printable(version)
	p.api = d.api.ForPlatform(handle, parseVersion(version) >= oldestVersion).Without(d.options.without...)
	return p, errors.Join(named, versioned)
}

// Close releases the devices. The loader is unloaded if no device was used:
// a driver that runs has threads and exit handlers, whose code must stay.
func (d *Driver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, device := range d.devices {
		errs = append(errs, device.(*Device).closeDevice())
	}
	d.devices = nil
	if !d.used.Load() {
		errs = append(errs, d.api.Close())
	}
	return errors.Join(errs...)
}

// ResultName names the result of a call in traces: "CL_SUCCESS".
func ResultName(code int) string {
	if name := cl.CodeName(code); name != "" {
		return name
	}
	return strconv.Itoa(code)
}
