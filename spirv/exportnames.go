package spirv

import (
	"encoding/binary"
	"fmt"
)

// ExportNames reads the names under which a module exports functions and variables from its
// decorations alone, which costs a fraction of Parse: an index of many modules needs no more.
// It reads up to the first function, so that a module that Parse refuses may have names; for one
// that Parse takes they are those of Module.Exports, and perhaps those of variables that the
// device provides.
func ExportNames(code []byte) ([]string, error) {
	order, err := byteOrder(code)
	if err != nil {
		return nil, err
	}
	if len(code) < 4*headerWords {
		return nil, &FormatError{len(code), OpNop, "the module ends within its header"}
	}
	var names []string
	for at := 4 * headerWords; at < len(code); {
		word := order.Uint32(code[at:])
		op, size := Opcode(word), 4*int(word>>16)
		if size == 0 || size > len(code)-at {
			return nil, &FormatError{at, op, fmt.Sprintf("%d words long with %d words left", size/4, (len(code)-at)/4)}
		}
		if op == OpFunction {
			break
		}
		if op == OpDecorate || op == OpDecorateId || op == OpDecorateString {
			names = appendExportName(names, code[at+4:at+size], order)
		}
		at += size
	}
	return names, nil
}

// appendExportName appends the name if the operands of a decoration are those of a linkage that
// exports.
func appendExportName(names []string, operands []byte, order binary.ByteOrder) []string {
	const kind, name = 4, 8 // after the target
	if len(operands) <= name || DecorationKind(order.Uint32(operands[kind:])) != DecorationLinkageAttributes {
		return names
	}
	words := make([]uint32, (len(operands)-name)/4)
	for i := range words {
		words[i] = order.Uint32(operands[name+4*i:])
	}
	if text, linkage, ok := linkageAttributes(words); ok && linkage != LinkageImport {
		return append(names, text)
	}
	return names
}
