package spirv

import (
	"encoding/binary"
	"fmt"
)

// Magic is the first word of every module (SPIR-V Specification, 2.3). The order of its bytes is
// that of all words of the module.
const Magic = 0x07230203

// HasMagic reports whether code starts with the magic number in little-endian order, which is the
// order that all producers use whose modules offlink reads.
func HasMagic(code []byte) bool {
	return len(code) >= 4 && binary.LittleEndian.Uint32(code) == Magic
}

// EachInstruction calls visit for every instruction of a little-endian module, with the bytes of
// the instruction from its first word on. They are part of code: visit may change them in place.
// It builds no Module and so suits callers that look at a few opcodes of large modules. An
// instruction that is empty or longer than the rest of code is an error.
func EachInstruction(code []byte, visit func(op Opcode, instruction []byte)) error {
	if !HasMagic(code) {
		return ErrNotSPIRV
	}
	if len(code) < 4*headerWords {
		return &FormatError{len(code) &^ 3, OpNop, "the module ends within its header"}
	}
	for at := 4 * headerWords; at < len(code); {
		if len(code)-at < 4 {
			return &FormatError{at, OpNop, "the module ends within a word"}
		}
		first := binary.LittleEndian.Uint32(code[at:])
		op, size := Opcode(first), 4*int(first>>16)
		if size == 0 || size > len(code)-at {
			return &FormatError{at, op, fmt.Sprintf("%d words long with %d bytes left", size/4, len(code)-at)}
		}
		visit(op, code[at:at+size])
		at += size
	}
	return nil
}
