package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
)

// LLVM checks only the declarations of its own intrinsics: functions of OpenCL and SPIR-V
// may be declared with any number of parameters of any types. The checks here are those that
// the specification states for the instruction that the call becomes.

// checkCount refuses a call whose number of arguments does not fit its instruction.
func (c *callSite) checkCount(count int, bounds func() (least, most int)) {
	least, most := bounds()
	if count < least || most >= 0 && count > most {
		c.failf("%d operands do not fit the instruction, which has %d", count, least)
	}
}

// mixedInstructions are the instructions of OpenCL.std whose operands may have other types
// than the result.
var mixedInstructions = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"ldexp": true, "pown": true, "rootn": true, "ilogb": true, "nan": true, "length": true, "distance": true, "fast_length": true,
		"fast_distance": true, "shuffle": true, "shuffle2": true, "printf": true, "prefetch": true, "select": true, "u_upsample": true,
		"s_upsample": true,
	}
}}

// checkNumbers refuses a call of an instruction of OpenCL.std whose types do not fit: those
// of mixedInstructions have rules of their own, all others want their numbers to be of one
// type. Pointers are not compared.
func (c *callSite) checkNumbers(name string) {
	c.checkMixed(name)
	if mixedInstructions.Get()[name] || strings.HasPrefix(name, "v") || c.isVoid(c.in.Type) {
		return
	}
	result := c.function.moduleType(c.in.Type)
	if k := c.scalarKind(c.in.Type); k != ir.TypeInteger && k != ir.TypeFloat {
		c.failf("the result of %s is a number", name)
	}
	for i := range c.operands {
		typ := c.operand(i).Type
		same := typ == c.in.Type || repeatsScalars.Get()[name] && result.Kind == ir.TypeVector && typ == result.Elements[0]
		if c.function.moduleType(typ).Kind != ir.TypePointer && !same {
			c.failf("argument %d of %s is of another type than the result", i+1, name)
		}
	}
}

// checkMixed refuses a call whose types break the rules of its own instruction.
func (c *callSite) checkMixed(name string) {
	switch name {
	case "length", "distance", "fast_length", "fast_distance":
		if typ, _ := c.numberShape(c.operand(0).Type); typ == nil || typ != c.function.moduleType(c.in.Type) {
			c.failf("the result of %s is of the type of an element", name)
		}
	case "u_upsample", "s_upsample":
		result, length := c.numberShape(c.in.Type)
		for i := range c.operands {
			if typ, count := c.numberShape(c.operand(i).Type); result == nil || typ == nil || count != length || 2*typ.Bits != result.Bits {
				c.failf("the result of upsample has twice the bits of its arguments")
			}
		}
	case "shuffle", "shuffle2":
		result, _ := c.numberShape(c.in.Type)
		for i := range len(c.operands) - 1 {
			if typ, _ := c.numberShape(c.operand(i).Type); typ == nil || typ != result {
				c.failf("the elements of argument %d of shuffle are not those of the result", i+1)
			}
		}
	case "select":
		if c.operand(0).Type != c.in.Type || c.operand(1).Type != c.in.Type {
			c.failf("the first two arguments of select are of the type of the result")
		}
	case "printf":
		if typ := c.function.moduleType(c.in.Type); typ.Kind != ir.TypeInteger || typ.Bits != 32 {
			c.failf("the result of printf is an i32")
		}
		if !c.isPointer(c.operand(0).Type) {
			c.failf("the format of printf is a pointer")
		}
	}
}

// conversionBits are the widths of the types that convert_T names.
var conversionBits = lazy.Map[string, uint32]{New: func() map[string]uint32 {
	return map[string]uint32{
		"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64, "half": 16, "float": 32, "double": 64,
	}
}}

// checkConversion refuses a conversion whose result is not of the type in its name, or whose
// argument does not have the same number of elements.
func (c *callSite) checkConversion(target string) {
	want := ir.TypeInteger
	if target == "half" || target == "float" || target == "double" {
		want = ir.TypeFloat
	}
	to, length := c.numberShape(c.in.Type)
	from, count := c.numberShape(c.operand(0).Type)
	if len(c.operands) != 1 || to == nil || from == nil || length != count || to.Kind != want || to.Bits != conversionBits.Get()[target] || from.Bits == 1 || from.Bits > 64 {
		c.failf("the types are not those of a conversion to %s", target)
	}
}

// numberShape returns the type of a number and 1, or the type of a vector's elements and how
// many there are; the type is nil for all others.
func (c *callSite) numberShape(n ir.TypeID) (typ *ir.Type, length uint64) {
	typ, length = c.function.moduleType(n), 1
	if typ.Kind == ir.TypeVector {
		typ, length = c.function.moduleType(typ.Elements[0]), typ.Length
	}
	if typ.Kind != ir.TypeInteger && typ.Kind != ir.TypeFloat {
		return nil, 0
	}
	return typ, length
}
