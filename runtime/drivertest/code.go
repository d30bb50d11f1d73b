package drivertest

import "encoding/binary"

// Code is what a test wants a SPIR-V module to share with others.
type Code struct {
	Kernels, Imports, Exports []string
	// VariableImports are variables of other modules, VariableExports own
	// ones.
	VariableImports, VariableExports []string
	// Calls makes every function but the first export call that.
	Calls bool
}

// Numbers of the SPIR-V specification.
const (
	spirvMagic         = 0x07230203
	opEntryPoint       = 15
	opMemoryModel      = 14
	opCapability       = 17
	opTypeVoid         = 19
	opTypeInt          = 21
	opTypePointer      = 32
	opTypeFunction     = 33
	opFunction         = 54
	opFunctionEnd      = 56
	opFunctionCall     = 57
	opVariable         = 59
	opDecorate         = 71
	opLabel            = 248
	opReturn           = 253
	decorationLinkage  = 41
	storageCrossGroup  = 5
	linkExport         = 0
	linkImport         = 1
	idVoid, idFunction = 1, 2
	idInt, idPointer   = 3, 4
	idFirst            = 5
)

// SPIRV returns a module of empty functions and 32-bit variables with that
// linkage.
func SPIRV(c Code) []byte {
	m := &encoder{next: idFirst, calls: c.Calls}
	m.op(&m.head, opCapability, 4) // Addresses
	m.op(&m.head, opCapability, 5) // Linkage
	m.op(&m.head, opCapability, 6) // Kernel
	m.op(&m.head, opMemoryModel, 2, 2)
	m.op(&m.types, opTypeVoid, idVoid)
	m.op(&m.types, opTypeFunction, idFunction, idVoid)
	m.op(&m.types, opTypeInt, idInt, 32, 0)
	m.op(&m.types, opTypePointer, idPointer, storageCrossGroup, idInt)
	for _, name := range c.VariableImports {
		m.variable(name, linkImport)
	}
	for _, name := range c.VariableExports {
		m.variable(name, linkExport)
	}
	for _, name := range c.Imports {
		m.function(m.linked(name, linkImport), false)
	}
	for _, name := range c.Exports {
		id := m.linked(name, linkExport)
		m.function(id, true)
		if m.callee == 0 {
			m.callee = id
		}
	}
	for _, name := range c.Kernels {
		m.op(&m.entries, opEntryPoint, append([]uint32{6, m.next}, literal(name)...)...)
		m.function(m.id(), true)
	}
	return m.bytes()
}

// encoder collects the sections of a module.
type encoder struct {
	head, entries, decorations, types, functions []uint32
	next                                         uint32
	calls                                        bool
	callee                                       uint32 // 0: not yet
}

func (m *encoder) id() uint32 { m.next++; return m.next - 1 }

func (m *encoder) op(section *[]uint32, opcode uint32, operands ...uint32) {
	*section = append(append(*section, uint32(len(operands)+1)<<16|opcode), operands...)
}

// linked returns a new identifier with that linkage.
func (m *encoder) linked(name string, linkage uint32) uint32 {
	id := m.id()
	words := append([]uint32{id, decorationLinkage}, literal(name)...)
	m.op(&m.decorations, opDecorate, append(words, linkage)...)
	return id
}

func (m *encoder) variable(name string, linkage uint32) {
	m.op(&m.types, opVariable, idPointer, m.linked(name, linkage), storageCrossGroup)
}

func (m *encoder) function(id uint32, body bool) {
	m.op(&m.functions, opFunction, idVoid, id, 0, idFunction)
	if body {
		m.op(&m.functions, opLabel, m.id())
		if m.calls && m.callee != 0 {
			m.op(&m.functions, opFunctionCall, idVoid, m.id(), m.callee)
		}
		m.op(&m.functions, opReturn)
	}
	m.op(&m.functions, opFunctionEnd)
}

func (m *encoder) bytes() []byte {
	words := []uint32{spirvMagic, 0x10100, 0, m.next, 0}
	for _, section := range [][]uint32{m.head, m.entries, m.decorations, m.types, m.functions} {
		words = append(words, section...)
	}
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// literal encodes a string: four bytes a word, NUL-terminated.
func literal(s string) []uint32 {
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
