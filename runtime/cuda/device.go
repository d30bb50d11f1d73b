package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"offlink/ptx"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// Device is one GPU with its primary context. It is safe for concurrent use.
type Device struct {
	*streams.Device // queues, events, memory

	driver  *Driver
	library *libcuda.Library
	number  libcuda.Device
	info    driver.Info
	limits  limits
	// readsPageable is set if the device reads and writes all memory of the host's programs.
	readsPageable bool

	context   atomic.Uintptr // the libcuda.Context; 0: not retained yet
	retaining sync.Mutex

	// needsNoContext is set if the driver takes calls with a stream on threads without
	// a context, so that a launch is one call.
	needsNoContext bool
	probed         sync.Once

	// clearing is the stream in which memory is cleared, 0 before the first; clearingLock is for
	// making it.
	clearing     libcuda.Stream
	clearingLock sync.Mutex

	// workItems is builtinModule's text, made once.
	workItems func() []byte

	// sharedBase returns where the shared memory of a block begins, which is probed once.
	sharedBase func() (uint64, error)
}

// newDevice describes a GPU. Its context is made when it is first needed: that takes a part
// of its memory, and of a second, which GPUs that are only listed do not pay.
func newDevice(d *Driver, number libcuda.Device) (*Device, error) {
	device := &Device{driver: d, library: d.library, number: number}
	device.Device = streams.NewDevice(native{device}, native{device})
	device.workItems = sync.OnceValue(device.builtinModule)
	device.sharedBase = sync.OnceValues(device.probeSharedBase)
	if err := device.readInfo(); err != nil {
		return nil, err
	}
	return device, nil
}

// primaryContext is the primary context of the GPU, retained. Where that fails, as for a
// GPU that another process has for itself, the next call tries it again.
func (d *Device) primaryContext() (libcuda.Context, error) {
	if c := d.context.Load(); c != 0 {
		return libcuda.Context(c), nil
	}
	d.retaining.Lock()
	defer d.retaining.Unlock()
	if c := d.context.Load(); c != 0 {
		return libcuda.Context(c), nil
	}
	var c libcuda.Context
	err := dl.KeepSignals("NVIDIA's driver", func() (err error) { c, err = d.library.RetainPrimary(d.number); return err })
	if err == nil {
		d.context.Store(uintptr(c))
	}
	return c, err
}

func (d *Device) closeDevice() error {
	err := d.WaitForQueues()
	if d.context.Load() == 0 {
		return err
	}
	if d.clearing != 0 {
		err = errors.Join(err, d.releaseInContext(func() error { return d.library.DestroyStream(d.clearing) }))
	}
	return errors.Join(err, d.library.ReleasePrimary(d.number))
}

// clearingStream is the stream for clearing memory. It is called with the context set.
func (d *Device) clearingStream() (s libcuda.Stream, err error) {
	d.clearingLock.Lock()
	defer d.clearingLock.Unlock()
	if d.clearing == 0 {
		d.clearing, err = d.library.NewStream()
	}
	return d.clearing, err
}

// withContext runs calls on one thread, in the context of the device. The thread may be one
// of a host program that has a context of its own current, which is current again after it.
func (d *Device) withContext(calls func() error) error {
	c, err := d.primaryContext()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.library.PushCurrent(c); err != nil {
		return err
	}
	defer d.popContext()
	return calls()
}

// popContext ends a use of the context. A failure, which is one of the context, shows in
// the next call that needs it: here it would hide that the calls before have succeeded.
func (d *Device) popContext() { _ = d.library.PopCurrent() }

// contextFreeVersion is the oldest version of which a driver was seen to take calls with a
// stream on any thread: 13.0, driver 580.
const contextFreeVersion = 13000

// probeContext finds out whether calls with a stream need a context, by one on a thread of
// Go's, which has none.
func (d *Device) probeContext(s libcuda.Stream) {
	d.probed.Do(func() {
		if d.driver.version < contextFreeVersion {
			return
		}
		needsNone := make(chan bool)
		go func() { // the caller is locked to its thread, so that this runs on another
			needsNone <- d.library.QueryStream(s) == nil
		}()
		d.needsNoContext = <-needsNone
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
	c, err := d.primaryContext()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = d.library.PushCurrent(c)
	if err != nil && d.library.PushCurrent(c) != nil {
		return err
	}
	defer d.popContext()
	return errors.Join(err, calls())
}

// Handle is the context, a CUcontext.
func (d *Device) Handle() uint64 {
	c, _ := d.primaryContext() // 0 is none
	return uint64(c)
}

// Target is the target string of images that the device takes.
const Target = "nvptx64"

// Accepts takes PTX, cubins and fat binaries of the target nvptx64: their
// images carry the format none or native.
func (d *Device) Accepts(image driver.Image) error {
	switch {
	case !driver.CUDATarget(image.Target):
		return fmt.Errorf("it takes the target %s, not %s", Target, image.Target)
	case image.Format != "none" && image.Format != "native":
		return fmt.Errorf("it takes PTX and cubins, whose images have the format none or native, not %s", image.Format)
	}
	return d.acceptCompileTarget(image.CompileTarget)
}

// acceptCompileTarget refuses images for newer devices: a program has an image for each of
// several architectures.
func (d *Device) acceptCompileTarget(target string) error {
	name, ok := driver.CUDACompileTarget(target)
	if !ok {
		return nil
	}
	if a, ok := ptx.ParseArchitecture(name); ok && !a.Compiles(d.architecture()) {
		return fmt.Errorf("it is an sm_%d, and the image is for %s%s", d.architecture(), name, alone(a))
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
	if err := d.withContext(func() error { return d.checkStream(stream) }); err != nil {
		return nil, err
	}
	q := &queue{device: d}
	q.Queue = d.AdoptStream(streams.Stream(stream), q.endStream)
	return q, nil
}

// checkStream refuses a stream of another context, in which copies would go to other memory
// than the caller's and launches fail one by one.
func (d *Device) checkStream(s libcuda.Stream) error {
	c, err := d.library.StreamContext(s)
	if err != nil {
		return err
	}
	if own := d.context.Load(); uintptr(c) != own {
		return fmt.Errorf("the stream is of the context %#x; the device works in its primary context, %#x", c, own)
	}
	if err := d.library.QueryStream(s); err != nil && !libcuda.IsNotReady(err) {
		return err
	}
	return nil
}
