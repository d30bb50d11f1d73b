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
