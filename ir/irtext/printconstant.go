package irtext

import (
	"fmt"
	"math"
	"strconv"

	"offlink/ir"
)

// appendConstant appends a constant of that type, without the type.
func (w *writer) appendConstant(b []byte, id ir.TypeID, c *ir.Constant) []byte {
	switch c.Kind {
	case ir.ConstantInt:
		return appendInteger(b, w.text.module.Types[id].Bits, c.Int)
	case ir.ConstantFloat:
		return appendFloat(b, w.text.module.Types[id].Name, c.Int)
	case ir.ConstantWide:
		t := &w.text.module.Types[id]
		if t.Kind == ir.TypeFloat {
			return appendWideFloat(b, t.Name, c.Words)
		}
		return appendWideInteger(b, t.Bits, c.Words)
	case ir.ConstantBytes:
		return appendQuoted(append(b, 'c'), c.Bytes)
	case ir.ConstantAggregate:
		return w.appendAggregate(b, id, c)
	case ir.ConstantUndef:
		return append(b, "undef"...)
	case ir.ConstantZero:
		return append(b, "zeroinitializer"...)
	}
	w.parser.failAt(0, "a constant that was not decoded cannot be written")
	return nil
}

// appendInteger appends an integer as LLVM writes it: signed decimal, or true
// and false.
func appendInteger(b []byte, bits uint32, n uint64) []byte {
	if bits == 1 {
		return strconv.AppendBool(b, n&1 != 0)
	}
	return strconv.AppendInt(b, signExtend(n, int(bits)), 10)
}

// appendFloat appends a floating-point number as LLVM writes it: its bits in hexadecimal. A float
// has the bits of the double of the same value.
func appendFloat(b []byte, typeName string, bits uint64) []byte {
	switch typeName {
	case "half":
		return fmt.Appendf(b, "0xH%04X", bits)
	case "bfloat":
		return fmt.Appendf(b, "0xR%04X", bits)
	case "float":
		bits = math.Float64bits(float64(math.Float32frombits(uint32(bits))))
	}
	return fmt.Appendf(b, "0x%016X", bits)
}

// appendAggregate appends an array, vector or struct with the types of its
// elements.
func (w *writer) appendAggregate(b []byte, id ir.TypeID, c *ir.Constant) []byte {
	t := &w.text.module.Types[id]
	open, end := "[", "]"
	switch {
	case t.Kind == ir.TypeVector:
		open, end = "<", ">"
	case t.Kind == ir.TypeStruct && t.Packed:
		open, end = "<{ ", " }>"
	case t.Kind == ir.TypeStruct:
		open, end = "{ ", " }"
	}
	b = append(b, open...)
	for i := range c.Elements {
		if i > 0 {
			b = append(b, ", "...)
		}
		element := t.Elements[0]
		if t.Kind == ir.TypeStruct {
			element = t.Elements[i]
		}
		b = append(w.text.appendType(b, element), ' ')
		b = w.appendConstant(b, element, &c.Elements[i])
	}
	return append(b, end...)
}
