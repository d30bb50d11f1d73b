package opencl

import (
	"encoding/binary"
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
	"offlink/spirv"
)

// Drivers without access to program-scope variables run kernels that offlink
// adds to the program, two for each variable; the modules are then linked by
// offlink.

// needsAccessors tells whether the linked module has variables that the host can
// reach by kernels only.
func (d *Device) needsAccessors(m *spirv.Module) bool {
	return m != nil && d.able.variables == variablesByKernel && d.able.noVariables == "" && d.able.wrapIL == nil && len(devicecode.Accessors(m)) > 0
}

// buildWithAccessors builds the linked module with its accessors as one module.
func (d *Device) buildWithAccessors(linked *spirv.Module, options string) (cl.Handle, error) {
	m, err := linked.WithAccessors(devicecode.Accessors(linked))
	if err != nil {
		return 0, d.buildError(err)
	}
	context, err := d.openContext()
	if err != nil {
		return 0, err
	}
	handle, err := d.api.NewProgramIL(d.able.create, context, m.Bytes())
	if err != nil {
		return 0, d.failedBuild(err, 0)
	}
	if err := d.api.Build(handle, d.handle, options); err != nil {
		err = d.failedBuild(err, handle)
		return 0, errors.Join(err, d.api.Release(cl.ReleaseProgram, handle))
	}
	return handle, nil
}

// accessorParams are those of spirv.Accessor's kernels.
var accessorParams = []driver.Param{{Kind: driver.ParamBuffer}, {Kind: driver.ParamValue, Size: 8}, {Kind: driver.ParamValue, Size: 8}}

func (v *variable) findAccessors() (err error) {
	if v.readKernel, err = v.accessorKernel(devicecode.ReaderPrefix); err != nil {
		return err
	}
	if v.writeKernel, err = v.accessorKernel(devicecode.WriterPrefix); err != nil {
		return errors.Join(err, v.readKernel.Close())
	}
	return nil
}

func (v *variable) accessorKernel(prefix string) (*kernel, error) {
	p := v.program
	handle, err := p.device.api.NewKernel(p.handle, prefix+v.name)
	if cl.IsCode(err, cl.InvalidKernelName) {
		return nil, fmt.Errorf("the host cannot reach it: %w", driver.ErrUnsupported)
	}
	if err != nil {
		return nil, err
	}
	k := &kernel{program: p, device: p.device, handle: handle, name: prefix + v.name, params: accessorParams}
	if err := k.prepareKernel(true); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

func (v *variable) closeAccessors() error {
	if v.readKernel == nil {
		return nil
	}
	return errors.Join(v.readKernel.Close(), v.writeKernel.Close())
}

// runAccessor goes by way of memory of the device, and has ended when it returns.
func (v *variable) runAccessor(q *queue, write bool, offset int64, data []byte, s driver.Sync) (err error) {
	staging, err := q.device.Alloc(driver.DeviceMemory, int64(len(data)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, staging.Close()) }()
	args := []driver.Arg{
		{Memory: staging},
		{Value: binary.LittleEndian.AppendUint64(nil, uint64(offset))},
		{Value: binary.LittleEndian.AppendUint64(nil, uint64(len(data)))},
	}
	one := driver.Range{Global: []int{1}}
	var first driver.Event
	if write {
		err = q.Write(staging, 0, data, driver.Sync{After: s.After, Done: &first})
	} else {
		err = q.Launch(v.readKernel, one, args, driver.Sync{After: s.After, Done: &first})
	}
	if err != nil {
		return err
	}
	last := driver.Sync{After: []driver.Event{first}, Done: s.Done, Block: true}
	if write {
		err = q.Launch(v.writeKernel, one, args, last)
	} else {
		err = q.Read(staging, 0, data, last)
	}
	return errors.Join(err, first.Close())
}
