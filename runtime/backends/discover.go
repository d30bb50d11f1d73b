package backends

import (
	"errors"
	"fmt"
	"strings"

	"offlink/runtime"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/selector"
)

// Discovery has an entry for every back end, opened or not.
type Discovery struct {
	Backends []*Found
	Filter   *selector.Filter

	// replaced has the plugins that take the place of a built-in back end, by its name:
	// those that have devices and the same name.
	replaced map[string]string
}

// Found is one back end: built in, or a plugin.
type Found struct {
	Name    string // "opencl"; of a plugin that was not opened, its library
	Plugin  bool
	Path    string // the driver's library, where there is one
	Version string // of the driver, if it reports one
	// Part is the value of Options.Only that opens it.
	Part string
	// Attempts are the paths that were tried, where the library was not found.
	Attempts []dl.Attempt
	// Err is the reason why it was not opened, or why some devices are missing.
	Err error
	// Filtered is the variable that excludes it, as NAME=VALUE, or the plugin
	// that takes its place.
	Filtered string
	// Install says what to install where it was not found.
	Install string
	// All are the devices that it has, Chosen those that the environment
	// leaves, with sub-devices.
	All, Chosen []driver.Device
	// Driver has the chosen devices; nil if there are none. Its holder closes
	// it.
	Driver driver.Driver
}

// Warning is a line about a failure that the user should know of while other devices are
// used: a plugin, or a configuration file, that the user names fails, or a driver lists only
// some of its devices. It is empty for a driver that is not installed, and without a failure.
func (f *Found) Warning() string {
	switch {
	case f.Err == nil:
		return ""
	case f.Plugin && f.Part != Plugins:
		return "plugin " + inOneLine(f.Reason())
	case f.Plugin || len(f.All) > 0:
		return inOneLine(f.Reason())
	}
	return ""
}

func inOneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Reason says why the back end has no device, or not all of its devices.
func (f *Found) Reason() error {
	switch {
	case f.Err != nil && f.Part == Plugins: // it names the file
		return f.Err
	case f.Err != nil:
		return fmt.Errorf("%s: %w", f.Name, f.Err)
	case f.Filtered != "":
		return runtime.ExcludedError{Backend: f.Name, By: f.Filtered}
	}
	return fmt.Errorf("%s: it has no device", f.Name)
}

// Discover opens the back ends that the environment does not exclude. A back
// end that fails never stops the others. The caller closes the Drivers. Errors
// are those of package selector.
func Discover(o Options) (*Discovery, error) {
	d, t, err := startDiscovery(&o)
	if err != nil {
		return nil, err
	}
	if o.opensPart(Plugins) || o.onlyPlugin() != "" {
		d.Backends = d.openPlugins(&o, t)
	}
	for _, b := range builtin {
		if o.opensPart(b.name) {
			d.Backends = append(d.Backends, d.openBuiltin(&o, t, b))
		}
	}
	return d, nil
}

// CheckEnvironment returns the error that Discover would return for a variable that cannot
// be read. It opens nothing.
func CheckEnvironment(o Options) error {
	_, _, err := startDiscovery(&o)
	return err
}

// startDiscovery reads the environment.
func startDiscovery(o *Options) (*Discovery, *tracer, error) {
	filter, err := selector.FromEnvironment(o.readVariable, append(builtinNames(), pluginNames(o)...)...)
	if err != nil {
		return nil, nil, err
	}
	trace, err := selector.TraceFromEnvironment(o.readVariable)
	if err != nil {
		return nil, nil, err
	}
	return &Discovery{Filter: filter}, &tracer{trace, o.traceOutput()}, nil
}

// Drivers are the drivers with chosen devices, in order of preference.
func (d *Discovery) Drivers() []driver.Driver { return driversOf(d.Backends) }

// Close closes the drivers that were opened.
func (d *Discovery) Close() error {
	var errs []error
	for _, f := range d.Backends {
		if f.Driver != nil {
			errs = append(errs, f.Driver.Close())
		}
	}
	return errors.Join(errs...)
}

func (d *Discovery) openBuiltin(o *Options, t *tracer, b backend) *Found {
	f := &Found{Name: b.name, Part: b.name, Install: b.install}
	if !d.Filter.MayChoose(b.name) {
		f.Filtered = strings.Join(d.Filter.Variables(), " ")
		return f
	}
	if plugin := d.replaced[b.name]; plugin != "" {
		f.Filtered = "the plugin " + plugin
		return f
	}
	if o.Ending != nil && b.library != "" && o.Ending() && dl.IsLoaded(b.library) {
		f.recordFailure(t, runtime.ErrDriverEnded)
		f.Driver = refusal{b.name, f.Err} // so that calls for its devices return the error
		return f
	}
	if err := o.refuseChoice(b.choosing); err != nil {
		f.recordFailure(t, err)
		return f
	}
	opened, err := b.open(o, t)
	if err != nil {
		f.recordFailure(t, err)
		return f
	}
	d.keepChosen(f, t, opened)
	if len(f.All) == 0 && b.explain != nil {
		f.Err = errors.Join(f.Err, b.explain(o))
	}
	return f
}

// recordFailure records why a back end was not opened.
func (f *Found) recordFailure(t *tracer, err error) {
	f.Err = err
	if tried, ok := errors.AsType[*dl.OpenError](err); ok {
		f.Attempts = tried.Attempts
	}
	t.tellFailure(f)
}

// keepChosen lists the devices and keeps the chosen ones. A driver that is left
// without any is closed.
func (d *Discovery) keepChosen(f *Found, t *tracer, opened driver.Driver) {
	f.describeDriver(opened)
	f.All, f.Err = opened.Devices()
	f.Chosen = d.chosenOf(f, opened.Name())
	t.tellFound(f)
	if len(f.Chosen) > 0 {
		f.Driver = &selected{opened, f.Chosen, f.Err}
		return
	}
	if len(f.All) > 0 {
		f.Filtered = strings.Join(d.Filter.Variables(), " ")
	}
	f.Err = errors.Join(f.Err, opened.Close())
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// describeDriver asks a driver for its path and version, where it has them.
func (f *Found) describeDriver(opened driver.Driver) {
	f.Name = opened.Name()
	if p, ok := opened.(interface{ Path() string }); ok {
		f.Path = p.Path()
	}
	if v, ok := opened.(interface{ Version() string }); ok {
		f.Version = v.Version()
	}
}

// chosenOf returns the devices and sub-devices that the environment chooses. The numbers
// of selectors count only the devices that SYCL_DEVICE_ALLOWLIST allows, as in DPC++'s
// runtimes.
func (d *Discovery) chosenOf(f *Found, backend string) (chosen []driver.Device) {
	number := 0
	for _, device := range f.All {
		if !d.Filter.AllowsDevice(describeDevice(backend, device, nil)) {
			continue
		}
		chosen = append(chosen, d.chosenParts(f, backend, device, []int{number})...)
		number++
	}
	return chosen
}

func (d *Discovery) chosenParts(f *Found, backend string, device driver.Device, path []int) (chosen []driver.Device) {
	described := describeDevice(backend, device, path)
	if d.Filter.Chooses(described) {
		chosen = append(chosen, device)
	}
	if c, ok := device.(driver.Checker); ok && d.Filter.ChoosesMode(described, selector.ModeCheck) {
		chosen = append(chosen, c.Checked())
	}
	parts, ok := device.(driver.Partitioner)
	if !ok || !d.Filter.ChoosesParts(described) {
		return chosen
	}
	list, err := parts.SubDevices()
	f.Err = errors.Join(f.Err, err)
	for i, part := range list {
		chosen = append(chosen, d.chosenParts(f, backend, part, append(path[:len(path):len(path)], i))...)
	}
	return chosen
}

func describeDevice(backend string, device driver.Device, path []int) selector.Device {
	info := device.Info()
	return selector.Device{
		Backend: backend, Type: string(info.Type), Path: path, VendorID: info.VendorID, Name: info.Name,
		DriverVersion: info.DriverVersion, Platform: info.Platform, PlatformVersion: info.PlatformVersion,
	}
}
