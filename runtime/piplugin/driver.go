package piplugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/pi"
)

// Options are the options of a plugin.
type Options struct {
	// Libraries are the names and paths to try for the library.
	Libraries []string
	// Fail, if set, is called with the name of each call that can fail, before it is
	// made. If it returns an error, the call returns that instead: for tests of
	// callers.
	Fail func(call string) error
	// Enter, if set, is called before each call is made, Trace after it with
	// its result.
	Enter func(call string)
	Trace func(call string, args []uintptr, code int)

	// without are functions that the plugin is taken not to have, for tests.
	without []pi.Function
}

// Driver is an open plugin. It is safe for concurrent use.
type Driver struct {
	plugin *pi.Plugin
	path   string
	used   atomic.Bool // a device has a context: drivers have threads from then on

	mu      sync.Mutex
	devices []driver.Device
	listed  bool
	closed  bool
}

// Open opens the first of the libraries that can be opened. The error lists
// the names that were tried, or says why the library cannot be used. The
// caller closes the driver.
func Open(o Options) (*Driver, error) {
	d := &Driver{}
	err := dl.Opening(culprit(o.Libraries), func() (err error) {
		d.plugin, err = pi.Open(o.Libraries, pi.Hooks{Before: o.Fail, Enter: o.Enter, After: o.Trace})
		return err
	})
	if err != nil {
		return nil, err
	}
	d.plugin.Without(o.without...)
	d.path = d.plugin.Path()
	return d, nil
}

// culprit names the library in the message about one that ends the process: the first file
// that exists, or the name that the loader looks for.
func culprit(libraries []string) string {
	for _, path := range libraries {
		if _, err := os.Stat(path); err == nil {
			return "the plugin " + path
		}
	}
	return "the plugin " + strings.Join(libraries[max(len(libraries)-1, 0):], "")
}

func (d *Driver) culprit() string { return "the plugin " + d.path }

// Name is the BackendName of the library.
func (d *Driver) Name() string { return BackendName(d.path) }

// BackendName is the name of a plugin's back end in selectors: the file's
// without its decoration, "opencl" of libpi_opencl.so.
func BackendName(path string) string {
	name := filepath.Base(path)
	name, _, _ = strings.Cut(name, ".")
	for _, prefix := range []string{"lib", "pi_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(":,; *!", c) {
			return '_' // selectors consist of them
		}
		return c
	}, name)
}

// Path is the library's file.
func (d *Driver) Path() string { return d.path }

// Attempts are the paths that were tried for the library.
func (d *Driver) Attempts() []dl.Attempt { return d.plugin.Attempts() }

// Version is the version of the interface, and the plugin's own number.
func (d *Driver) Version() string { return "PI " + d.plugin.Version() }

// Devices lists the devices of all platforms, in the plugin's order. A device, or those of a
// platform, that fails is left out; the error names it.
func (d *Driver) Devices() ([]driver.Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.listed {
		return d.devices, nil
	}
	err := dl.Opening(d.culprit(), d.listDevices)
	d.listed = err == nil
	return d.devices, err
}

func (d *Driver) listDevices() error {
	platforms, err := d.plugin.Platforms()
	if err != nil {
		return err
	}
	if len(platforms) == 0 {
		return errNoPlatform
	}
	d.devices = nil
	var errs []error
	for i, handle := range platforms {
		if handle == 0 {
			errs = append(errs, fmt.Errorf("platform %d: the plugin lists a null platform", i))
			continue
		}
		p, err := d.newPlatform(handle)
		if err == nil {
			err = d.addDevices(p)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("platform %d %q: %w", i, p.name, err))
		}
	}
	return errors.Join(errs...)
}

func (d *Driver) addDevices(p *platform) error {
	list, err := d.plugin.Devices(p.handle)
	if err != nil {
		return err
	}
	var errs []error
	for i, handle := range list {
		device, err := d.newDevice(p, handle)
		if err != nil {
			errs = append(errs, fmt.Errorf("device %d: %w", i, err))
			continue
		}
		d.devices = append(d.devices, device)
	}
	return errors.Join(errs...)
}

// errNoPlatform is the reason why a plugin has no devices, as most plugins give none.
var errNoPlatform = errors.New("the plugin has no platform: it found no driver, or no device")

// platform is a platform of the plugin.
type platform struct {
	handle        pi.Handle
	name, version string
}

// Close releases the devices and tears the plugin down. The library is
// unloaded if no device was used: a driver that runs has threads and exit
// handlers, whose code must stay.
func (d *Driver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	var errs []error
	for _, device := range slices.Backward(d.devices) {
		errs = append(errs, device.(*Device).close())
	}
	d.devices = nil
	errs = append(errs, dl.Opening(d.culprit(), func() error { // it may end the process, or not answer
		err := d.plugin.TearDown()
		if !d.used.Load() {
			err = errors.Join(err, d.plugin.Unload())
		}
		return err
	}))
	return errors.Join(errs...)
}

// ResultName names the result of a call in traces: "PI_SUCCESS".
func ResultName(code int) string {
	if name := pi.CodeName(code); name != "" {
		return name
	}
	return strconv.Itoa(code)
}
