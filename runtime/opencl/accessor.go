package opencl

import (
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

// needsAccessors reports whether the linked module has variables that the host can
// reach by kernels only.
func (d *Device) needsAccessors(m *spirv.Module) bool {
	return m != nil && d.able.variables == variablesByKernel && d.able.noVariables == "" && d.able.wrapIL == nil && len(devicecode.Accessors(m)) > 0
}

// withAccessors adds the kernels to the linked module where they are needed.
func (d *Device) withAccessors(linked *spirv.Module) (*spirv.Module, error) {
	if !d.needsAccessors(linked) {
		return linked, nil
	}
	return linked.WithAccessors(devicecode.Accessors(linked))
}

// accessorKernel makes a kernel that transfers a variable.
func (p *program) accessorKernel(name string, params []driver.Param) (driver.Kernel, error) {
	handle, err := p.device.api.NewKernel(p.handle, name)
	if cl.IsCode(err, cl.InvalidKernelName) {
		return nil, fmt.Errorf("the host cannot reach it: %w", driver.ErrUnsupported)
	}
	if err != nil {
		return nil, err
	}
	k := &kernel{program: p, device: p.device, handle: handle, name: name, params: params}
	if err := k.prepareKernel(true); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}
