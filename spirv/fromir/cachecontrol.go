package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// cacheControls decorates the pointers of an instruction for which metadata ask for cache
// controls: tuples of a decoration, its two operands, and the number of the instruction's
// operand. It decorates a copy, because the pointer's own decoration would be for all uses.
func (f *function) cacheControls(in *ir.Instruction) {
	if in.Op == ir.OpPhi {
		return // nothing may stand before it
	}
	for _, a := range in.Attachments {
		if a.Kind != "spirv.DecorationCacheControlINTEL" || !f.options.allowsExtension("SPV_INTEL_cache_controls") {
			continue
		}
		for _, o := range f.resolveNode(a.Operand) {
			row := f.resolveNode(o)
			if len(row) != 4 || row[3].Kind != ir.OperandInt {
				continue
			}
			if v, ok := controlledPointer(in, row[3].Int); ok && f.isPointer(v.Type) {
				f.metadataDecoration(f.copyPointer(v), uint32(row[0].Int), row[1:3])
			}
		}
	}
}

// controlledPointer returns the operand of that number, as LLVM counts them: a call's
// arguments come first.
func controlledPointer(in *ir.Instruction, number int64) (v ir.Value, ok bool) {
	operands := in.Operands
	if in.Op == ir.OpCall {
		operands = operands[1:]
	}
	if number < 0 || number >= int64(len(operands)) {
		return v, false
	}
	v = operands[number]
	return v, v.Kind == ir.ValueArgument || v.Kind == ir.ValueInstruction || v.Kind == ir.ValueGlobal
}

// copyPointer returns the copy of a pointer for the instruction that is being written, which
// takes it from f.cached. An address computation with index 0 makes the copy.
func (f *function) copyPointer(v ir.Value) id {
	if n := f.cached[v]; n != 0 {
		return n
	}
	own := f.typeOf(v)
	n := f.emitResult(spirv.OpPtrAccessChain, own, f.operandID(v, 0), f.constWord(0))
	if f.cached == nil {
		f.cached = make(map[ir.Value]id)
	}
	f.cached[v] = n
	return n
}
