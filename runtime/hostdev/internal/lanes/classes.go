package lanes

import (
	"cmp"
	"slices"
)

// Level is how far a value is the same.
type Level uint8

// The levels, from nothing known yet.
const (
	// The order is that of the lattice: a join never goes down, which ends the
	// computation.
	Unknown Level = iota
	Group         // the same for the work-group
	Step          // the same for the work-items of a step
	Strided       // grows by Class.Stride from lane to lane
	Varying
)

// Class is the level of a value with its stride.
type Class struct {
	Level  Level
	Stride int32
}

// joinClass is the class of a value that may be one or the other. Two strides
// that differ have no common one.
func (c Class) joinClass(d Class) Class {
	switch {
	case c.Level == Unknown:
		return d
	case d.Level == Unknown || c == d:
		return c
	case c.Level <= Step && d.Level <= Step:
		return Class{Level: max(c.Level, d.Level)}
	}
	return Class{Level: Varying}
}

func (c Class) isUniform() bool { return c.Level <= Step }

// analysis holds the known facts of a function for steps of a width.
type analysis struct {
	f     *Function
	width int
	hoist []hoisting
	graph *graph
	post  []int
	loops []*loop
	loop  []*loop // innermost, by block

	values []Class
	regs   []Class
	users  [][]*Block // of values: blocks that use them

	decided     map[int]map[int]bool // by branch: see decidedBlocks
	iteration   map[*loop][]int      // see iterationPost
	label       []int                // for spreadFrom, -1 outside of it
	lane, group divergence
	outlives    []bool // values that are used outside of a loop whose exits vary
}

// divergence is the set of blocks that branches that vary decide.
type divergence struct {
	blocks []bool // not all come there together
	joins  []bool // ways of a varying branch meet there
	spread []bool // branches that were followed
	loops  map[*loop]bool
}

func newDivergence(blocks int) divergence {
	return divergence{make([]bool, blocks), make([]bool, blocks), make([]bool, blocks), map[*loop]bool{}}
}

// analyseFunction classifies values and registers. Classes and divergence
// depend on each other: a value varies where a varying branch decides, and a
// branch varies with its condition. Both only grow, so that the loop ends.
func analyseFunction(f *Function, hoist []hoisting, width int) (*analysis, error) {
	a := &analysis{
		hoist: hoist,
		f:     f, width: width, graph: f.flowGraph(),
		values: make([]Class, len(f.values)), regs: make([]Class, len(f.Regs)),
		lane: newDivergence(len(f.Blocks)), group: newDivergence(len(f.Blocks)),
		outlives: make([]bool, len(f.values)), decided: map[int]map[int]bool{}, iteration: map[*loop][]int{},
		label: slices.Repeat([]int{-1}, len(f.Blocks)),
	}
	// Masks of a loop belong to its one header.
	if !a.graph.isReducible() {
		return nil, Unsupported("control flow that enters a loop in two places")
	}
	a.post = a.graph.postDominators(func(int) bool { return false })
	a.loops, a.loop = a.graph.findLoops()
	a.findUsers()
	for a.propagateClasses() {
		a.spreadDivergence(&a.lane, Step)
		a.spreadDivergence(&a.group, Group)
	}
	return a, nil
}

func (a *analysis) findUsers() {
	a.users = make([][]*Block, len(a.f.values))
	use := func(v *Value, b *Block) {
		// A block uses a value several times in a row; comparing with the last
		// entry keeps the list short without a set.
		if list := a.users[v.id]; len(list) == 0 || list[len(list)-1] != b {
			a.users[v.id] = append(a.users[v.id], b)
		}
	}
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			for _, arg := range v.operandsOf() {
				use(arg, b)
			}
		}
		if b.Cond != nil {
			use(b.Cond, b)
		}
	}
}

func (a *analysis) classOf(v *Value) Class { return a.values[v.id] }

// propagateClasses computes classes until they stay, and tells whether any changed.
func (a *analysis) propagateClasses() bool {
	any := false
	for changed := true; changed; {
		changed = false
		for _, v := range a.f.values {
			next := a.transferClass(v)
			if v.Op == OpSet {
				if r := a.regs[v.Reg.id].joinClass(next); r != a.regs[v.Reg.id] {
					a.regs[v.Reg.id], changed = r, true
				}
			}
			if next = a.values[v.id].joinClass(next); next != a.values[v.id] {
				a.values[v.id], changed = next, true
			}
		}
		any = any || changed
	}
	return any
}

// transferClass is the class of a value by those of its operands and by its place.
func (a *analysis) transferClass(v *Value) Class {
	c := a.byOperands(v)
	if v.Block == nil || c.Level == Unknown || a.hoist[v.id] != inPlace {
		return c
	}
	return c.joinClass(Class{Level: a.byPlace(v)})
}

// byPlace is the level that a value has for its place in the code: if it outlives a loop that
// lanes leave in different iterations, each lane keeps the value of its last one.
func (a *analysis) byPlace(v *Value) Level {
	at := v.Block.id
	if v.Op == OpSet {
		return a.bySet(v)
	}
	for l := a.loop[at]; l != nil; l = l.parent {
		lane, group := a.lane.loops[l], a.group.loops[l]
		if (lane || group) && a.usedOutside(v, l) {
			if lane {
				a.outlives[v.id] = true
				return Varying
			}
			return Step
		}
	}
	return Unknown
}

// bySet is the level of a register for where it is set: a phi varies where
// ways meet that a varying branch parted, another register where not all
// lanes come.
func (a *analysis) bySet(v *Value) Level {
	at := v.Block.id
	lane, group := a.lane.blocks[at], a.group.blocks[at]
	if of := v.Reg.Of; of != nil {
		lane, group = a.lane.joins[of.id], a.group.joins[of.id]
	}
	switch {
	case lane:
		return Varying
	case group:
		return Step
	}
	return Unknown
}

// usedOutside tells whether a value is used outside of a loop. One that only the loop uses
// may differ from iteration to iteration without harm.
func (a *analysis) usedOutside(v *Value, l *loop) bool {
	return slices.ContainsFunc(a.users[v.id], func(b *Block) bool { return !l.nodes[b.id] })
}

// byOperands is the class of the result of an operation. Only numbers of 32 bits have
// strides, as addresses and ids do.
func (a *analysis) byOperands(v *Value) Class {
	switch v.Op {
	case OpConst, OpArg, OpGroupID:
		return Class{Level: Group}
	case OpLocalID:
		return a.perItem(v.Imm == 0, 1)
	case OpFrame:
		return a.perItem(true, int32(a.f.FrameSize))
	case OpGet:
		return a.regs[v.Reg.id]
	case OpAtomic, OpPrivateLoad, OpToLane, OpShuffle:
		return a.perItem(true, 0)
	case OpFromLane, OpActive, OpFirst:
		return Class{Level: Step}
	case OpHost:
		if v.Source == nil && v.Host.Effect {
			return a.perItem(true, 0)
		}
	}
	all := Class{Level: Group} // without operands, as of a call whose arguments are constants
	for _, arg := range v.Args {
		c := a.classOf(arg)
		if c.Level == Unknown {
			return c
		}
		all = Class{Level: max(all.Level, c.Level)}
	}
	switch {
	case all.Level != Strided || v.Op == OpSet:
		if v.Op == OpSet {
			return a.classOf(v.Args[0])
		}
		return all
	case v.Kind == I32:
		return a.strideOf(v)
	}
	return Class{Level: Varying}
}

// perItem is the class of a value that differs between work-items: by a stride along
// dimension 0, or in no known way if that is 0. Along other dimensions (first is false)
// the work-items of a step have the same.
func (a *analysis) perItem(first bool, stride int32) Class {
	switch {
	case a.width == 1 || !first:
		return Class{Level: Step}
	case stride == 0:
		return Class{Level: Varying}
	}
	return Class{Strided, stride}
}

// strideOf computes with strides, modulo 2^32 as the values are.
func (a *analysis) strideOf(v *Value) Class {
	x := a.classOf(v.Args[0])
	if len(v.Args) < 2 {
		return Class{Level: Varying}
	}
	y := a.classOf(v.Args[1])
	stride := int32(0)
	switch {
	case v.Op == OpAdd && x.Level <= Strided && y.Level <= Strided:
		stride = x.Stride + y.Stride
	case v.Op == OpSub && x.Level <= Strided && y.Level <= Strided:
		stride = x.Stride - y.Stride
	case v.Op == OpMul && v.Args[1].Op == OpConst:
		stride = x.Stride * int32(v.Args[1].Imm)
	case v.Op == OpShl && v.Args[1].Op == OpConst && v.Args[1].Imm < 32:
		stride = x.Stride << v.Args[1].Imm
	default:
		return Class{Level: Varying}
	}
	// The lanes' parts cancel out, as in a difference of two addresses of one row.
	if stride == 0 {
		return Class{Level: Step}
	}
	return Class{Strided, stride}
}

// spreadDivergence finds the blocks that branches decide whose conditions are above a level.
func (a *analysis) spreadDivergence(d *divergence, above Level) {
	for _, b := range a.f.Blocks {
		if b.Cond != nil && a.classOf(b.Cond).Level > above && !d.spread[b.id] {
			d.spread[b.id] = true
			a.spreadFrom(d, b)
		}
	}
	for _, l := range a.loops {
		if !d.loops[l] && a.exitsVary(l, above) {
			d.loops[l] = true
		}
	}
}

// exitsVary tells whether lanes leave a loop in different iterations or by
// different ways: a varying branch in it, or in the blocks that it decides, leads out.
func (a *analysis) exitsVary(l *loop, above Level) bool {
	varies := func(n int) bool {
		b := a.f.Blocks[n]
		return b.Cond != nil && a.classOf(b.Cond).Level > above
	}
	if slices.ContainsFunc(l.exits, varies) {
		return true
	}
	for n := range l.nodes {
		if !varies(n) {
			continue
		}
		decided := a.decidedBlocks(n)
		if slices.ContainsFunc(l.exits, func(exit int) bool { return decided[exit] }) {
			return true
		}
	}
	return false
}

// decidedBlocks is the blocks to which not all lanes of a branch come together: those between it
// and the block where its ways have met. Within a loop that block must come in the same iteration.
// A lane that takes an edge back to the header waits there for the others, which go on in this
// iteration without it, even through blocks that every lane comes to in some iteration.
func (a *analysis) decidedBlocks(branch int) map[int]bool {
	// Kept, as every round of the analysis asks again and the graph does not
	// change.
	if set, ok := a.decided[branch]; ok {
		return set
	}
	set := a.graph.nodesBetween(branch, a.post[branch])
	for l := a.loop[branch]; l != nil; l = l.parent {
		for n := range a.graph.nodesBetween(branch, a.iterationPost(l)[branch]) {
			if l.nodes[n] {
				set[n] = true
			}
		}
	}
	a.decided[branch] = set
	return set
}

// iterationPost is the immediate postdominators where an iteration of a loop ends with the edge
// back to its header.
func (a *analysis) iterationPost(l *loop) []int {
	post, ok := a.iteration[l]
	if !ok {
		post = a.graph.postDominators(func(n int) bool {
			return l.nodes[n] && slices.Contains(a.graph.succs[n], l.header)
		})
		a.iteration[l] = post
	}
	return post
}

// nodesBetween is the nodes that from reaches without passing to; from itself only
// if it comes round to it.
func (g *graph) nodesBetween(from, to int) map[int]bool {
	set := map[int]bool{}
	work := slices.Clone(g.succs[from])
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n != to && !set[n] {
			set[n] = true
			work = append(work, g.succs[n]...)
		}
	}
	return set
}

// spreadFrom marks the blocks that a branch decides and those where its ways
// meet: every way has a label, the first block of it, and a block that two
// labels come to is a join and a label of its own. After the block where all ways
// have met there is one label.
func (a *analysis) spreadFrom(d *divergence, branch *Block) {
	var order []int
	for n := range a.decidedBlocks(branch.id) {
		d.blocks[n] = true
		if n != branch.id {
			order = append(order, n)
		}
	}
	// In the order of the graph most labels settle in one pass.
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(a.graph.place[x], a.graph.place[y]) })
	for _, s := range branch.Succs {
		a.label[s.id] = s.id
	}
	for changed := true; changed; {
		changed = false
		for _, n := range order {
			if a.label[n] < 0 {
				continue
			}
			for _, to := range a.graph.succs[n] {
				if a.meetLabels(d, a.label, a.label[n], to) {
					changed = true
				}
			}
		}
	}
	for _, n := range append(order, branch.id) {
		for _, to := range a.graph.succs[n] {
			a.label[to] = -1
		}
	}
}

// meetLabels brings the label of a way to a block, and tells whether that changed the
// block's own: a second label makes the block a join.
func (a *analysis) meetLabels(d *divergence, label []int, from, to int) bool {
	switch {
	case label[to] < 0:
		label[to] = from
		return true
	case label[to] != from && label[to] != to:
		label[to] = to
		d.joins[to] = true
		return true
	case label[to] == to && from != to:
		d.joins[to] = true
	}
	return false
}
