package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/runtime/selector"
	"offlink/runtime/trace"
)

// Device is a device of one of the drivers.
type Device struct {
	driver.Device
	Backend string // the driver's name
	Index   int    // among the devices of the driver
	Mode    string // "check" of the embedded device in checked mode, else ""

	trace *trace.Recorder
}

// NewQueue makes a queue of the driver. If the runtime is traced, so is the queue.
func (d *Device) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	q, err := d.Device.NewQueue(opts)
	if err != nil {
		return nil, err
	}
	return trace.Queue(d.trace, q, d.String()), nil
}

// String names the device as a selector does: "host:0", "host:check".
func (d *Device) String() string {
	if d.Mode != "" {
		return d.Backend + ":" + d.Mode
	}
	return fmt.Sprintf("%s:%d", d.Backend, d.Index)
}

// acceptsImage is Accepts with the device named in the reason.
func (d *Device) acceptsImage(img driver.Image) error {
	if err := d.Accepts(img); err != nil {
		return fmt.Errorf("%v does not take it: %w", d, err)
	}
	return nil
}

// NoDeviceError says that no device fits a selector.
type NoDeviceError struct {
	Selector string
	Devices  []*Device // all there are
	Causes   error     // why back ends that were asked for have no others, a line each; may be nil
}

func (e *NoDeviceError) Error() string {
	var names []string
	for _, d := range e.Devices {
		names = append(names, fmt.Sprintf("%v (%s, %s)", d, d.Info().Type, d.Info().Name))
	}
	msg := "there is no device"
	if len(names) > 0 {
		msg = fmt.Sprintf("no device fits %q; there are: %s", e.Selector, strings.Join(names, ", "))
	}
	if e.Causes != nil {
		msg += ":\n  " + strings.ReplaceAll(e.Causes.Error(), "\n", "\n  ")
	}
	return msg
}

// ExcludedError says that the environment leaves no device of a back end.
type ExcludedError struct {
	Backend string
	By      string // the variable, as NAME=VALUE, or the plugin that takes its place
}

func (e ExcludedError) Error() string { return fmt.Sprintf("%s: excluded by %s", e.Backend, e.By) }

// withoutExcluded drops the back ends that the environment excludes from joined errors. They
// are a reason only where such a back end is asked for.
func withoutExcluded(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var kept []error
		for _, e := range joined.Unwrap() {
			kept = append(kept, withoutExcluded(e))
		}
		return errors.Join(kept...)
	}
	if _, ok := err.(ExcludedError); ok {
		return nil
	}
	return err
}

// Unwrap returns why back ends have no devices.
func (e *NoDeviceError) Unwrap() error { return e.Causes }

// Devices returns the devices of all back ends, in order of preference. The failure of a
// back end to list its devices is an error only if no other has any.
func (r *Runtime) Devices() ([]*Device, error) {
	if err := r.checkOpen(); err != nil {
		return nil, err
	}
	devices, err := r.listDevices("")
	if len(devices) == 0 {
		return nil, &NoDeviceError{Causes: err}
	}
	return devices, nil
}

// listDevices returns the devices of all back ends, and why those whose name fits have no
// others.
func (r *Runtime) listDevices(backend string) ([]*Device, error) {
	var devices []*Device
	var errs []error
	for _, b := range r.backends {
		list, err := b.listDevices()
		devices = append(devices, list...)
		if b.fits(backend) {
			errs = append(errs, err)
		}
	}
	err := errors.Join(errs...)
	if backend == "" || backend == "*" {
		err = withoutExcluded(err)
	}
	return devices, err
}

// modeOf is the Mode of a device.
func modeOf(device driver.Device) string {
	if c, ok := device.(driver.Checker); ok && c.Checked() == device {
		return selector.ModeCheck
	}
	return ""
}

// checked is the device in checked mode, nil if it has none.
func (d *Device) checked() *Device {
	if c, ok := d.Device.(driver.Checker); ok {
		return &Device{c.Checked(), d.Backend, d.Index, selector.ModeCheck, d.trace}
	}
	return nil
}

// Device returns the first device that fits the selector, BACKEND[:WHICH]:
// BACKEND is a driver's name or *, WHICH is a type of device, a number from 0
// among those of the back end, or *. host:check is the embedded device in
// checked mode; embedded stands for host. Letter case does not matter. An empty
// selector is *:*. Of several that fit, the first that takes a registered image
// is preferred, in each back end the GPUs first: a GPU that only takes PTX does
// not suit a program of SPIR-V. Back ends that are not asked for, or come after
// the device, are not opened.
func (r *Runtime) Device(spelled string) (*Device, error) {
	if err := r.checkOpen(); err != nil {
		return nil, err
	}
	return r.findDevice(spelled, r.options.choiceTrace())
}

func (r *Runtime) findDevice(spelled string, told *choiceTrace) (*Device, error) {
	s := newDeviceSearch(spelled, r.registry.Snapshot().Images)
	s.told = told
	told.requested(spelled)
	for _, b := range r.backends {
		if b.mayBe(s.backend) {
			s.lookAt(b)
		}
	}
	if s.fitting != nil {
		told.selected(s.fitting)
		return s.fitting, nil // the others need not be opened
	}
	for _, b := range r.backends {
		if s.suits {
			break
		}
		if b.fits(s.backend) {
			s.lookAt(b)
		}
	}
	if s.fitting == nil {
		devices, err := r.listDevices(s.backend)
		return nil, &NoDeviceError{Selector: spelled, Devices: devices, Causes: err}
	}
	told.selected(s.fitting)
	return s.fitting, nil
}

// deviceSearch is the search of Device.
type deviceSearch struct {
	backend, which string
	images         []*registry.Image

	fitting *Device // the best so far
	suits   bool    // it takes an image, so that no other can be better
	told    *choiceTrace
}

func newDeviceSearch(spelled string, images []*registry.Image) *deviceSearch {
	backend, which, _ := strings.Cut(strings.ToLower(spelled), ":")
	return &deviceSearch{backend: selector.BackendName(backend), which: which, images: images}
}

// lookAt opens a back end and looks at its devices.
func (s *deviceSearch) lookAt(b *lazyBackend) {
	list, _ := b.listDevices() // findDevice returns its error if no device fits
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y *Device) int { return typeRank(x) - typeRank(y) })
	for _, d := range list {
		if s.which == selector.ModeCheck {
			s.takeChecked(d)
			continue
		}
		if s.suits || !s.fitsDevice(d) {
			continue
		}
		s.told.candidate(d)
		if s.suits = len(s.images) == 0 || d.acceptsAny(s.images); s.suits || s.fitting == nil {
			s.fitting = d
		}
	}
}

// takeChecked takes a device of the back end that has a checked mode.
func (s *deviceSearch) takeChecked(d *Device) {
	if c := d.checked(); c != nil && s.fitting == nil && fitsPattern(s.backend, strings.ToLower(d.Backend)) {
		s.fitting, s.suits = c, true
	}
}

// typeRank puts a back end's GPUs before its other devices, as SYCL's default
// selector does: the drivers of CPUs are often listed first.
func typeRank(d *Device) int {
	if d.Info().Type == driver.GPU {
		return 0
	}
	return 1
}

func (s *deviceSearch) fitsDevice(d *Device) bool {
	return fitsPattern(s.backend, strings.ToLower(d.Backend)) &&
		(fitsPattern(s.which, strconv.Itoa(d.Index)) || s.which == string(d.Info().Type))
}

// acceptsAny reports whether the device can build one of the images.
func (d *Device) acceptsAny(images []*registry.Image) bool {
	return slices.ContainsFunc(images, func(img *registry.Image) bool { return d.Accepts(resolve.DriverImage(img)) == nil })
}

func fitsPattern(pattern, name string) bool {
	return pattern == "" || pattern == "*" || pattern == name
}
