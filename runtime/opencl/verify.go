package opencl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"offlink/spirv"
)

// readModule reads SPIR-V and makes the checks that drivers leave out: other
// bytes, or a broken module, make them exit, crash or loop for ever.
func (d *Device) readModule(code []byte) (*spirv.Module, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	if addressing := m.AddressingModel(); addressing != spirv.AddressingPhysical64 {
		return nil, fmt.Errorf("the module's addressing model is %v; the device takes Physical64 (compile for spir64)", addressing)
	}
	for _, check := range []func(*spirv.Module) error{d.checkVersion, d.checkKnown, d.checkUnsupported, (*spirv.Module).Verify} {
		if err := check(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// checkVersion compares the module's version with those that the device lists.
func (d *Device) checkVersion(m *spirv.Module) error {
	newest := ""
	for _, v := range d.info.ILVersions {
		name, ok := strings.CutPrefix(v, "SPIR-V_")
		if !ok {
			continue
		}
		if name >= m.Version.String() {
			return nil
		}
		newest = max(newest, name)
	}
	if newest == "" {
		return nil
	}
	return fmt.Errorf("the module is SPIR-V %v; the device takes up to %s", m.Version, newest)
}

// checkKnown refuses extensions and instructions that nobody knows where they
// end the process.
func (d *Device) checkKnown(m *spirv.Module) error {
	if !d.able.known {
		return nil
	}
	for _, name := range m.Extensions() {
		if !slices.Contains(knownExtensions, name) {
			return fmt.Errorf("the module needs the extension %q, which %s does not know", name, d.info.Name)
		}
	}
	for in := range m.Instructions() {
		if !in.Op.IsKnown() {
			return fmt.Errorf("the module has an instruction %v, which %s does not know", in.Op, d.info.Name)
		}
	}
	return nil
}

// checkUnsupported refuses modules that end the process in some drivers.
func (d *Device) checkUnsupported(m *spirv.Module) error {
	const functionPointers = 5603 // FunctionPointersINTEL
	if d.able.noFunctionPointers && m.Declares(functionPointers) {
		return fmt.Errorf("the module has function pointers, which end the process in %s", d.platform.name)
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
