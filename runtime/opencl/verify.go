package opencl

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/spirv"
)

// readModule reads SPIR-V and makes the checks that drivers leave out.
func (d *Device) readModule(code []byte) (*spirv.Module, error) {
	m, err := devicecode.ParseModule(code, devicecode.Limits{Device: d.info.Name, ILVersions: d.info.ILVersions, KnownOnly: d.able.known})
	if err != nil {
		return nil, err
	}
	return m, d.checkUnsupported(m)
}

// checkUnsupported refuses modules that this driver cannot build, some because they
// end the process in it.
func (d *Device) checkUnsupported(m *spirv.Module) error {
	const functionPointers = 5603 // FunctionPointersINTEL
	if d.able.noFunctionPointers && m.Declares(functionPointers) {
		return fmt.Errorf("the module has function pointers, which %s does not build: %w", d.platform.name, driver.ErrUnsupported)
	}
	if !d.able.refusesVariables {
		return nil
	}
	for _, in := range m.Globals() {
		if in.Op != spirv.OpVariable || spirv.StorageClass(in.Words[2]) != spirv.StorageCrossWorkgroup {
			continue
		}
		if _, builtin := m.IsBuiltIn(in.Result()); builtin {
			continue
		}
		name, linked := m.LinkageName(in.Result())
		if !linked {
			name = m.Name(in.Result())
		}
		return fmt.Errorf("variable %s: %s", name, d.able.noVariables)
	}
	return nil
}

var errNoObjects = errors.New("there is nothing to link")

// checkRecursion refuses functions that call themselves where the driver ends the process at
// one. It looks at linked code, as the functions of a cycle may be in several images.
func (d *Device) checkRecursion(m *spirv.Module) error {
	if !d.able.noRecursion {
		return nil
	}
	id := m.FindRecursion()
	if id == 0 {
		return nil
	}
	name, linked := m.LinkageName(id)
	if !linked {
		name = m.Name(id)
	}
	return fmt.Errorf("function %q calls itself, which OpenCL forbids and which ends the process in %s: %w", name, d.platform.name, driver.ErrUnsupported)
}
