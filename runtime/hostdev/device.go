package hostdev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"offlink/runtime/driver"
)

// Options are the options of the embedded device; the zero value is right for
// programs.
type Options struct {
	// Output takes what kernels print; os.Stdout if nil. It is written to
	// under a lock, one printf call at a time.
	Output io.Writer
	// Steps is the budget of a launch, in jumps and calls of all its
	// work-items together: a kernel that uses it up is stopped with a Fault
	// that errors.Is ErrBudget. 0 is no limit.
	Steps int64
	// Backwards runs the work-groups of a launch, and the work-items of each,
	// last to first. A kernel whose results then differ depends on the order,
	// which OpenCL leaves open.
	Backwards bool
}

// Driver is the back end of the embedded device.
type Driver struct{ device *Device }

// New returns the driver. It has one device.
func New(opts Options) *Driver {
	if opts.Output == nil {
		opts.Output = os.Stdout
	}
	return &Driver{&Device{options: opts}}
}

// Name is "host".
func (d *Driver) Name() string { return "host" }

// Devices returns the device.
func (d *Driver) Devices() ([]driver.Device, error) { return []driver.Device{d.device}, nil }

// Close does nothing.
func (d *Driver) Close() error { return nil }

// Device is the embedded device. Its memory and its programs are of this
// process.
type Device struct {
	options Options
	heap    heap
	output  sync.Mutex
}

const deviceName = "offlink embedded device"

// Info describes the device.
func (d *Device) Info() driver.Info {
	return driver.Info{
		Name:          deviceName,
		Vendor:        "offlink",
		Version:       "SPIR-V 1.6, interpreter",
		Type:          driver.CPU,
		ComputeUnits:  runtime.GOMAXPROCS(0),
		MaxWorkGroup:  maxGroup,
		LocalMemory:   maxLocal,
		GlobalMemory:  maxGlobal,
		MaxAllocation: maxAllocation,
		Formats:       []string{"spirv"},
	}
}

// Accepts takes SPIR-V of 64-bit targets.
func (d *Device) Accepts(image driver.Image) error {
	switch {
	case image.Format != "spirv":
		return fmt.Errorf("it takes SPIR-V, not the format %s", image.Format)
	case image.Target != "" && image.Target != "spir64" && !strings.HasPrefix(image.Target, "spir64-") &&
		!strings.HasPrefix(image.Target, "spirv64"):
		return fmt.Errorf("it takes the target spir64, not %s", image.Target)
	}
	return nil
}

// Build links the modules and compiles their kernels. What a kernel reaches
// and the device does not implement is refused here: the log has a line for
// each function.
func (d *Device) Build(ctx context.Context, modules []driver.Module, opts driver.BuildOptions) (driver.Program, error) {
	p, err := build(ctx, d, modules, opts)
	if err == nil {
		return p, nil
	}
	if log, ok := errors.AsType[buildLog](err); ok {
		return nil, &driver.BuildError{Device: deviceName, Log: strings.Join(log, "\n")}
	}
	return nil, &driver.BuildError{Device: deviceName, Err: err}
}

// Alloc returns zeroed memory.
func (d *Device) Alloc(size int64) (driver.Memory, error) {
	m, err := d.heap.alloc(d, size, spaceGlobal)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// NewQueue returns an in-order queue, which also is a driver.Aborter.
func (d *Device) NewQueue() (driver.Queue, error) { return newQueue(d), nil }
