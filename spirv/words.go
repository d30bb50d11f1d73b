package spirv

import (
	"encoding/binary"
	"fmt"
)

// Magic is the first word of every module (SPIR-V Specification, 2.3). Its
// bytes tell the byte order of the module; the other words follow that order.
const Magic = 0x07230203

// HasMagic tells whether code starts with the magic number in little-endian
// order, the order of every producer that offlink reads from.
func HasMagic(code []byte) bool {
	return len(code) >= 4 && binary.LittleEndian.Uint32(code) == Magic
}

// EachInstruction calls visit for every instruction of a little-endian module,
// with the bytes of the instruction from its first word on. They are part of
// code: visit may change them in place. It does not build a Module, for
// callers that look at a few opcodes of large modules. An instruction that is
// empty or longer than the rest of code is an error.
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
