package drivertest

import (
	"encoding/binary"

	"offlink/spirv"
)

// Code lists the symbols that a module made by SPIRV shares with others.
type Code struct {
	Kernels, Imports, Exports []string
	// Weak are functions that other modules may define too.
	Weak []string
	// VariableImports are variables of other modules, VariableExports those
	// that the module defines.
	VariableImports, VariableExports []string
	// VariableHostNames are the host's names of variables without linkage.
	VariableHostNames []string
	// Extensions are declared by their names.
	Extensions []string
	// Calls makes every function except the first export call that export, if there is one.
	Calls bool
}

// The identifiers that every module of SPIRV has.
const (
	idVoid = iota + 1
	idFunctionType
	idInt
	idPointer
	idFirst // the first one that is free
)

// memoryModelOpenCL is the memory model of kernels.
const memoryModelOpenCL = 2

// SPIRV returns a module of empty functions and 32-bit variables with the linkage that c
// describes.
func SPIRV(c Code) []byte {
	m := &encoder{next: idFirst, calls: c.Calls}
	m.addInstruction(&m.head, spirv.OpCapability, 4) // Addresses
	m.addInstruction(&m.head, spirv.OpCapability, 5) // Linkage
	m.addInstruction(&m.head, spirv.OpCapability, 6) // Kernel
	if len(c.Weak) > 0 {
		m.addInstruction(&m.head, spirv.OpCapability, uint32(spirv.CapabilityWeakLinkageAMD))
		m.addInstruction(&m.head, spirv.OpExtension, stringWords("SPV_AMD_weak_linkage")...)
	}
	for _, name := range c.Extensions {
		m.addInstruction(&m.head, spirv.OpExtension, stringWords(name)...)
	}
	m.addInstruction(&m.head, spirv.OpMemoryModel, uint32(spirv.AddressingPhysical64), memoryModelOpenCL)
	m.addInstruction(&m.types, spirv.OpTypeVoid, idVoid)
	m.addInstruction(&m.types, spirv.OpTypeFunction, idFunctionType, idVoid)
	m.addInstruction(&m.types, spirv.OpTypeInt, idInt, 32, 0)
	m.addInstruction(&m.types, spirv.OpTypePointer, idPointer, uint32(spirv.StorageCrossWorkgroup), idInt)
	for _, name := range c.VariableImports {
		m.addVariable(name, spirv.LinkageImport)
	}
	for _, name := range c.VariableExports {
		m.addVariable(name, spirv.LinkageExport)
	}
	for _, name := range c.VariableHostNames {
		m.addHostVariable(name)
	}
	for _, name := range c.Imports {
		m.addFunction(m.newLinked(name, spirv.LinkageImport), false)
	}
	for _, name := range c.Exports {
		id := m.newLinked(name, spirv.LinkageExport)
		m.addFunction(id, true)
		if m.callee == 0 {
			m.callee = id
		}
	}
	for _, name := range c.Weak {
		m.addFunction(m.newLinked(name, spirv.LinkageWeakAMD), true)
	}
	for _, name := range c.Kernels {
		m.addInstruction(&m.entries, spirv.OpEntryPoint, append([]uint32{uint32(spirv.ExecutionModelKernel), m.next}, stringWords(name)...)...)
		m.addFunction(m.newID(), true)
	}
	return m.moduleBytes()
}

// encoder collects the sections of a module.
type encoder struct {
	head, entries, decorations, types, functions []uint32
	next                                         uint32
	calls                                        bool
	callee                                       uint32 // the first export; 0 before it is defined
}

func (m *encoder) newID() uint32 { m.next++; return m.next - 1 }

func (m *encoder) addInstruction(section *[]uint32, opcode spirv.Opcode, operands ...uint32) {
	*section = append(append(*section, uint32(len(operands)+1)<<16|uint32(opcode)), operands...)
}

// newLinked returns a new identifier with that linkage.
func (m *encoder) newLinked(name string, linkage spirv.Linkage) uint32 {
	id := m.newID()
	words := append([]uint32{id, uint32(spirv.DecorationLinkageAttributes)}, stringWords(name)...)
	m.addInstruction(&m.decorations, spirv.OpDecorate, append(words, uint32(linkage))...)
	return id
}

func (m *encoder) addVariable(name string, linkage spirv.Linkage) {
	m.addInstruction(&m.types, spirv.OpVariable, idPointer, m.newLinked(name, linkage), uint32(spirv.StorageCrossWorkgroup))
}

// addHostVariable adds a device global that the host may read and write.
func (m *encoder) addHostVariable(name string) {
	const readWrite = 3
	id := m.newID()
	words := append([]uint32{id, uint32(spirv.DecorationHostAccessINTEL), readWrite}, stringWords(name)...)
	m.addInstruction(&m.decorations, spirv.OpDecorate, words...)
	m.addInstruction(&m.types, spirv.OpVariable, idPointer, id, uint32(spirv.StorageCrossWorkgroup))
}

func (m *encoder) addFunction(id uint32, body bool) {
	m.addInstruction(&m.functions, spirv.OpFunction, idVoid, id, 0, idFunctionType)
	if body {
		m.addInstruction(&m.functions, spirv.OpLabel, m.newID())
		if m.calls && m.callee != 0 {
			m.addInstruction(&m.functions, spirv.OpFunctionCall, idVoid, m.newID(), m.callee)
		}
		m.addInstruction(&m.functions, spirv.OpReturn)
	}
	m.addInstruction(&m.functions, spirv.OpFunctionEnd)
}

func (m *encoder) moduleBytes() []byte {
	words := []uint32{spirv.Magic, uint32(spirv.Version1_1), 0, m.next, 0}
	for _, section := range [][]uint32{m.head, m.entries, m.decorations, m.types, m.functions} {
		words = append(words, section...)
	}
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// stringWords encodes a literal string: four bytes a word, NUL-terminated.
func stringWords(s string) []uint32 {
	b := append([]byte(s), 0)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	var words []uint32
	for ; len(b) > 0; b = b[4:] {
		words = append(words, binary.LittleEndian.Uint32(b))
	}
	return words
}
