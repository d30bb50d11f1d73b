package fromir

import (
	"slices"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// atomicForm is the operation of an atomic function and its arguments.
type atomicForm struct {
	kind     string // add, exchange, load, ...
	explicit bool   // an order follows, and maybe a scope
	legacy   bool   // of OpenCL C 1.x: relaxed, for the work-group
}

// atomicFunction returns the writer of an atomic function of OpenCL C 1.x or 2.0, or nil for
// other functions.
func atomicFunction(name string) func(*callSite) {
	rest, old := strings.CutPrefix(name, "atom_")
	if !old {
		rest = strings.TrimPrefix(name, "atomic_")
	}
	rest, explicit := strings.CutSuffix(rest, "_explicit")
	form := atomicForm{kind: rest, explicit: explicit}
	switch rest {
	case "add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor":
		form.legacy = true
		form.kind = map[string]string{"xchg": "exchange", "cmpxchg": "compare_exchange_legacy"}[rest]
		if form.kind == "" {
			form.kind = rest
		}
	case "init", "store", "load", "exchange", "compare_exchange_strong", "compare_exchange_weak", "flag_test_and_set", "flag_clear":
	default:
		kind, ok := strings.CutPrefix(rest, "fetch_")
		if !ok {
			return nil
		}
		switch kind {
		case "add", "sub", "or", "xor", "and", "min", "max":
		default:
			return nil
		}
		form.kind = kind
	}
	return func(c *callSite) { c.writeAtomic(form) }
}

// atomicOpcodes are the instructions of atomic functions.
var atomicOpcodes = lazy.Map[string, spirv.Opcode]{New: func() map[string]spirv.Opcode {
	return map[string]spirv.Opcode{
		"add": spirv.OpAtomicIAdd, "sub": spirv.OpAtomicISub, "and": spirv.OpAtomicAnd, "or": spirv.OpAtomicOr, "xor": spirv.OpAtomicXor,
		"inc": spirv.OpAtomicIIncrement, "dec": spirv.OpAtomicIDecrement, "exchange": spirv.OpAtomicExchange, "load": spirv.OpAtomicLoad,
		"store": spirv.OpAtomicStore, "min": spirv.OpAtomicSMin, "max": spirv.OpAtomicSMax,
		"flag_test_and_set": spirv.OpAtomicFlagTestAndSet, "flag_clear": spirv.OpAtomicFlagClear,
	}
}}

// valueCount returns how many arguments besides the object are values.
func (a atomicForm) valueCount() int {
	switch a.kind {
	case "load", "inc", "dec", "flag_test_and_set", "flag_clear":
		return 0
	case "compare_exchange_strong", "compare_exchange_weak", "compare_exchange_legacy":
		return 2
	}
	return 1
}

// writeAtomic writes an atomic function.
func (c *callSite) writeAtomic(form atomicForm) {
	if len(c.operands) > 0 {
		c.operands = slices.Clone(c.operands)
		c.operands[0] = c.namedSpace(c.operand(0))
	}
	order, scope := c.atomicOrder(form, 1+form.valueCount())
	switch form.kind {
	case "init":
		value := c.valueID(c.operand(1))
		c.emitPlain(spirv.OpStore, c.argAs(0, c.typeID(c.operand(1).Type)), value)
	case "store":
		value := c.operand(1)
		c.atomicNeeds(spirv.OpAtomicStore, value.Type)
		c.emitPlain(spirv.OpAtomicStore, c.argAs(0, c.typeID(value.Type)), scope, order, c.valueID(value))
	case "flag_clear":
		c.emitPlain(spirv.OpAtomicFlagClear, c.argAs(0, c.intType(32)), scope, order)
	case "flag_test_and_set":
		n := c.emitResult(spirv.OpAtomicFlagTestAndSet, c.boolType(), c.argAs(0, c.intType(32)), scope, order)
		if !c.isBool(c.in.Type) {
			c.checkTruth()
			n = c.emitResult(spirv.OpSelect, c.typ, n, c.splatConstant(c.in.Type, 1), c.splatConstant(c.in.Type, 0))
		}
		c.finishCall(n)
	case "compare_exchange_strong", "compare_exchange_weak", "compare_exchange_legacy":
		c.atomicCompare(form, scope, order)
	default:
		c.atomicValue(form, scope, order)
	}
}

// atomicValue writes an atomic function that returns the value of the memory.
func (c *callSite) atomicValue(form atomicForm, scope, order uint32) {
	op := c.atomicOpcode(form)
	c.atomicNeeds(op, c.in.Type)
	words := []uint32{c.argAs(0, c.typ), scope, order}
	if form.valueCount() == 1 {
		value := c.valueID(c.operand(1))
		if c.function.typeOf(c.operand(1)) != c.typ {
			c.failf("its value and its result are of different types")
		}
		if op == spirv.OpAtomicFAddEXT && form.kind == "sub" {
			value = c.emitResult(spirv.OpFNegate, c.typ, value)
		}
		words = append(words, value)
	}
	c.finishCall(c.emitResult(op, c.typ, words...))
}

// namedSpace returns the pointer that was cast to the generic address space, or v if it was
// not cast. OpenCL C 2.0 declares its atomic functions only for the generic address space,
// while Intel's CPU driver implements most of them only for the others.
func (c *callSite) namedSpace(v ir.Value) ir.Value {
	var from ir.Value
	switch v.Kind {
	case ir.ValueInstruction:
		if in := &c.ir.Instructions[v.Index]; in.Op == ir.OpAddrSpaceCast {
			from = in.Operands[0]
		}
	case ir.ValueConstant:
		if n := c.ir.Constants.At(v); n.Kind == ir.ConstantExpression && n.Expression.Op == ir.OpAddrSpaceCast {
			from = n.Operands[0]
		}
	}
	if from.Kind == ir.ValueNone || c.function.moduleType(v.Type).Kind != ir.TypePointer {
		return v
	}
	if c.function.moduleType(v.Type).AddressSpace != 4 || c.function.moduleType(from.Type).AddressSpace == 0 {
		return v // SPIR-V has no atomics on private memory
	}
	return from
}

// atomicMask returns the bits of the memory semantics for the memory that an atomic
// function's object is in.
func (c *callSite) atomicMask() uint32 {
	return pointerSemantics(c.function.moduleType(c.operand(0).Type).AddressSpace)
}

// atomicOrder returns the order and the scope of an atomic function. first is the argument
// that states the order, if the function is explicit; a second order, for failure, follows
// it in comparisons, and then the scope, which may be left out.
func (c *callSite) atomicOrder(form atomicForm, first int) (order, scope id) {
	if form.explicit && first < len(c.operands) {
		last := first
		if strings.HasPrefix(form.kind, "compare_exchange") {
			last++
		}
		order, scope = c.memoryOrder(first, c.atomicMask()), c.constWord(scopeDevice)
		if last+1 < len(c.operands) {
			scope = c.memoryScope(last + 1)
		}
		return order, scope
	}
	if form.legacy {
		return c.constWord(c.atomicMask()), c.constWord(scopeWorkgroup)
	}
	return c.constWord(semSequential | c.atomicMask()), c.constWord(scopeDevice)
}

// atomicOpcode returns the instruction. For minima and maxima it depends on whether the value
// has a sign, which only the mangled name tells: its value in OpenCL C 1.x, its object in
// 2.0.
func (c *callSite) atomicOpcode(form atomicForm) spirv.Opcode {
	op := atomicOpcodes.Get()[form.kind]
	if c.scalarKind(c.in.Type) == ir.TypeFloat {
		switch form.kind {
		case "add", "sub":
			op = spirv.OpAtomicFAddEXT
		case "min":
			op = spirv.OpAtomicFMinEXT
		case "max":
			op = spirv.OpAtomicFMaxEXT
		}
		return op
	}
	if form.kind == "min" || form.kind == "max" {
		value := c.mangledParameter(1)
		if !form.legacy {
			value = c.mangledParameter(0)
		}
		if value.isUnsigned() {
			op = map[string]spirv.Opcode{"min": spirv.OpAtomicUMin, "max": spirv.OpAtomicUMax}[form.kind]
		}
	}
	return op
}

// atomicCompare writes a compare-and-exchange. That of OpenCL C 1.x returns the value that
// was in memory. That of 2.0 stores this value through its second argument and returns
// whether it was the expected one.
func (c *callSite) atomicCompare(form atomicForm, scope, order id) {
	if form.kind == "compare_exchange_legacy" {
		c.atomicNeeds(spirv.OpAtomicCompareExchange, c.in.Type)
		pointer := c.argAs(0, c.typ)
		n := c.emitResult(spirv.OpAtomicCompareExchange, c.typ, pointer, scope, order, order,
			c.valueID(c.operand(2)), c.valueID(c.operand(1)))
		c.finishCall(n)
		return
	}
	failure := order
	if form.explicit && len(c.operands) > 4 {
		failure = c.failureOrder(4, c.atomicMask())
	}
	desired := c.operand(2)
	typ, value := c.typeID(desired.Type), c.valueID(desired)
	c.atomicNeeds(spirv.OpAtomicCompareExchange, desired.Type)
	size, align := c.memoryLayout(desired.Type)
	if c.scalarKind(desired.Type) == ir.TypeFloat { // the instruction compares bits, as C does
		typ = c.intType(uint32(size) * 8)
		if size == 8 {
			c.useCapabilities(capInt64Atomics)
		}
		value = c.emitResult(spirv.OpBitcast, typ, value)
	}
	expected := c.argAs(1, typ)
	want := c.emitResult(spirv.OpLoad, typ, expected, accessAligned, uint32(align))
	op := spirv.OpAtomicCompareExchange
	if form.kind == "compare_exchange_weak" && c.options.Version < spirv.Version1_4 { // 1.4 removed it
		op = spirv.OpAtomicCompareExchangeWeak
	}
	old := c.emitResult(op, typ, c.argAs(0, typ), scope, order, failure, value, want)
	c.emitPlain(spirv.OpStore, expected, old, accessAligned, uint32(align))
	same := c.emitResult(spirv.OpIEqual, c.boolType(), old, want)
	if !c.isBool(c.in.Type) {
		c.checkTruth()
		same = c.emitResult(spirv.OpSelect, c.typ, same, c.splatConstant(c.in.Type, 1), c.splatConstant(c.in.Type, 0))
	}
	c.finishCall(same)
}
