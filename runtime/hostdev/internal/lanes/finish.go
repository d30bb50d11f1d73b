package lanes

// Finish makes the function ready: blocks that are not reached and values that nobody uses
// are left out, and the rest is numbered. The order of the steps counts: promotion makes
// operands the same values, by which mergeEqual finds equal operations, and pairs are
// found where two accesses have the same value as their address.
func (f *Function) Finish() error {
	f.structureLoops()
	if f.LanesMeet {
		if err := f.releaseWaiters(); err != nil {
			return err
		}
	}
	f.orderBlocks()
	f.promoteRegisters()
	f.mergeEqual()
	f.pairAccesses()
	f.markLive()
	f.numberValues()
	return nil
}

// orderBlocks brings the blocks into reverse postorder, without those that are not reached.
func (f *Function) orderBlocks() {
	f.numberBlocks()
	g := f.flowGraph()
	blocks := make([]*Block, len(g.order))
	for i, n := range g.order {
		blocks[i] = f.Blocks[n]
	}
	f.Blocks = blocks
	f.numberBlocks()
}

// flowGraph is the control flow with barriers as jumps.
func (f *Function) flowGraph() *graph {
	succs := make([][]int, len(f.Blocks))
	for i, b := range f.Blocks {
		for _, to := range b.Succs {
			succs[i] = append(succs[i], to.id)
		}
	}
	return newGraph(succs)
}

// Size is the number of operations of a function that was finished.
func (f *Function) Size() int { return len(f.values) }

// hasEffect reports operations that happen whether or not their result is used.
func (v *Value) hasEffect() bool {
	switch v.Op {
	case OpStore, OpAtomic, OpFence, OpPrivateStore, OpTrap, OpTrapIf, OpTogether:
		return true
	case OpHost:
		return v.Source == nil && v.Host.Effect
	}
	return false
}

// markLive marks the values that conditions and operations with effects need. A register
// that is read needs all its sets.
func (f *Function) markLive() {
	sets := map[*Register][]*Value{}
	var work []*Value
	mark := func(v *Value) {
		if v != nil && !v.live {
			v.live = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		mark(b.Cond)
		for _, v := range b.Values {
			if v.Op == OpSet {
				sets[v.Reg] = append(sets[v.Reg], v)
			} else if v.hasEffect() {
				mark(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.operandsOf() {
			mark(a)
		}
		if v.Op == OpGet && !v.Reg.live {
			v.Reg.live = true
			for _, set := range sets[v.Reg] {
				mark(set)
			}
		}
	}
}

// numberValues numbers the live values: constants and arguments first, then values in the
// order of the blocks. A value thus comes after its operands, on which the passes over
// f.values count.
func (f *Function) numberValues() {
	add := func(v *Value) {
		v.id = len(f.values)
		f.values = append(f.values, v)
	}
	seen := map[*Value]bool{}
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if v.live {
				kept = append(kept, v)
			}
		}
		b.Values = kept
	}
	leaf := func(v *Value) {
		if (v.Op == OpConst || v.Op == OpArg) && !seen[v] {
			seen[v] = true
			add(v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.operandsOf() {
				leaf(a)
			}
		}
		if b.Cond != nil {
			leaf(b.Cond)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			add(v)
		}
	}
	regs := f.Regs[:0]
	for _, r := range f.Regs {
		if r.live {
			r.id = len(regs)
			regs = append(regs, r)
		}
	}
	f.Regs = regs
}
