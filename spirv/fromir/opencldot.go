package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// Dot products of integers (cl_khr_integer_dot_product) take vectors of four bytes, or four
// bytes that are packed into 32 bits. In the latter form the name tells which operands have a
// sign: dot_acc_sat_4x8packed_su_int.

const (
	capDotProductInput4x8Bit       = 6017
	capDotProductInput4x8BitPacked = 6018
	capDotProduct                  = 6019

	packedVector4x8Bit = 0 // PackedVectorFormat
)

// integerDots are the instructions by the signs of the operands: the plain one, and the one
// that adds to an accumulator and saturates.
var integerDots = lazy.Map[string, [2]spirv.Opcode]{New: func() map[string][2]spirv.Opcode {
	return map[string][2]spirv.Opcode{
		"uu": {spirv.OpUDot, spirv.OpUDotAccSat},
		"ss": {spirv.OpSDot, spirv.OpSDotAccSat},
		"su": {spirv.OpSUDot, spirv.OpSUDotAccSat},
		"us": {spirv.OpSUDot, spirv.OpSUDotAccSat}, // with the operands exchanged
	}
}}

// isIntegerDot reports whether a name is that of a dot product that only integers have.
func isIntegerDot(name string) bool {
	return strings.HasPrefix(name, "dot_acc_sat") || strings.HasPrefix(name, "dot_4x8packed_")
}

// dotProduct writes dot, of integers or floating-point numbers. That of scalars is a product.
func (c *callSite) dotProduct() {
	switch x := c.function.moduleType(c.operand(0).Type); {
	case !c.mangledParameter(0).isFloating() && x.Kind == ir.TypeVector:
		c.integerDot()
	case x.Kind == ir.TypeVector:
		c.spirvInstruction(spirv.OpDot, "")
	default:
		c.spirvInstruction(spirv.OpFMul, "")
	}
}

// integerDot writes a dot product of integers.
func (c *callSite) integerDot() {
	_, packed, isPacked := strings.Cut(c.builtin.name, "4x8packed_")
	signs, _, _ := strings.Cut(packed, "_")
	if !isPacked {
		signs = c.signOf(0) + c.signOf(1)
	}
	ops, ok := integerDots.Get()[signs]
	if !ok {
		c.failf("%s: the operands are not bytes with and without a sign", c.builtin.name)
	}
	words := []uint32{c.argumentID(0), c.argumentID(1)}
	if signs == "us" {
		words[0], words[1] = words[1], words[0]
	}
	op, capability := ops[0], uint32(capDotProductInput4x8Bit)
	if len(c.operands) > 2 {
		op = ops[1]
		words = append(words, c.argumentID(2))
	}
	if isPacked {
		capability = capDotProductInput4x8BitPacked
		words = append(words, packedVector4x8Bit)
	}
	c.useExtension("SPV_KHR_integer_dot_product")
	c.useCapabilities(capDotProduct, capability)
	c.setResult(c.emitResult(op, c.typ, words...), c.typ)
}

func (c *callSite) signOf(i int) string {
	if c.mangledParameter(i).isUnsigned() {
		return "u"
	}
	return "s"
}
