package levelzero

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/streams"
	"offlink/runtime/internal/ze"
)

// Options configure the back end; the zero value is right for programs.
type Options struct {
	// Library is the loader to open; DefaultLibrary if it is empty.
	Library string
	// Enter, if set, is called before each call of Level Zero, and Trace after it with
	// its result.
	Enter func(call string)
	Trace func(call string, args []uintptr, code int)
}

// DefaultLibrary is the loader, as the system finds it.
func DefaultLibrary() string {
	if runtime.GOOS == "windows" {
		return "ze_loader.dll"
	}
	return "libze_loader.so.1"
}

// Driver is the opened back end, with the devices of all drivers.
type Driver struct {
	library  *ze.Library
	contexts []ze.Handle // one for each native driver
	devices  []driver.Device
	failures error // of native drivers
	used     *atomic.Bool
}

// New opens the loader and lists the devices. It fails without a loader, or without a
// driver for it. If one of several drivers fails, Devices reports that. The caller
// closes the driver.
func New(o Options) (d *Driver, err error) {
	err = dl.Opening("a Level Zero driver", func() (err error) {
		d, err = openDriver(o)
		return err
	})
	return d, err
}

func openDriver(o Options) (*Driver, error) {
	if o.Library == "" {
		o.Library = DefaultLibrary()
	}
	library, err := ze.Open(ze.Hooks{Enter: o.Enter, After: o.Trace}, o.Library)
	if err != nil {
		return nil, err
	}
	d := &Driver{library: library, used: new(atomic.Bool)}
	natives, err := library.Drivers()
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	for i, native := range natives {
		if err := d.openNative(native); err != nil {
			d.failures = errors.Join(d.failures, fmt.Errorf("driver %d: %w", i, err))
		}
	}
	return d, nil
}

// The names of extensions that are used.
const (
	extensionProgram = "ZE_experimental_module_program"
	extensionOffset  = "ZE_experimental_global_offset"
)

func (d *Driver) openNative(native ze.Handle) error {
	list, err := d.library.Devices(native)
	if err != nil || len(list) == 0 {
		return err
	}
	extensions, err := d.library.Extensions(native)
	if err != nil {
		return err
	}
	common := shared{used: d.used, programs: slices.Contains(extensions, extensionProgram), offsets: slices.Contains(extensions, extensionOffset)}
	if common.major, common.minor, err = d.library.APIVersion(native); err != nil {
		return err
	}
	if common.version, err = d.library.DriverVersion(native); err != nil {
		return err
	}
	if common.context, err = d.library.NewContext(native); err != nil {
		return err
	}
	d.contexts = append(d.contexts, common.context)
	var failures error
	for i, handle := range list {
		device, err := newDevice(d.library, handle, common)
		switch {
		case err != nil:
			failures = errors.Join(failures, fmt.Errorf("device %d: %w", i, err))
		case device.info.Type != "":
			d.devices = append(d.devices, device)
		}
	}
	return failures
}

// ResultName names the result of a call in traces: "ZE_RESULT_SUCCESS".
func ResultName(code int) string { return ze.ResultName(code) }

// Name is "level_zero".
func (d *Driver) Name() string { return "level_zero" }

// Path is the file of the loader.
func (d *Driver) Path() string { return d.library.Path() }

// Devices lists the devices in the order of the drivers. The error says which drivers and
// devices are left out, and may come with a list.
func (d *Driver) Devices() ([]driver.Device, error) { return d.devices, d.failures }

// Close releases the contexts. It waits for queues that were closed while they worked.
// The loader is unloaded only if no device was used: otherwise drivers have threads and
// exit handlers, whose code must stay.
func (d *Driver) Close() error {
	var errs []error
	for _, device := range d.devices {
		errs = append(errs, device.(*Device).closeDevice())
	}
	for _, context := range d.contexts {
		errs = append(errs, d.library.DestroyContext(context))
	}
	d.devices, d.contexts = nil, nil
	if !d.used.Load() {
		errs = append(errs, d.library.Close())
	}
	return errors.Join(errs...)
}

// shared has the parts that the devices of one native driver have in common.
type shared struct {
	used         *atomic.Bool // a device was given work, memory or code
	context      ze.Handle
	programs     bool // it links several modules at once
	offsets      bool // it has offsets of launches
	major, minor int
	version      uint32
}

// Device is one device. It is safe for concurrent use.
type Device struct {
	*streams.Device // queues, events, memory
	shared
	library *ze.Library
	handle  ze.Handle
	info    driver.Info
	limits  streams.Limits
	group   uint32 // of queues that run kernels
	ticks   uint64 // nanoseconds of a tick of the device's clock
	bits    uint32 // of a time stamp
	marks   marks
}

// newDevice describes a device. One that runs no kernels of ours has no type.
func newDevice(l *ze.Library, handle ze.Handle, common shared) (*Device, error) {
	d := &Device{shared: common, library: l, handle: handle}
	d.Device = streams.NewDevice(native{d}, native{d})
	return d, d.readInfo()
}

func (d *Device) closeDevice() error {
	return errors.Join(d.WaitForQueues(), d.marks.sweepMarks(d, true))
}

// Info describes the device.
func (d *Device) Info() driver.Info { return d.info }

// Handle is the ze_device_handle_t.
func (d *Device) Handle() uint64 { return uint64(d.handle) }

// Accepts takes SPIR-V of 64-bit targets.
func (d *Device) Accepts(image driver.Image) error {
	switch {
	case len(d.info.ILVersions) == 0:
		return errors.New("its driver takes no SPIR-V")
	case image.Format != "spirv":
		return fmt.Errorf("it takes SPIR-V, not the format %s", image.Format)
	case !driver.SPIRVTarget(image.Target):
		return fmt.Errorf("it takes the target spir64, not %s", image.Target)
	}
	return nil
}
