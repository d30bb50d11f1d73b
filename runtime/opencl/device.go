package opencl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// Device is a device of an OpenCL driver, with a context that is made on first use. It is
// not closed by its users: the driver closes all its devices, after programs and queues.
type Device struct {
	driver   *Driver
	platform *platform
	api      *cl.API
	handle   cl.Handle
	info     driver.Info
	able     abilities
	parent   *Device // of a sub-device

	mu       sync.Mutex
	context  cl.Handle
	parts    []driver.Device
	memories driver.Allocations
	freed    atomic.Uint64 // memories, ever
	queues   workingQueues
	frees    driver.DeferredFrees

	orphans []pendingCommand // of closed queues: their host memory is in use

	own      sync.Mutex
	internal *queue // for the device's own work

	late     *lateCalls
	watching atomic.Bool // watchFailures has begun
}

// oldestVersion is OpenCL 1.2, which introduced clCompileProgram and clLinkProgram. For a
// driver of an older version loaders would call these through a null pointer.
const oldestVersion = 12

// newDevice describes a device. All queries are made here, once, and need no context, so
// that listing devices opens none.
func (d *Driver) newDevice(p *platform, handle cl.Handle) (*Device, error) {
	if handle == 0 {
		return nil, errors.New("the driver lists a null device")
	}
	device := &Device{driver: d, platform: p, api: p.api, handle: handle, late: newLateCalls()}
	info, err := device.readInfo()
	if err != nil {
		return nil, err
	}
	if parseVersion(info.Version) < oldestVersion {
		return nil, fmt.Errorf("device %q is of %s; OpenCL 1.2 or later is needed", info.Name, info.Version)
	}
	device.info = info
	device.able = device.findAbilities()
	device.completeInfo()
	return device, nil
}

// Info describes the device.
func (d *Device) Info() driver.Info { return d.info }

// Accepts takes SPIR-V, LLVM bitcode and native code as the driver does. Targets are those
// of DPC++: spir64 with a vendor and a system after a dash is still SPIR-V.
func (d *Device) Accepts(img driver.Image) error {
	if !slices.Contains(d.info.Formats, img.Format) {
		if img.Format == "spirv" && d.able.noSPIRV != "" {
			return errors.New(d.able.noSPIRV)
		}
		return fmt.Errorf("it takes the formats %s, not %s", strings.Join(d.info.Formats, ", "), img.Format)
	}
	if img.Format == "native" {
		if want := d.nativeTarget(); img.Target != want {
			return fmt.Errorf("it takes native code for %s, not %s", want, img.Target)
		}
		return nil
	}
	if !driver.SPIRVTarget(img.Target) {
		return fmt.Errorf("it takes the target spir64, not %s", img.Target)
	}
	return nil
}

// nativeTarget is the target string of code that was compiled ahead of time,
// as DPC++ has it.
func (d *Device) nativeTarget() string {
	switch d.info.Type {
	case driver.GPU:
		return "spir64_gen"
	case driver.Accelerator:
		return "spir64_fpga"
	}
	return "spir64_x86_64"
}

// culprit names the driver in the message about one that ends the process.
func (d *Device) culprit() string { return "the OpenCL driver of " + d.info.Name }

// openContext returns the context, which is made on first use. There is one for each
// device: memory, programs and queues of a device must share it, and nothing is shared
// between devices.
func (d *Device) openContext() (cl.Handle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.context != 0 {
		return d.context, nil
	}
	err := dl.KeepSignals(d.culprit(), func() (err error) {
		d.context, err = d.api.NewContext(d.platform.handle, d.handle)
		return err
	})
	if err == nil {
		d.driver.used.Store(true)
	}
	return d.context, err
}

// ownQueue returns the queue for the device's own work: zeroing memory. Queues of users
// may be out of order or full of waiting commands.
func (d *Device) ownQueue() (*queue, error) {
	d.own.Lock()
	defer d.own.Unlock()
	if d.internal != nil {
		return d.internal, nil
	}
	context, err := d.openContext()
	if err != nil {
		return nil, err
	}
	handle, err := d.newCommandQueue(context, 0)
	if err != nil {
		return nil, err
	}
	d.internal = d.newQueue(handle, driver.QueueOptions{})
	return d.internal, nil
}

// closeOwnQueue closes the device's own queue, if it was made.
func (d *Device) closeOwnQueue() error {
	d.own.Lock()
	defer d.own.Unlock()
	if d.internal == nil {
		return nil
	}
	err := d.internal.Close()
	d.internal = nil
	return err
}

// newCommandQueue makes a queue by the function of the device's version.
func (d *Device) newCommandQueue(context cl.Handle, properties uint64) (cl.Handle, error) {
	if d.able.version < version2 {
		return d.api.NewQueueOld(context, d.handle, properties)
	}
	return d.api.NewQueue(context, d.handle, properties)
}

// closeDevice releases the queue, the sub-devices and the context. Sub-devices come before
// the parent, which their contexts use.
func (d *Device) closeDevice() error {
	d.endCallbacks()
	errs := []error{d.closeOwnQueue(), d.collectLast()}
	d.mu.Lock()
	defer d.mu.Unlock()
	errs = append(errs, closeDevices(d.parts))
	if d.context != 0 {
		errs = append(errs, d.api.Release(cl.ReleaseContext, d.context))
	}
	if d.parent != nil {
		errs = append(errs, d.api.Release(cl.ReleaseDevice, d.handle))
	}
	d.context, d.parts = 0, nil
	return errors.Join(errs...)
}

// Handle is the cl_device_id.
func (d *Device) Handle() uint64 { return uint64(d.handle) }

// SubDevices partitions the device by its NUMA nodes, or at the next level of its affinity
// domains. A device that cannot be partitioned has none.
func (d *Device) SubDevices() ([]driver.Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parts != nil {
		return d.parts, nil
	}
	partitions, err := d.api.Numbers(cl.GetDeviceInfo, cl.DevicePartitions, 8, d.handle)
	if err != nil || !slices.Contains(partitions, cl.PartitionByAffinity) {
		return nil, err
	}
	list, err := d.api.SubDevices(d.handle, []uintptr{cl.PartitionByAffinity, cl.AffinityNextPartitionable, 0})
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
func (d *Device) releaseParts(list []cl.Handle) (err error) {
	for _, handle := range list {
		err = errors.Join(err, d.api.Release(cl.ReleaseDevice, handle))
	}
	return err
}

func closeDevices(list []driver.Device) (err error) {
	for _, part := range list {
		err = errors.Join(err, part.(*Device).closeDevice())
	}
	return err
}
