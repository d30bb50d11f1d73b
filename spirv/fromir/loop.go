package fromir

import (
	"slices"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// findLoops finds the loop controls that !llvm.loop asks for. LLVM attaches this metadata
// to the branch of the latch, back to the header; SPIR-V wants OpLoopMerge with the control
// in the header, right before its branch.
func (f *function) findLoops(order []int) {
	for _, latch := range order {
		in := f.ir.Terminator(latch)
		if in.Op != ir.OpBr {
			continue
		}
		for _, a := range in.Attachments {
			if a.Kind == "llvm.loop" {
				f.noteLoop(latch, in, a.Operand)
			}
		}
	}
}

// noteLoop notes the merge instruction of the loop that a latch ends. OpLoopMerge also
// names the block after the loop. Where none is found, OpLoopControlINTEL does without it;
// where that is not allowed the control is left out, since it is only a hint.
func (f *function) noteLoop(latch int, in *ir.Instruction, o ir.Operand) {
	control, parameters := f.loopControl(o)
	if control == 0 {
		return
	}
	targets := slices.Collect(successorBlocks(in))
	header, merge := -1, -1
	if len(targets) == 1 {
		header = targets[0]
		if t := f.ir.Terminator(header); t.Op == ir.OpBr && len(t.Operands) == 3 {
			merge = int(t.Operands[2].Index)
		}
	} else {
		for i, target := range targets {
			if f.blockDominates(target, latch) {
				header, merge = target, targets[1-i]
				break
			}
		}
	}
	// A header that two latches share can have only one merge instruction, and only a
	// branch may follow it: jump threading may leave a switch at the end of a header.
	if header < 0 || f.merges[header] != nil || f.ir.Terminator(header).Op != ir.OpBr {
		return
	}
	words := append([]uint32{control}, parameters...)
	if merge >= 0 {
		words = append([]uint32{f.labels[merge], f.labels[latch]}, words...)
		f.merges[header] = appendInstruction(nil, spirv.OpLoopMerge, words...)
		return
	}
	if f.options.allowsExtension("SPV_INTEL_unstructured_loop_controls") {
		f.instructionNeeds(spirv.OpLoopControlINTEL)
		f.merges[header] = appendInstruction(nil, spirv.OpLoopControlINTEL, words...)
	}
}

// blockDominates reports whether a block dominates another.
func (f *function) blockDominates(a, b int) bool {
	if f.dom == nil { // there is one block
		return a == b
	}
	for b >= 0 {
		if a == b {
			return true
		}
		b = f.dom[b]
	}
	return false
}

// loopControls are the metadata of loops that become a bit of Loop Control (SPIR-V), with
// the number that follows them as its parameter if it has one. Names are those of LLVM's
// TransformMetadata and, for FPGAs, of DPC++'s attributes. Bits from 16 on belong to
// SPV_INTEL_fpga_loop_controls.
var loopControls = lazy.Map[string, loopControlRow]{New: func() map[string]loopControlRow {
	return map[string]loopControlRow{
		"llvm.loop.unroll.disable": {2, false}, "llvm.loop.unroll.enable": {1, false}, "llvm.loop.ivdep.enable": {4, false},
		"llvm.loop.ivdep.safelen": {8, true}, "llvm.loop.ii.count": {1 << 16, true}, "llvm.loop.max_concurrency.count": {1 << 17, true},
		"llvm.loop.intel.pipelining.enable": {1 << 19, true}, "llvm.loop.coalesce.enable": {1 << 20, true},
		"llvm.loop.coalesce.count": {1 << 20, true}, "llvm.loop.max_interleaving.count": {1 << 21, true},
		"llvm.loop.intel.speculated.iterations.count": {1 << 22, true}, "llvm.loop.fusion.disable": {1 << 23, false},
		"llvm.loop.intel.max_reinvocation_delay.count": {1 << 25, true},
	}
}}

// loopControlRow is a row of loopControls.
type loopControlRow struct {
	bit       uint32
	parameter bool
}

const (
	loopUnroll       = 1
	loopDontUnroll   = 2
	loopPeelCount    = 128
	loopPartialCount = 256
	loopCountINTEL   = 1 << 24

	loopDependencyArray = 1 << 18
)

// loopCounts are the metadata for the bit loopCountINTEL, with their places among its three
// numbers.
var loopCounts = lazy.Map[string, int]{New: func() map[string]int {
	return map[string]int{"llvm.loop.intel.loopcount_min": 0, "llvm.loop.intel.loopcount_max": 1, "llvm.loop.intel.loopcount_avg": 2}
}}

// loopControl decodes !llvm.loop metadata. Parameters are in the order of the bits to which
// they belong, not in that of the metadata.
func (f *function) loopControl(o ir.Operand) (control uint32, parameters []uint32) {
	values := map[uint32][]uint32{}
	var dependencies []uint32
	counts := [3]int64{-1, -1, -1}
	for _, r := range f.resolveNode(o) {
		row, err := f.module.Resolve(r)
		if err != nil || len(row) == 0 || row[0].Kind != ir.OperandString {
			continue
		}
		name := row[0].String
		if k, ok := loopCounts.Get()[name]; ok && f.usesFPGALoops() {
			counts[k] = int64(int32(numberAt(row, 1)))
			control |= loopCountINTEL
			continue
		}
		if name == "llvm.loop.parallel_access_indices" && f.options.allowsExtension("SPV_INTEL_fpga_loop_controls") {
			dependencies = append(dependencies, f.loopDependencies(row[1:])...)
			continue
		}
		control |= f.loopBit(name, numberAt(row, 1), control, values)
	}
	if len(dependencies) > 0 && f.usesFPGALoops() {
		control |= loopDependencyArray
		values[loopDependencyArray] = append([]uint32{uint32(len(dependencies) / 2)}, dependencies...)
	}
	if control&loopCountINTEL != 0 {
		for _, n := range counts {
			values[loopCountINTEL] = append(values[loopCountINTEL], f.b.literalWord(uint32(n)), f.b.literalWord(uint32(n>>32)))
		}
	}
	for bit := uint32(1); bit != 0 && bit <= control; bit <<= 1 {
		if control&bit != 0 {
			parameters = append(parameters, values[bit]...)
		}
	}
	return control, parameters
}

// loopBit returns the bits of one string of metadata and notes their parameters in values.
// PartialCount and PeelCount are of SPIR-V 1.4; modules of older versions go without these
// hints.
func (f *function) loopBit(name string, n, control uint32, values map[uint32][]uint32) uint32 {
	partial := func(bit uint32) uint32 {
		if f.options.Version < spirv.Version1_4 {
			return 0
		}
		f.needVersion(spirv.Version1_4)
		values[bit] = []uint32{f.b.literalWord(n)}
		return bit
	}
	switch name {
	case "llvm.loop.unroll.full":
		n = 1
		return loopUnroll | partial(loopPartialCount)
	case "llvm.loop.unroll.count":
		if control&loopDontUnroll != 0 {
			return 0
		}
		return partial(loopPartialCount)
	case "llvm.loop.peel.count":
		return partial(loopPeelCount)
	}
	c, ok := loopControls.Get()[name]
	if !ok || c.bit >= 1<<16 && !f.usesFPGALoops() {
		return 0
	}
	if c.parameter {
		values[c.bit] = []uint32{f.b.literalWord(n)}
	}
	return c.bit
}

// usesFPGALoops notes the extension of loop controls of FPGAs, if it is allowed.
func (f *function) usesFPGALoops() bool {
	if !f.options.allowsExtension("SPV_INTEL_fpga_loop_controls") {
		return false
	}
	f.useExtension("SPV_INTEL_fpga_loop_controls")
	f.useCapabilities(5888)
	return true
}

// loopDependencies returns the arrays that a loop accesses in parallel, each followed by the
// length up to which that is safe, 0 for any. The metadata name groups of address
// computations, which lead to the arrays.
func (f *function) loopDependencies(operands []ir.Operand) (words []uint32) {
	safe := uint32(0)
	if n := len(operands); n > 0 && operands[n-1].Kind == ir.OperandInt {
		safe = uint32(operands[n-1].Int)
		operands = operands[:n-1]
	}
	if f.indexGroups == nil {
		f.findIndexGroups()
	}
	for _, o := range operands {
		if o.Kind != ir.OperandNode {
			continue
		}
		for _, array := range f.indexGroups[o.Node] {
			words = append(words, array, f.b.literalWord(safe))
		}
	}
	return words
}

// findIndexGroups finds the arrays that the address computations with
// !llvm.index.group access. The node is the group, or names its groups.
func (f *function) findIndexGroups() {
	f.indexGroups = make(map[ir.NodeID][]id)
	for i := range f.ir.Instructions {
		in := &f.ir.Instructions[i]
		if in.Op != ir.OpGEP {
			continue
		}
		for _, a := range in.Attachments {
			if a.Kind != "llvm.index.group" || a.Operand.Kind != ir.OperandNode {
				continue
			}
			groups := f.resolveNode(a.Operand)
			if len(groups) == 0 {
				groups = []ir.Operand{a.Operand}
			}
			array := f.accessedArray(in.Operands[0])
			for _, g := range groups {
				if g.Kind == ir.OperandNode && array != 0 && !slices.Contains(f.indexGroups[g.Node], array) {
					f.indexGroups[g.Node] = append(f.indexGroups[g.Node], array)
				}
			}
		}
	}
}

// accessedArray returns the array that an address computation starts from: a variable, an
// argument, or the result of an instruction. For a pointer that is loaded it is the place
// from which it is loaded. It is 0 for all others.
func (f *function) accessedArray(v ir.Value) id {
	if v.Kind == ir.ValueInstruction && f.ir.Instructions[v.Index].Op == ir.OpLoad {
		v = f.ir.Instructions[v.Index].Operands[0]
	}
	switch v.Kind {
	case ir.ValueArgument:
		return f.args[v.Index]
	case ir.ValueInstruction:
		return f.reserveID(int(v.Index))
	case ir.ValueGlobal:
		if f.module.Values[v.Index].Kind == ir.Variable && !f.isPrivateConstant(ir.ValueID(v.Index)) {
			return f.globalAddress(ir.ValueID(v.Index))
		}
	}
	return 0
}
