package opencl

import (
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
)

// variable is a program-scope variable. It lives as long as its program.
type variable struct {
	program *program
	name    string // linkage name
	size    int64
	cName   *byte
	kernels *devicecode.VariableKernels // nil where they are not needed
	address uintptr                     // 0 if the driver does not return it
}

// addressedVariable is a variable whose address the driver returns.
type addressedVariable struct{ variable }

func (v *variable) Size() int64             { return v.size }
func (v *variable) Kind() driver.MemoryKind { return driver.DeviceMemory }

// Close does nothing: the program has the variable.
func (v *variable) Close() error { return nil }

// asVariable returns a memory as a variable, if it is one.
func asVariable(m driver.Memory) (*variable, bool) {
	switch v := m.(type) {
	case *variable:
		return v, true
	case *addressedVariable:
		return &v.variable, true
	}
	return nil, false
}

// Address is the variable's address on the device.
func (v *addressedVariable) Address() uint64 { return uint64(v.address) }

// Variable returns a program-scope variable by its linkage name or its name for the host. It
// is accessed by the driver's pointer, by the driver's transfers by name, or by kernels that
// were added to the program.
func (p *program) Variable(name string) (driver.Memory, error) {
	info, ok := p.tables.Variables[name]
	if !ok {
		return nil, fmt.Errorf("variable %s: %w", name, driver.ErrNotFound)
	}
	if why := p.device.able.noVariables; why != "" {
		return nil, fmt.Errorf("variable %s: %s: %w", name, why, driver.ErrUnsupported)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.variables[info.Linkage]; v != nil {
		return v, nil
	}
	v, err := p.newVariable(info)
	if err != nil {
		return nil, fmt.Errorf("variable %s: %w", name, err)
	}
	if p.variables == nil {
		p.variables = make(map[string]driver.Memory)
	}
	p.variables[info.Linkage] = v
	return v, nil
}

func (p *program) newVariable(info devicecode.Variable) (driver.Memory, error) {
	v := variable{program: p, name: info.Linkage, size: info.Size, cName: dl.CString(info.Linkage)}
	d := p.device
	switch d.able.variables {
	case variablesByPointer:
		address, size, err := d.api.GlobalVariable(d.handle, p.handle, v.name)
		if err != nil {
			return nil, err
		}
		if size < v.size {
			return nil, fmt.Errorf("the driver says it has %d bytes; the module has %d", size, v.size)
		}
		v.address = address
		return &addressedVariable{v}, nil
	case variablesByKernel:
		var err error
		v.kernels, err = devicecode.NewVariableKernels(v.name, p.accessorKernel)
		return &v, err
	}
	return &v, nil
}

// variableAccess is how the host reaches program-scope variables.
type variableAccess int

const (
	variablesByKernel  variableAccess = iota // kernels that are added to the program
	variablesByName                          // cl_intel_global_variable_access
	variablesByPointer                       // clGetDeviceGlobalVariablePointerINTEL
)

func (d *Device) findVariableAccess(a *abilities) {
	switch {
	case a.memory == unifiedMemory && d.api.Has(cl.GetDeviceGlobalVariablePointerINTEL):
		a.variables = variablesByPointer
	case d.api.Has(cl.EnqueueReadGlobalVariableINTEL) && d.api.Has(cl.EnqueueWriteGlobalVariableINTEL):
		a.variables = variablesByName
	}
}

func (v *variable) writeVariable(queue cl.Handle, offset int64, data []byte, o *cl.Order) error {
	d := v.program.device
	if v.address != 0 {
		return d.api.WriteAddress(cl.EnqueueMemcpyINTEL, queue, v.address+uintptr(offset), data, o)
	}
	return d.api.WriteVariable(queue, v.program.handle, v.cName, offset, data, o)
}

func (v *variable) readVariable(queue cl.Handle, offset int64, data []byte, o *cl.Order) error {
	d := v.program.device
	if v.address != 0 {
		return d.api.ReadAddress(cl.EnqueueMemcpyINTEL, queue, data, v.address+uintptr(offset), o)
	}
	return d.api.ReadVariable(queue, v.program.handle, v.cName, offset, data, o)
}
