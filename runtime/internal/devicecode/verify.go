package devicecode

import (
	"fmt"
	"slices"
	"strings"

	"offlink/spirv"
)

// Limits are a device's limits for SPIR-V.
type Limits struct {
	Device     string   // its name, for messages
	ILVersions []string // "SPIR-V_1.0", ...; none if the device does not tell
	// KnownOnly refuses extensions and instructions that nobody knows, for
	// drivers that end the process when they meet one.
	KnownOnly bool
}

// ParseModule reads SPIR-V and makes the checks that drivers leave out: other
// bytes, or a broken module, make them exit, crash or loop for ever.
func ParseModule(code []byte, l Limits) (*spirv.Module, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	if addressing := m.AddressingModel(); addressing != spirv.AddressingPhysical64 {
		return nil, fmt.Errorf("the module's addressing model is %v; the device takes Physical64 (compile for spir64)", addressing)
	}
	if err := l.checkVersion(m); err != nil {
		return nil, err
	}
	if err := l.checkKnown(m); err != nil {
		return nil, err
	}
	return m, m.Verify()
}

// checkVersion compares the module's version with those that the device lists.
func (l *Limits) checkVersion(m *spirv.Module) error {
	newest := ""
	for _, v := range l.ILVersions {
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
