package spirv

import "iter"

// Instructions returns all instructions of the module, in the order of the logical layout.
func (m *Module) Instructions() iter.Seq[*Instruction] { return m.allInstructions }

// Extensions returns the names of the extensions that the module declares.
func (m *Module) Extensions() (list []string) {
	for in := range m.known(sectionExtension) {
		name, _ := getString(in.Words)
		list = append(list, name)
	}
	return list
}

// Declares reports whether the module declares a capability.
func (m *Module) Declares(capability Capability) bool {
	for in := range m.known(sectionCapability) {
		if Capability(in.Words[0]) == capability {
			return true
		}
	}
	return false
}

// IsKnown reports whether the grammar has the instruction.
func (op Opcode) IsKnown() bool { return op.grammarInfo() != nil }
