package devicecode

import (
	"fmt"
	"slices"

	"offlink/spirv"
)

// Limits are a device's limits for SPIR-V.
type Limits struct {
	Device     string   // its name, for messages
	ILVersions []string // "SPIR-V_1.0", ...; none if the device lists none
	// KnownOnly refuses unknown extensions and instructions, for drivers that end the
	// process when they meet one.
	KnownOnly bool
}

// ParseModule reads SPIR-V and makes the checks that drivers leave out: bytes that are not
// SPIR-V, or a broken module, make them exit, crash or loop for ever.
func ParseModule(code []byte, l Limits) (*spirv.Module, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	if addressing := m.AddressingModel(); addressing != spirv.AddressingPhysical64 {
		return nil, fmt.Errorf("the module's addressing model is %v; the device takes Physical64 (compile for spir64)", addressing)
	}
	if m, err = l.fitVersion(m); err != nil {
		return nil, err
	}
	if err := l.checkKnown(m); err != nil {
		return nil, err
	}
	return m, m.Verify()
}

// fitVersion returns the module with a version that the device takes. Translators give every
// module the same version (1.3, say), even if it uses nothing of that. If the device only
// takes older versions, such a module gets the newest of these.
func (l *Limits) fitVersion(m *spirv.Module) (*spirv.Module, error) {
	newest := spirv.Version(0)
	for _, name := range l.ILVersions {
		v, ok := parseILVersion(name)
		if !ok {
			continue
		}
		if v >= m.Version {
			return m, nil
		}
		newest = max(newest, v)
	}
	if newest == 0 {
		return m, nil // the device lists none
	}
	if least := m.LeastVersion(); least > newest {
		return nil, fmt.Errorf("the module is SPIR-V %v; the device takes up to %v", least, newest)
	}
	return m.WithVersion(newest), nil
}

// parseILVersion reads "SPIR-V_1.2", as CL_DEVICE_IL_VERSION lists versions.
func parseILVersion(name string) (spirv.Version, bool) {
	var major, minor uint32
	if n, _ := fmt.Sscanf(name, "SPIR-V_%d.%d", &major, &minor); n != 2 || major > 255 || minor > 255 {
		return 0, false
	}
	return spirv.Version(major<<16 | minor<<8), true
}

func (l *Limits) checkKnown(m *spirv.Module) error {
	if !l.KnownOnly {
		return nil
	}
	for _, name := range m.Extensions() {
		if !slices.Contains(knownExtensions, name) {
			return fmt.Errorf("the module needs the extension %q, which %s does not know", name, l.Device)
		}
	}
	for in := range m.Instructions() {
		if !in.Op.IsKnown() {
			return fmt.Errorf("the module has an instruction %v, which %s does not know", in.Op, l.Device)
		}
	}
	return nil
}
