package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// loops finds the loop controls that !llvm.loop of latches asks for.
func (f *function) loops(order []int) {
	for _, latch := range order {
		in := f.ir.Terminator(latch)
		if in.Op != ir.OpBr {
			continue
		}
		for _, a := range in.Attachments {
			if a.Kind == "llvm.loop" {
				f.loop(latch, in, a.Operand)
			}
		}
	}
}

// loop notes the merge instruction of the loop that a latch ends.
func (f *function) loop(latch int, in *ir.Instruction, o ir.Operand) {
	control, parameters := f.loopControl(o)
	if control == 0 {
		return
	}
	targets := successors(in)
	header, merge := -1, -1
	if len(targets) == 1 {
		header = targets[0]
		if t := f.ir.Terminator(header); t.Op == ir.OpBr && len(t.Operands) == 3 {
			merge = int(t.Operands[2].Index)
		}
	} else {
		for i, target := range targets {
			if f.dominates(target, latch) {
				header, merge = target, targets[1-i]
				break
			}
		}
	}
	if header < 0 || merge < 0 || f.merges[header] != nil {
		return
	}
	words := append([]uint32{f.labels[merge], f.labels[latch], control}, parameters...)
	f.merges[header] = appendInstruction(nil, spirv.OpLoopMerge, words...)
}

// dominates reports whether a block dominates another.
func (f *function) dominates(a, b int) bool {
	if f.dom == nil {
		f.dom = dominators(f.ir)
	}
	for b >= 0 {
		if a == b {
			return true
		}
		b = f.dom[b]
	}
	return false
}

// loopControl decodes !llvm.loop metadata. Of several, the order of bits is
// the order of parameters.
func (f *function) loopControl(o ir.Operand) (control uint32, parameters []uint32) {
	rows, err := f.module.Resolve(o)
	if err != nil {
		f.failf("%v", err)
	}
	values := map[uint32]uint32{}
	for _, r := range rows {
		row, err := f.module.Resolve(r)
		if err != nil || len(row) == 0 || row[0].Kind != ir.OperandString {
			continue
		}
		n := numberAt(row, 1)
		switch row[0].String {
		case "llvm.loop.unroll.disable":
			control |= 2
		case "llvm.loop.unroll.enable", "llvm.loop.unroll.full":
			control |= 1
		case "llvm.loop.ivdep.enable":
			control |= 4
		case "llvm.loop.ivdep.safelen":
			control |= 8
			values[8] = n
		case "llvm.loop.unroll.count":
			if f.options.Version >= spirv.Version1_4 {
				f.needVersion(spirv.Version1_4)
				control |= 256
				values[256] = n
			}
		case "llvm.loop.peel.count":
			if f.options.Version >= spirv.Version1_4 {
				f.needVersion(spirv.Version1_4)
				control |= 128
				values[128] = n
			}
		}
	}
	for bit := uint32(1); bit != 0 && bit <= control; bit <<= 1 {
		if n, ok := values[bit]; ok && control&bit != 0 {
			parameters = append(parameters, n)
		}
	}
	return control, parameters
}
