package lanes

// Promotion: a register that has one value wherever it is read becomes that
// value, so that arguments which the kernel copied to variables are seen to be
// the same for all work-items.

// setPlace is a place where a register is set.
type setPlace struct {
	block *Block
	index int
	v     *Value
}

// promotion replaces reads of registers.
type promotion struct {
	f     *Function
	graph *graph
	sets  map[*Register][]setPlace
	now   map[*Value]*Value // replacements of reads
}

const promotionRounds = 4 // of registers that are set to the values of others

func (f *Function) promoteRegisters() {
	p := &promotion{f: f, graph: f.flowGraph(), now: map[*Value]*Value{}}
	for range promotionRounds {
		p.findSets()
		if !p.replaceReads() {
			break
		}
	}
	p.rewriteReads()
}

// resolveValue is the value after the replacements so far: a replacement may have been
// replaced in a later round.
func (p *promotion) resolveValue(v *Value) *Value {
	for p.now[v] != nil {
		v = p.now[v]
	}
	return v
}

func (p *promotion) findSets() {
	p.sets = map[*Register][]setPlace{}
	for _, b := range p.f.Blocks {
		for i, v := range b.Values {
			if v.Op == OpSet {
				p.sets[v.Reg] = append(p.sets[v.Reg], setPlace{b, i, p.resolveValue(v.Args[0])})
			}
		}
	}
}

// replaceReads finds replacements of reads, and reports whether it found any.
func (p *promotion) replaceReads() (any bool) {
	for _, b := range p.f.Blocks {
		for i, v := range b.Values {
			if v.Op != OpGet || p.now[v] != nil {
				continue
			}
			if to := p.valueOf(v.Reg, b, i); to != nil && to != v {
				p.now[v], any = to, true
			}
		}
	}
	return any
}

// valueOf is the value of a register at a place, nil if it may have several. Apart from
// onlySet, it is the one that all sets agree on, if it was computed at the start.
func (p *promotion) valueOf(r *Register, b *Block, index int) *Value {
	if v := p.onlySet(r, b, index); v != nil {
		return v
	}
	var same *Value
	for _, s := range p.sets[r] {
		if s.v.Op == OpGet && s.v.Reg == r {
			continue // it stays
		}
		if same != nil && s.v != same || !p.onceComputed(s.v) {
			return nil
		}
		same = s.v
	}
	if same == nil || same.Block == b && !isBefore(same, b, index) {
		return nil
	}
	return same
}

// onceComputed reports whether a work-item computes a value once, at its start.
func (p *promotion) onceComputed(v *Value) bool {
	return v.Block == nil || v.Block == p.f.Blocks[0] && len(p.graph.preds[0]) == 0
}

func isBefore(v *Value, b *Block, index int) bool {
	for _, x := range b.Values[:index] {
		if x == v {
			return true
		}
	}
	return false
}

// onlySet is the value of the one set that every way to the place passes,
// apart from the zero that a variable starts with.
func (p *promotion) onlySet(r *Register, b *Block, index int) *Value {
	var only *setPlace
	list := p.sets[r]
	for i := range list {
		s := &list[i]
		if s.block == p.f.Blocks[0] && s.v.Op == OpConst && len(list) > 1 && i == 0 {
			continue
		}
		if only != nil {
			return nil
		}
		only = s
	}
	switch {
	case only == nil:
		return nil
	case only.block == b:
		if only.index > index {
			return nil
		}
	case !p.graph.dominates(only.block.id, b.id):
		return nil
	}
	return only.v
}

// rewriteReads puts the replacements in place.
func (p *promotion) rewriteReads() {
	if len(p.now) == 0 {
		return
	}
	for _, b := range p.f.Blocks {
		for _, v := range b.Values {
			v.replaceOperands(p.resolveValue)
		}
		if b.Cond != nil {
			b.Cond = p.resolveValue(b.Cond)
		}
	}
}
