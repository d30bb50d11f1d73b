package cuda

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/libcuda"
)

// Options configure the back end; the zero value is right for programs.
type Options struct {
	// Library is the library to open; DefaultLibrary if it is empty.
	Library string
	// Enter, if set, is called before each call of the driver is made, Trace
	// after it with its result.
	Enter func(call string)
	Trace func(call string, args []uintptr, code int)
}

// DefaultLibrary is the driver's library, as the system's loader finds it.
const DefaultLibrary = "libcuda.so.1"

// Driver is the opened back end.
type Driver struct {
	library *libcuda.Library
	version int // of CUDA: 12040 is 12.4
	devices []driver.Device
}

// New opens the driver's library and lists its devices. It fails without
// a library, with the loader's own words, and without a device. The caller closes
// the driver.
func New(o Options) (d *Driver, err error) {
	err = dl.Opening("NVIDIA's driver", func() (err error) {
		d, err = openDriver(o)
		return err
	})
	return d, err
}

func openDriver(o Options) (*Driver, error) {
	if o.Library == "" {
		o.Library = DefaultLibrary
	}
	library, err := libcuda.Open(libcuda.Hooks{Enter: o.Enter, After: o.Trace}, o.Library)
	if err != nil {
		return nil, err
	}
	d := &Driver{library: library}
	if err := d.openDevices(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Driver) openDevices() (err error) {
	if d.version, err = d.library.Version(); err != nil {
		return err
	}
	list, err := d.library.Devices()
	if err != nil {
		return err
	}
	for _, number := range list {
		device, err := newDevice(d, number)
		if err != nil {
			return fmt.Errorf("CUDA device %d: %w", number, err)
		}
		d.devices = append(d.devices, device)
	}
	return nil
}

// ResultName names the result of a call in traces: "CUDA_SUCCESS", or its number.
func ResultName(code int) string {
	if code == 0 {
		return "CUDA_SUCCESS"
	}
	return fmt.Sprintf("CUresult %d", code)
}

// Name is "cuda".
func (d *Driver) Name() string { return "cuda" }

// Path is the file of the driver's library.
func (d *Driver) Path() string { return d.library.Path() }

// Version is the version of CUDA that the driver is for: "12.4".
func (d *Driver) Version() string { return fmt.Sprintf("%d.%d", d.version/1000, d.version%1000/10) }

// Devices lists the GPUs in the order of the driver.
func (d *Driver) Devices() ([]driver.Device, error) { return d.devices, nil }

// Close releases the devices' contexts and the library. It waits for queues that were closed
// while they worked.
func (d *Driver) Close() error {
	var errs []error
	for _, device := range d.devices {
		errs = append(errs, device.(*Device).closeDevice())
	}
	d.devices = nil
	return errors.Join(append(errs, d.library.Close())...)
}
