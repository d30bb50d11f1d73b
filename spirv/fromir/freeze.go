package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// usesFreezeExtension reports whether freeze and poison are written with
// SPV_KHR_poison_freeze. Allowing all extensions is not enough for that: few consumers know
// this one, and code can always do without it.
func (t *translator) usesFreezeExtension() bool {
	return t.options.allowsExtension("SPV_KHR_poison_freeze") && !t.options.AllExtensions
}

// writeFreeze writes a freeze. Without the extension it is its operand: definedCone makes
// sure that nothing from which the function computes it is undefined.
func (f *function) writeFreeze(in *ir.Instruction, typ id, emit emitter) id {
	n := f.operandID(in.Operands[0], typ)
	if f.usesFreezeExtension() {
		f.useExtension("SPV_KHR_poison_freeze")
		f.useCapabilities(capPoisonFreeze)
		return f.emitLast(emit, spirv.OpFreezeKHR, typ, n)
	}
	return n
}

// definedCone notes the instructions whose values reach a freeze through other operations.
// OpUndef may be a different number at each use, and a decoration whose promise is broken
// leaves a result undefined. So undef is zero in these instructions, and such decorations
// are left out. Values from memory and from callers are taken as they are.
func (f *function) definedCone() {
	if f.usesFreezeExtension() {
		return
	}
	var work []int
	reach := func(i int) {
		if !f.defined[i] {
			f.defined[i] = true
			work = append(work, i)
		}
	}
	for i := range f.ir.Instructions {
		if f.ir.Instructions[i].Op == ir.OpFreeze {
			if f.defined == nil {
				f.defined = make([]bool, len(f.ir.Instructions))
			}
			reach(i)
		}
	}
	for len(work) > 0 {
		in := &f.ir.Instructions[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, v := range in.Operands {
			if v.Kind == ir.ValueInstruction && f.passesUndefined(&f.ir.Instructions[v.Index]) {
				reach(int(v.Index))
			}
		}
	}
}

// passesUndefined reports whether an instruction computes its value only from its operands,
// so that it is defined if these are.
func (f *function) passesUndefined(in *ir.Instruction) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpAlloca, ir.OpAtomicRMW, ir.OpCmpXchg:
		return false
	case ir.OpCall:
		info := f.calledFunction(in)
		return info != nil && info.builtin != nil
	}
	return true
}

// mustBeDefined reports whether definedCone has noted the instruction that is being written.
func (f *function) mustBeDefined() bool {
	return f.defined != nil && f.at < len(f.defined) && f.defined[f.at]
}

// definedPart is constantPart, but with zero for undefined parts.
func (f *function) definedPart(v ir.Value, typ id) id {
	if v.Kind == ir.ValueConstant {
		switch c := f.ir.Constants.At(v); c.Kind {
		case ir.ConstantUndef, ir.ConstantPoison:
			return f.constNull(typ)
		case ir.ConstantAggregate:
			return f.plainConstant(c, typ, f.definedPart)
		}
	}
	return f.constantPart(v, typ)
}

// undefinedElement returns an element of a shuffle's result that is undefined.
func (f *function) undefinedElement(typ id) id {
	if f.mustBeDefined() {
		return f.constNull(typ)
	}
	return f.constUndef(typ)
}

// shuffleIndices returns the literals of an OpVectorShuffle. It has an index for undefined
// elements, the same as LLVM's; where the result must be defined, element 0 serves.
func (f *function) shuffleIndices(list []uint32) []uint32 {
	if !f.mustBeDefined() {
		return list
	}
	known := make([]uint32, len(list))
	for i, n := range list {
		if n != ir.UndefIndex {
			known[i] = n
		}
	}
	return known
}

// addressOpcode returns the instruction of an address computation. inbounds is a promise too.
func (f *function) addressOpcode(in *ir.Instruction) spirv.Opcode {
	if in.Flags&ir.FlagInBounds != 0 && !f.mustBeDefined() {
		return spirv.OpInBoundsPtrAccessChain
	}
	return spirv.OpPtrAccessChain
}
