package cuda

import (
	"errors"
	"fmt"
	"runtime"

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
func DefaultLibrary() string {
	if runtime.GOOS == "windows" {
		return "nvcuda.dll"
	}
	return "libcuda.so.1"
}

// Driver is the opened back end.
type Driver struct {
	library *libcuda.Library
	version int // of CUDA: 12040 is 12.4
	devices []driver.Device
	// failures are those of devices that are left out.
	failures error
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
		o.Library = DefaultLibrary()
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
			d.failures = errors.Join(d.failures, fmt.Errorf("CUDA device %d: %w", number, err))
			continue
		}
		d.devices = append(d.devices, device)
	}
	if len(d.devices) == 0 {
		return d.failures
	}
	return nil
}

// resultNames are the results (cuda.h, CUresult) that programs meet. Errors have the driver's
// own name; a trace is printed where the library is not at hand.
var resultNames = map[int]string{
	0: "CUDA_SUCCESS", 1: "CUDA_ERROR_INVALID_VALUE", 2: "CUDA_ERROR_OUT_OF_MEMORY", 3: "CUDA_ERROR_NOT_INITIALIZED",
	4: "CUDA_ERROR_DEINITIALIZED", 46: "CUDA_ERROR_DEVICE_UNAVAILABLE", 100: "CUDA_ERROR_NO_DEVICE", 101: "CUDA_ERROR_INVALID_DEVICE",
	200: "CUDA_ERROR_INVALID_IMAGE", 201: "CUDA_ERROR_INVALID_CONTEXT", 209: "CUDA_ERROR_NO_BINARY_FOR_GPU", 218: "CUDA_ERROR_INVALID_PTX",
	222: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", 400: "CUDA_ERROR_INVALID_HANDLE", 500: "CUDA_ERROR_NOT_FOUND", 600: "CUDA_ERROR_NOT_READY",
	700: "CUDA_ERROR_ILLEGAL_ADDRESS", 701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", 702: "CUDA_ERROR_LAUNCH_TIMEOUT",
	709: "CUDA_ERROR_CONTEXT_IS_DESTROYED", 710: "CUDA_ERROR_ASSERT", 716: "CUDA_ERROR_MISALIGNED_ADDRESS", 719: "CUDA_ERROR_LAUNCH_FAILED",
	801: "CUDA_ERROR_NOT_SUPPORTED", 803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", 999: "CUDA_ERROR_UNKNOWN",
}

// ResultName names the result of a call in traces, by its number where the name is not known.
func ResultName(code int) string {
	if name, ok := resultNames[code]; ok {
		return name
	}
	return fmt.Sprintf("CUresult %d", code)
}

// Name is "cuda".
func (d *Driver) Name() string { return "cuda" }

// Path is the file of the driver's library.
func (d *Driver) Path() string { return d.library.Path() }

// Version is the version of CUDA that the driver is for: "12.4".
func (d *Driver) Version() string { return fmt.Sprintf("%d.%d", d.version/1000, d.version%1000/10) }

// Devices lists the GPUs in the order of the driver. The error says which are left out, and
// comes with the others.
func (d *Driver) Devices() ([]driver.Device, error) { return d.devices, d.failures }

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
