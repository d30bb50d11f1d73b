package piplugin

import (
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/pi"
)

// variable is a program-scope variable. It lives as long as its program.
type variable struct {
	program *program
	name    string // linkage name
	size    int64
	cName   *byte
	kernels *devicecode.VariableKernels // nil where they are not needed
	address uintptr                     // 0 if the plugin does not return it
}

// addressedVariable is a variable whose address the plugin returns.
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

// Variable returns a program-scope variable by its linkage name or its name
// for the host.
func (p *program) Variable(name string) (driver.Memory, error) {
	info, ok := p.tables.Variables[name]
	if !ok {
		return nil, fmt.Errorf("variable %s: %w", name, driver.ErrNotFound)
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
	switch d := p.device; d.able.variables {
	case variablesByPointer:
		address, size, err := d.plugin.GlobalVariable(d.handle, p.handle, v.name)
		if err != nil {
			return nil, err
		}
		if size < v.size {
			return nil, fmt.Errorf("the plugin says it has %d bytes; the module has %d", size, v.size)
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

func (v *variable) write(o pi.Order, offset int64, data []byte) error {
	plugin := v.program.device.plugin
	if v.address != 0 {
		return plugin.WriteAddress(o, v.address+uintptr(offset), data)
	}
	return plugin.WriteVariable(o, v.program.handle, v.cName, offset, data)
}

func (v *variable) read(o pi.Order, offset int64, data []byte) error {
	plugin := v.program.device.plugin
	if v.address != 0 {
		return plugin.ReadAddress(o, data, v.address+uintptr(offset))
	}
	return plugin.ReadVariable(o, v.program.handle, v.cName, offset, data)
}

// accessorKernel makes a kernel that transfers a variable.
func (p *program) accessorKernel(name string, params []driver.Param) (driver.Kernel, error) {
	return p.newKernel(name, params)
}
