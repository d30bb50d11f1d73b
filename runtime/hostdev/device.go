package hostdev

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"offlink/runtime/cache"
	"offlink/runtime/driver"
)

// Options are the options of the embedded device; the zero value is right for
// programs.
type Options struct {
	// Output takes the output of kernels; os.Stdout if nil. It is written to
	// under a lock, one printf call at a time.
	Output io.Writer
	// Steps is the budget of a launch, in jumps and calls of all its
	// work-items together: a kernel that uses it up is stopped with a Fault
	// that errors.Is ErrBudget. 0 means no limit.
	Steps int64
	// Backwards runs the work-groups of a launch, and the work-items of each,
	// last to first. A kernel whose results then differ depends on the order,
	// which OpenCL leaves open.
	Backwards bool
	// Fail, if set, is asked before each call that can fail, with its name,
	// and the call returns the error unless it is nil: for tests of callers.
	Fail func(call string) error
	// Interpret runs every kernel in the interpreter, and compiles none.
	Interpret bool
	// Check runs every kernel in the checked mode, which finds faults that others do
	// not: docs/checked-mode.md. Launches run one at a time. A launch that finds
	// something fails with a CheckError.
	Check bool
	// Findings, if set, is called with the error of each launch that found
	// something, before the launch ends.
	Findings func(*CheckError)
	// Assertion, if set, is called with the error of each launch that a failed assert ended,
	// before the launch ends.
	Assertion func(error)
	// Lanes is how many work-items compiled kernels run side by side: 1, 4, 8 or
	// 16; 0 leaves it to the device.
	Lanes int
	// Cache, if set, keeps the native code that the system's C compiler makes of
	// kernels. Without it, or without a compiler or Loader, kernels are WebAssembly.
	Cache *cache.Cache
	// Loader opens native code; without it there is none.
	Loader Loader
	// AwaitCompiler waits for the native code before a kernel first runs.
	AwaitCompiler bool
	// SaveTemps is a folder for the C of kernels, KERNEL.c; none if empty.
	SaveTemps string
}

// Driver is the back end of the embedded device.
type Driver struct{ device *Device }

// New returns the driver. It has one device. Kernels are interpreted unless the program imports
// package wazeroengine, whose compiler registers itself.
func New(opts Options) *Driver {
	if opts.Output == nil {
		opts.Output = os.Stdout
	}
	return &Driver{&Device{options: opts, epoch: time.Now()}}
}

// Name is "host".
func (d *Driver) Name() string { return "host" }

// Devices returns the device.
func (d *Driver) Devices() ([]driver.Device, error) {
	if err := d.device.injectedFailure("Devices"); err != nil {
		return nil, err
	}
	return []driver.Device{d.device}, nil
}

// Close does nothing.
func (d *Driver) Close() error { return nil }

// Checked returns the device in checked mode, always the same one.
func (d *Device) Checked() driver.Device {
	if d.options.Check {
		return d
	}
	d.once.Do(func() {
		options := d.options
		options.Check = true
		d.checked = &Device{options: options, epoch: time.Now()}
	})
	return d.checked
}

// Device is the embedded device. Its memory and its programs are of this
// process.
type Device struct {
	options Options
	heap    heap
	queues  driver.OpenQueues[*queue]
	frees   driver.DeferredFrees
	start   engineState
	output  sync.Mutex
	check   checkState
	once    sync.Once
	checked *Device   // the same in checked mode, once it was asked for
	epoch   time.Time // of the device's clock

	compilers runningCompilers
	libraries libraries
	// aot is set for building native images: nothing runs on the device then.
	aot     bool
	aotSize int64 // bytes of the program-scope variables so far
}

const deviceName = "offlink embedded device"

// Accepts returns nil for SPIR-V of 64-bit targets, else why the device does not take it.
func (d *Device) Accepts(image driver.Image) error {
	switch {
	case image.Format == driver.FormatOfflinkNative:
		return errors.New("it is native code, which is taken with the SPIR-V image that it was made of")
	case image.Format != "spirv":
		return fmt.Errorf("it takes SPIR-V, not the format %s", image.Format)
	case !driver.SPIRVTarget(image.Target):
		return fmt.Errorf("it takes the target spir64, not %s", image.Target)
	}
	return nil
}

// injectedFailure asks Options.Fail about a call.
func (d *Device) injectedFailure(call string) error {
	if d.options.Fail == nil {
		return nil
	}
	return d.options.Fail(call)
}

// Alloc returns zeroed memory. It is the same for every kind: the host and
// kernels have the same address for it.
func (d *Device) Alloc(kind driver.MemoryKind, size int64) (driver.Memory, error) {
	if err := d.injectedFailure("Alloc"); err != nil {
		return nil, err
	}
	if kind < driver.DeviceMemory || kind > driver.SharedMemory {
		return nil, fmt.Errorf("%v memory: %w", kind, driver.ErrUnsupported)
	}
	d.frees.CollectEnded()
	m, err := d.heap.allocate(d, kind, size, 0)
	if err != nil {
		return nil, err
	}
	d.noteAllocation(m)
	return m, nil
}

// Pointer describes the allocation that holds an address.
func (d *Device) Pointer(address uint64) (p driver.Pointer, ok bool) {
	m, offset := d.heap.allocationAt(address)
	if m == nil {
		return driver.Pointer{}, false
	}
	return driver.Pointer{Memory: m, Offset: offset}, true
}

// ImportMemory makes a memory of a part of an allocation, by its address.
func (d *Device) ImportMemory(handle uint64, size int64) (driver.Memory, error) {
	if err := d.injectedFailure("ImportMemory"); err != nil {
		return nil, err
	}
	m, offset := d.heap.allocationAt(handle)
	if m == nil {
		return nil, fmt.Errorf("%#x is not an address of the embedded device", handle)
	}
	data, err := m.transferBytes(offset, size)
	if err != nil {
		return nil, err
	}
	return &memory{device: d, data: data, at: m.at + offset, kind: m.kind, keep: true}, nil
}

// NewQueue returns a queue, which also is a driver.Aborter.
func (d *Device) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	if err := d.injectedFailure("NewQueue"); err != nil {
		return nil, err
	}
	return newQueue(d, opts), nil
}

// NewPartQueue is NewQueue for a part of the device: each launch runs on at most that many
// threads at once.
func (d *Device) NewPartQueue(opts driver.QueueOptions, threads int) (driver.Queue, error) {
	if threads < 1 {
		return nil, fmt.Errorf("a queue whose launches run on %d threads; they need one", threads)
	}
	if err := d.injectedFailure("NewQueue"); err != nil {
		return nil, err
	}
	q := newQueue(d, opts)
	q.threads = threads
	return q, nil
}

// RunsOnCaller says that the device is a driver.CallerRunner.
func (d *Device) RunsOnCaller() {}

// NewEvent returns an event that the host ends.
func (d *Device) NewEvent() (driver.UserEvent, error) {
	if err := d.injectedFailure("NewEvent"); err != nil {
		return nil, err
	}
	e := &event{device: d}
	e.advanceStatus(driver.Submitted)
	return e, nil
}
