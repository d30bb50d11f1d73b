package spirv

import (
	"encoding/binary"
	"fmt"
)

// Specialize returns the module with other values for specialization constants. values has them
// by SpecId, as little-endian bytes, exactly as many as the type has; a boolean has one. A SpecId
// that the module does not have is ignored. m is not changed; without values it is the result.
func (m *Module) Specialize(values map[uint32][]byte) (*Module, error) {
	if len(values) == 0 {
		return m, nil
	}
	out := &Module{Version: m.Version, Generator: m.Generator, Bound: m.Bound, sections: m.sections, functions: m.functions}
	globals := append([]*Instruction(nil), m.Globals()...)
	for i, in := range globals {
		words, ok := m.Decoration(in.Result(), DecorationSpecId)
		if !ok {
			continue
		}
		value, given := values[words[0]]
		if !given {
			continue
		}
		changed, err := m.specializedConstant(in, words[0], value)
		if err != nil {
			return nil, err
		}
		globals[i] = changed
	}
	out.sections[sectionGlobal] = globals
	return out, out.rebuildIndexes()
}

// specializedConstant returns a copy of a constant with another value.
func (m *Module) specializedConstant(in *Instruction, spec uint32, value []byte) (*Instruction, error) {
	out := &Instruction{Op: in.Op, Words: append([]uint32(nil), in.Words...), offset: in.offset}
	size := 1
	if in.Op == OpSpecConstant {
		size = m.scalarSize(in.Type())
	}
	if size != len(value) {
		return nil, fmt.Errorf("specialization constant %d has %d bytes; the value has %d", spec, size, len(value))
	}
	switch in.Op {
	case OpSpecConstantTrue, OpSpecConstantFalse:
		out.Op = OpSpecConstantFalse
		if value[0] != 0 {
			out.Op = OpSpecConstantTrue
		}
	case OpSpecConstant:
		m.setLiteral(out, value)
	}
	return out, nil
}

// scalarSize returns the size in bytes of an integer or floating-point type, or 0 for others.
func (m *Module) scalarSize(id ID) int {
	if def := m.Def(id); def != nil && (def.Op == OpTypeInt || def.Op == OpTypeFloat) {
		return int(def.Words[1]+7) / 8
	}
	return 0
}

// setLiteral replaces the words of a literal. One that is narrower than a word
// is sign-extended if its type is signed (SPIR-V Specification, 2.2.1,
// "Literal").
func (m *Module) setLiteral(in *Instruction, value []byte) {
	full := make([]byte, 4*len(in.Words[2:]))
	n := copy(full, value)
	def := m.Def(in.Type())
	if n < len(full) && def.Op == OpTypeInt && def.Words[2] == 1 && value[n-1] >= 0x80 {
		for i := n; i < len(full); i++ {
			full[i] = 0xff
		}
	}
	for i := range in.Words[2:] {
		in.Words[2+i] = binary.LittleEndian.Uint32(full[4*i:])
	}
}
