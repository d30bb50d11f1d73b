package devicecode

import (
	"fmt"

	"offlink/runtime/driver"
	"offlink/spirv"
)

// Link links modules for a device before its driver sees them: a driver resolves an
// import that nobody exports with a function of the host process, ends the process
// when a symbol is there twice, or finds out after it has generated code. The result
// describes kernels and variables. isBuiltin reports whether the device provides the
// function of that name.
func Link(inputs []spirv.Input, device *driver.Info, isBuiltin func(name string) bool) (*spirv.Module, error) {
	return spirv.Link(inputs, spirv.LinkOptions{KeepExports: true, Provided: func(name string) bool {
		if name == "__devicelib_assert_fail" {
			return device.HasExtension("cl_intel_devicelib_assert")
		}
		return isBuiltin(name)
	}})
}

// SetSpecConstants hands the values of those constants that a module has to the
// driver, in the module's order, after their sizes were checked. It is called on a
// fresh program: after it was compiled they have no effect.
func SetSpecConstants(m *spirv.Module, values map[uint32][]byte, setValue func(id uint32, value []byte) error) error {
	if len(values) == 0 {
		return nil
	}
	if _, err := m.Specialize(values); err != nil {
		return err
	}
	for _, c := range m.SpecConstants() {
		value, ok := values[c.SpecID]
		if !ok {
			continue
		}
		if err := setValue(c.SpecID, value); err != nil {
			return fmt.Errorf("specialization constant %d: %w", c.SpecID, err)
		}
	}
	return nil
}
