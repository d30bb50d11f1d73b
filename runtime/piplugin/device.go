package piplugin

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/pi"
	"offlink/runtime/internal/streams"
)

// Device is a device of a plugin, with a context that is made on first use.
type Device struct {
	driver   *Driver
	platform *platform
	plugin   *pi.Plugin
	handle   pi.Handle
	info     driver.Info
	able     abilities
	parent   *Device // of a sub-device
	streams  *streams.Device
	marks    marks
	memories driver.Allocations
	freed    atomic.Uint64 // memories, ever

	mu       sync.Mutex
	context  pi.Handle
	internal pi.Handle // a queue for the device's own work
	parts    []driver.Device
}

// abilities are the features that the back end uses: those for which the plugin has the
// functions and that the device reports.
type abilities struct {
	usm        bool // addresses; else buffers
	hostMemory bool // host and shared memory exist
	variables  variableAccess
	// specConstants: the plugin sets them; otherwise they are set in the module.
	specConstants bool
	// knownOnly: the driver ends the process at unknown extensions and instructions.
	knownOnly bool
}

// variableAccess is how the host reaches program-scope variables.
type variableAccess int

const (
	variablesByKernel  variableAccess = iota // kernels that are added to the program
	variablesByName                          // piextEnqueueDeviceGlobalVariableRead and Write
	variablesByPointer                       // piextGetGlobalVariablePointer
)

func (d *Driver) newDevice(p *platform, handle pi.Handle) (*Device, error) {
	if handle == 0 {
		return nil, errors.New("the plugin lists a null device")
	}
	device := &Device{driver: d, platform: p, plugin: d.plugin, handle: handle}
	device.streams = streams.NewDevice(native{device}, nil)
	device.streams.TellsByEvent = true
	if err := device.readInfo(); err != nil {
		return nil, err
	}
	device.findAbilities()
	if err := device.completeInfo(); err != nil {
		return nil, err
	}
	return device, nil
}

func (d *Device) findAbilities() {
	r := d.infoReader()
	has := d.plugin.Has
	a := &d.able
	a.usm = r.OptionalNumber(cl.DeviceUSMDevice)&cl.USMAccess != 0 && has(pi.ExtUSMDeviceAlloc) && has(pi.ExtUSMFree) &&
		has(pi.ExtUSMEnqueueMemcpy) && has(pi.ExtUSMEnqueueMemset) && has(pi.ExtKernelSetArgPointer)
	a.hostMemory = a.usm && r.OptionalNumber(cl.DeviceUSMHost)&cl.USMAccess != 0 && r.OptionalNumber(cl.DeviceUSMShared)&cl.USMAccess != 0 &&
		has(pi.ExtUSMHostAlloc) && has(pi.ExtUSMSharedAlloc)
	switch {
	case a.usm && has(pi.ExtGetGlobalVariablePointer):
		a.variables = variablesByPointer
	case has(pi.ExtEnqueueDeviceGlobalVariableRead) && has(pi.ExtEnqueueDeviceGlobalVariableWrite):
		a.variables = variablesByName
	}
	// A program with added kernels is built from the module that offlink has linked, in
	// which the constants are set already.
	a.specConstants = has(pi.ExtProgramSetSpecializationConstant) && a.variables != variablesByKernel
	a.knownOnly = isIntelOpenCL(d.platform.name)
}

// Info describes the device.
func (d *Device) Info() driver.Info { return d.info }

// Accepts asks the plugin whether the device takes images of the target.
func (d *Device) Accepts(img driver.Image) error {
	switch img.Format {
	case "spirv":
		if !d.plugin.Has(pi.ProgramCreate) {
			return errors.New("the plugin takes no SPIR-V (it has no piProgramCreate)")
		}
	case "native", "none":
		if !d.plugin.Has(pi.ProgramCreateWithBinary) || !d.plugin.Has(pi.ProgramBuild) {
			return errors.New("the plugin takes no native code (it has no piProgramCreateWithBinary, or no piProgramBuild)")
		}
	default:
		return fmt.Errorf("it takes the formats spirv and native, not %s", img.Format)
	}
	target := img.Target
	if target == "" {
		target = "spir64"
	}
	if isSPIRV := target == "spir64"; isSPIRV != (img.Format == "spirv") {
		return fmt.Errorf("it takes SPIR-V for spir64 and native code for others, not %s for %s", img.Format, target)
	}
	taken, err := d.plugin.SelectsTarget(d.handle, target)
	if err == nil && !taken {
		return fmt.Errorf("the plugin takes no images for %s on this device", target)
	}
	return err
}

// open returns the context, which is made on first use.
func (d *Device) open() (pi.Handle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.context != 0 {
		return d.context, nil
	}
	err := dl.KeepSignals(d.driver.culprit(), func() (err error) {
		d.context, err = d.plugin.NewContext(d.handle)
		return err
	})
	if err == nil {
		d.driver.used.Store(true)
	}
	return d.context, err
}

// ownQueue returns the queue for the device's own work: zeroing memory.
func (d *Device) ownQueue() (pi.Handle, error) {
	context, err := d.open()
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.internal == 0 {
		d.internal, err = d.plugin.NewQueue(context, d.handle, 0)
	}
	return d.internal, err
}

// close releases the context, the queue and the sub-devices, after the queues that were
// closed while they worked have ended.
func (d *Device) close() error {
	errs := []error{d.streams.WaitForQueues()}
	d.mu.Lock()
	defer d.mu.Unlock()
	errs = append(errs, closeDevices(d.parts))
	if d.internal != 0 {
		errs = append(errs, d.plugin.Release(pi.QueueRelease, d.internal))
	}
	if d.context != 0 {
		errs = append(errs, d.plugin.Release(pi.ContextRelease, d.context))
	}
	if d.parent != nil {
		errs = append(errs, d.plugin.Release(pi.DeviceRelease, d.handle))
	}
	d.internal, d.context, d.parts = 0, 0, nil
	return errors.Join(errs...)
}

// Handle is the native handle of the device, or the pi_device if the plugin does not
// return it.
func (d *Device) Handle() uint64 { return d.nativeHandle(pi.ExtDeviceGetNativeHandle, d.handle) }

// nativeHandle asks for an object's native handle.
func (d *Device) nativeHandle(f pi.Function, object pi.Handle) uint64 {
	native, err := d.plugin.NativeHandle(f, object)
	if err != nil {
		return uint64(object)
	}
	return native
}

// NewEvent returns an event that the host ends.
func (d *Device) NewEvent() (driver.UserEvent, error) { return d.streams.NewEvent() }

// SubDevices partitions the device at the next level of its affinity domains. A device
// that cannot be partitioned has none.
func (d *Device) SubDevices() ([]driver.Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parts != nil || !d.plugin.Has(pi.DevicePartition) {
		return d.parts, nil
	}
	partitions, err := d.plugin.Numbers(pi.DeviceGetInfo, cl.DevicePartitions, 8, d.handle)
	if err != nil || !slices.Contains(partitions, cl.PartitionByAffinity) {
		return nil, err
	}
	list, err := d.plugin.SubDevices(d.handle, []uintptr{cl.PartitionByAffinity, cl.AffinityNextPartitionable, 0})
	if pi.IsCode(err, pi.DevicePartitionFailed) || pi.IsCode(err, pi.InvalidValue) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var parts []driver.Device
	for i, handle := range list {
		part, err := d.driver.newDevice(d.platform, handle)
		if err != nil {
			return nil, errors.Join(err, d.releaseParts(list[i:]), closeDevices(parts))
		}
		part.parent = d
		parts = append(parts, part)
	}
	d.parts = parts
	return parts, nil
}

// releaseParts releases sub-devices of which no Device was made.
func (d *Device) releaseParts(list []pi.Handle) (err error) {
	for _, handle := range list {
		if handle != 0 {
			err = errors.Join(err, d.plugin.Release(pi.DeviceRelease, handle))
		}
	}
	return err
}

func closeDevices(list []driver.Device) (err error) {
	for _, part := range list {
		err = errors.Join(err, part.(*Device).close())
	}
	return err
}
