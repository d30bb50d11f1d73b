package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// Device is one GPU with its primary context. It is safe for concurrent use.
type Device struct {
	*streams.Device // queues, events, memory

	driver  *Driver
	library *libcuda.Library
	number  libcuda.Device
	context libcuda.Context
	info    driver.Info
	limits  limits

	// needsNoContext is set if the driver takes calls with a stream on threads without
	// a context, so that a launch is one call.
	needsNoContext bool
	probed         sync.Once

	// workItems is builtinModule's text, made once.
	workItems func() []byte

	// sharedBase returns where the shared memory of a block begins, which is probed once.
	sharedBase func() (uint64, error)
}

// newDevice retains the primary context of a GPU.
func newDevice(d *Driver, number libcuda.Device) (*Device, error) {
	device := &Device{driver: d, library: d.library, number: number}
	device.Device = streams.NewDevice(native{device}, native{device})
	device.workItems = sync.OnceValue(device.builtinModule)
	device.sharedBase = sync.OnceValues(device.probeSharedBase)
	if err := device.readInfo(); err != nil {
		return nil, err
	}
	var err error
	if device.context, err = d.library.RetainPrimary(number); err != nil {
		return nil, err
	}
	return device, nil
}

func (d *Device) closeDevice() error {
	d.WaitForQueues()
	return d.library.ReleasePrimary(d.number)
}

// withContext runs calls on one thread, in the context of the device.
func (d *Device) withContext(calls func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.library.SetCurrent(d.context); err != nil {
		return err
	}
	return calls()
}

// contextFreeVersion is the oldest version of which a driver was seen to take calls with a
// stream on any thread: 13.0, driver 580.
const contextFreeVersion = 13000

// probeContext finds out whether calls with a stream need a context. It is
// called with the context set.
func (d *Device) probeContext(s libcuda.Stream) {
	d.probed.Do(func() {
		if d.driver.version < contextFreeVersion || d.library.SetCurrent(0) != nil {
			return
		}
		d.needsNoContext = d.library.QueryStream(s) == nil
		_ = d.library.SetCurrent(d.context) // a failure shows in the next call that needs it
	})
}

// withStream runs calls that have a stream. If the driver needs no context for these they
// run without one, and again with one if they fail for lack of it.
func (d *Device) withStream(calls func() error) error {
	if d.needsNoContext {
		if err := calls(); !libcuda.IsContextError(err) {
			return err
		}
	}
	return d.withContext(calls)
}

// releaseInContext is withContext for calls that release something. If the context cannot
// be set it tries once more, so that a passing failure, which is returned, leaks nothing.
func (d *Device) releaseInContext(calls func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := d.library.SetCurrent(d.context)
	if err != nil && d.library.SetCurrent(d.context) != nil {
		return err
	}
	return errors.Join(err, calls())
}

// Handle is the context, a CUcontext.
func (d *Device) Handle() uint64 { return uint64(d.context) }

// Target is the target string of images that the device takes.
const Target = "nvptx64"

// Accepts takes PTX, cubins and fat binaries of the target nvptx64: their
// images carry the format none or native.
func (d *Device) Accepts(image driver.Image) error {
	switch {
	case image.Target != Target && image.Target != "llvm_"+Target && !strings.HasPrefix(image.Target, Target+"-"):
		return fmt.Errorf("it takes the target %s, not %s", Target, image.Target)
	case image.Format != "none" && image.Format != "native":
		return fmt.Errorf("it takes PTX and cubins, whose images have the format none or native, not %s", image.Format)
	}
	return nil
}

// NewQueue returns a queue.
func (d *Device) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	q, err := newQueue(d, opts)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// ImportQueue makes a queue of a CUstream of this device's primary context.
// The stream stays the caller's.
func (d *Device) ImportQueue(handle uint64) (driver.Queue, error) {
	stream := libcuda.Stream(handle)
	err := d.withContext(func() error { return d.library.QueryStream(stream) })
	if err != nil && !libcuda.IsNotReady(err) {
		return nil, err
	}
	q := &queue{device: d}
	q.Queue = d.AdoptStream(streams.Stream(stream), q.programs.endStream)
	return q, nil
}
