package fromir

import (
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// fpgaRegister is the annotation that asks for a register on an FPGA.
const fpgaRegister = "__builtin_intel_fpga_reg"

// valueAnnotation writes llvm.annotation: as a register of an FPGA, or as its value.
func (c *callSite) valueAnnotation() {
	if c.annotationText(1) != fpgaRegister || !c.options.allowsExtension("SPV_INTEL_fpga_reg") {
		c.passArgument()
		return
	}
	c.registerValue()
}

// registerValue writes an FPGARegINTEL of the first argument, which is the call's result.
func (c *callSite) registerValue() {
	v := c.operand(0)
	c.instructionNeeds(spirv.OpFPGARegINTEL)
	own := c.typeOf(v)
	c.setResult(c.emitResult(spirv.OpFPGARegINTEL, own, c.operandID(v, 0)), own)
}

// Decorations that only pointers have.
const (
	decLatencyLabel      = 6172
	decLatencyConstraint = 6173
	decCacheLoad         = 6442
)

// variableAnnotation writes llvm.var.annotation: it decorates the variable, except with the
// decorations that only pointers have.
func (c *callSite) variableAnnotation() {
	if n := c.annotatedID(); n != 0 {
		c.annotateWith(n, c.annotationText(1), decBufferLocation, decLatencyLabel, decLatencyConstraint, decCacheLoad)
	}
}

// pointerAnnotation writes llvm.ptr.annotation: it decorates the pointer, which is also the
// result. Latency is a property of accesses, so only a pointer that is used for one gets it.
func (c *callSite) pointerAnnotation() {
	text := c.annotationText(1)
	if text == fpgaRegister && c.options.allowsExtension("SPV_INTEL_fpga_reg") {
		c.registerValue()
		return
	}
	if n := c.annotatedID(); n != 0 && text != "" && text != fpgaRegister {
		var without []uint32
		if !c.accessesMemory() {
			without = []uint32{decLatencyLabel, decLatencyConstraint}
		}
		c.annotateWith(n, text, without...)
	}
	c.passArgument()
}

// annotatedID returns the argument or the instruction's result that a call annotates, or 0
// for other values.
func (c *callSite) annotatedID() id {
	switch v := c.operand(0); v.Kind {
	case ir.ValueArgument, ir.ValueInstruction:
		return c.operandID(v, 0)
	}
	return 0
}

// accessesMemory reports whether a load, a store or a copy uses the call's result, directly or
// after a cast.
func (c *callSite) accessesMemory() bool {
	if c.accessed == nil {
		c.findAccesses()
	}
	return c.accessed[c.index]
}

// findAccesses finds the instructions whose results loads, stores and copies use, directly or
// after a cast. It does so for all annotations of the function at once: a search for each
// would make the work quadratic.
func (f *function) findAccesses() {
	used := func(use func(i int, in *ir.Instruction) bool) []bool {
		list := make([]bool, len(f.ir.Instructions))
		for i := range f.ir.Instructions {
			in := &f.ir.Instructions[i]
			if !use(i, in) {
				continue
			}
			for _, v := range in.Operands {
				if v.Kind == ir.ValueInstruction {
					list[v.Index] = true
				}
			}
		}
		return list
	}
	direct := used(func(_ int, in *ir.Instruction) bool {
		return in.Op == ir.OpLoad || in.Op == ir.OpStore || f.copiesMemory(in)
	})
	f.accessed = used(func(i int, in *ir.Instruction) bool {
		return direct[i] && (in.Op == ir.OpBitCast || in.Op == ir.OpAddrSpaceCast)
	})
	for i, is := range direct {
		f.accessed[i] = f.accessed[i] || is
	}
}

// copiesMemory reports whether an instruction is a call of llvm.memcpy.
func (f *function) copiesMemory(in *ir.Instruction) bool {
	if in.Op != ir.OpCall {
		return false
	}
	callee := in.Operands[0]
	return callee.Kind == ir.ValueGlobal && strings.HasPrefix(f.module.Values[callee.Index].Name, "llvm.memcpy.")
}

// annotationText returns the string that an argument points to, with the numbers of the
// struct that the fifth argument points to: "text: 1, 2".
func (c *callSite) annotationText(argument int) string {
	n, ok := c.annotationVariable(argument)
	if !ok {
		return ""
	}
	text := c.stringVariable(n)
	if numbers, ok := c.annotationVariable(4); ok {
		text += c.numbersText(numbers)
	}
	return text
}

// annotationVariable returns the variable that an argument is the address of.
func (c *callSite) annotationVariable(argument int) (n ir.ValueID, ok bool) {
	if argument >= len(c.operands) {
		return 0, false
	}
	v := c.underlyingObject(c.operand(argument))
	if v.Kind != ir.ValueGlobal || c.module.Values[v.Index].Kind != ir.Variable {
		return 0, false
	}
	return ir.ValueID(v.Index), true
}

// numbersText spells the integers of a constant struct after a colon: ": 1, 2". They are
// signed, except for a truth value that comes first.
func (t *translator) numbersText(n ir.ValueID) (text string) {
	v := &t.module.Values[n]
	typ := t.moduleType(v.Type)
	if v.Declaration || typ.Kind != ir.TypeStruct {
		return ""
	}
	init, err := t.module.Initializer(n)
	if err != nil {
		return ""
	}
	if init.Kind == ir.ConstantZero {
		return ": 0" + strings.Repeat(", 0", max(len(typ.Elements)-1, 0))
	}
	for i, e := range init.Elements {
		if e.Kind != ir.ConstantInt || e.Bits == 0 || e.Bits > 64 {
			continue
		}
		value := int64(e.Int)
		if e.Bits > 1 || i > 0 {
			value = value << (64 - e.Bits) >> (64 - e.Bits)
		}
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		text += separator + strconv.FormatInt(value, 10)
	}
	return text
}
