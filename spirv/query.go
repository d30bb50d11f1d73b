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

// Capabilities returns the names of the capabilities that the module declares.
func (m *Module) Capabilities() (list []string) {
	for in := range m.known(sectionCapability) {
		list = append(list, enumName(kindCapability, in.Words[0]))
	}
	return list
}

// InstructionSets returns the names of the sets of extended instructions that the module imports.
func (m *Module) InstructionSets() (list []string) {
	for in := range m.known(sectionExtInstImport) {
		name, _ := getString(in.Words[1:])
		list = append(list, name)
	}
	return list
}

// MemoryModel returns the name of the module's memory model, "OpenCL", or "" if it does not
// declare one.
func (m *Module) MemoryModel() string {
	for in := range m.known(sectionMemoryModel) {
		return enumName(kindMemoryModel, in.Words[1])
	}
	return ""
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
