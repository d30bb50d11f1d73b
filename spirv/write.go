package spirv

import "encoding/binary"

// allInstructions calls yield for every instruction in the order of the logical
// layout.
func (m *Module) allInstructions(yield func(*Instruction) bool) {
	for _, section := range m.sections {
		for _, in := range section {
			if !yield(in) {
				return
			}
		}
	}
	end := &Instruction{Op: OpFunctionEnd}
	for _, f := range m.functions {
		if !f.eachInstruction(yield) || !yield(end) {
			return
		}
	}
}

// eachInstruction calls yield for the instructions of a function, except OpFunctionEnd, which
// Function does not keep. It returns false if yield did.
func (f *Function) eachInstruction(yield func(*Instruction) bool) bool {
	if !yield(f.Def) {
		return false
	}
	for _, list := range [][]*Instruction{f.Params, f.Body} {
		for _, in := range list {
			if !yield(in) {
				return false
			}
		}
	}
	return true
}

// Bytes returns the module as little-endian words. A module that Parse read comes back
// unchanged, except for its byte order and for the parts that Parse drops: lines and OpNop between
// functions, and names and decorations of identifiers that nothing defines.
func (m *Module) Bytes() []byte {
	out := binary.LittleEndian.AppendUint32(nil, Magic)
	for _, w := range []uint32{uint32(m.Version), m.Generator, m.Bound, 0} {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	for in := range m.allInstructions {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(in.Words)+1)<<16|uint32(in.Op))
		for _, w := range in.Words {
			out = binary.LittleEndian.AppendUint32(out, w)
		}
	}
	return out
}
