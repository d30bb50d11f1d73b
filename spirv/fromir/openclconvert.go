package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// Conversions: convert_int4_sat_rte and its like.

var conversionTypes = []string{"float", "double", "half", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}

// conversionWriter returns the writer of convert_T[n][_sat][_rte].
func (t *translator) conversionWriter(name string) func(*callSite) {
	parts := strings.Split(strings.TrimPrefix(name, "convert_"), "_")
	target := strings.TrimRight(parts[0], "0123456789")
	known := false
	for _, c := range conversionTypes {
		known = known || c == target
	}
	for _, p := range parts[1:] {
		switch p {
		case "sat", "rte", "rtz", "rtp", "rtn":
		default:
			known = false
		}
	}
	if !known {
		return nil
	}
	return func(c *callSite) { c.convertNumber(target, strings.Join(parts[1:], "_")) }
}

// convertNumber writes convert_T. The name of the function tells which integers have a
// sign, since LLVM's types do not. A saturating conversion that changes the sign is an
// instruction of its own; others are decorated with the parts after the type.
func (c *callSite) convertNumber(target, postfixes string) {
	c.checkConversion(target)
	v := c.operand(0)
	unsigned, toSigned := c.mangledParameter(0).isUnsigned(), target[0] != 'u'
	source, to := c.scalarKind(v.Type), c.scalarKind(c.in.Type)
	saturates := strings.Contains(postfixes, "sat")
	integers := source == ir.TypeInteger && to == ir.TypeInteger
	if c.typeOf(v) == c.typ && (!integers || !saturates || toSigned == !unsigned) {
		c.finishCall(c.valueID(v))
		return
	}
	op := plainConversion(source, to, unsigned, toSigned)
	switch {
	case integers && saturates && toSigned == !unsigned:
		c.saturateInteger(op, v)
		return
	case integers && saturates && toSigned:
		op, postfixes = spirv.OpSatConvertUToS, ""
	case integers && saturates:
		op, postfixes = spirv.OpSatConvertSToU, ""
	}
	n := c.emitResult(op, c.typ, c.valueID(v))
	c.postfixDecorations(n, postfixes)
	c.finishCall(n)
}

// plainConversion returns the instruction between two kinds of numbers that does not
// saturate.
func plainConversion(from, to ir.TypeKind, unsigned, toSigned bool) spirv.Opcode {
	switch {
	case from == ir.TypeInteger && to == ir.TypeInteger && unsigned:
		return spirv.OpUConvert
	case from == ir.TypeInteger && to == ir.TypeInteger:
		return spirv.OpSConvert
	case from == ir.TypeInteger && unsigned:
		return spirv.OpConvertUToF
	case from == ir.TypeInteger:
		return spirv.OpConvertSToF
	case to == ir.TypeInteger && toSigned:
		return spirv.OpConvertFToS
	case to == ir.TypeInteger:
		return spirv.OpConvertFToU
	}
	return spirv.OpFConvert
}

// saturateInteger writes a saturating conversion between integers that both have a sign,
// or both have none.
func (c *callSite) saturateInteger(op spirv.Opcode, v ir.Value) {
	n := c.emitResult(op, c.typ, c.valueID(v))
	c.b.decorateID(n, decSaturated)
	c.finishCall(n)
}

// scalarKind returns the kind of a number or of the elements of a vector.
func (f *function) scalarKind(n ir.TypeID) ir.TypeKind {
	typ := f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = f.moduleType(typ.Elements[0])
	}
	return typ.Kind
}
