package lanes

import (
	"maps"
	"slices"
)

// Lanes that wait for each other. A lane that leaves a loop waits after it for the lanes
// that are still in it, so that a lock that it took there, and gives back after the loop,
// would never be free for them:
//
//	while (atomic_cmpxchg(lock, 0, 1) != 0) ;
//	... // for the owner of the lock alone
//	atomic_xchg(lock, 0);
//
// Such a loop is made longer: a branch that is never taken leads from the last write to
// memory after it back to its header, which makes the blocks up to there blocks of the
// loop. In each iteration the lanes that have left the loop as it was then go on to that
// write, and the others wait for them only there.

// releaseWaiters makes the loops longer in which lanes may wait for each other. The
// control flow must be reducible.
func (f *Function) releaseWaiters() error {
	f.splitAtMeetings()
	for done := map[*Block]bool{}; len(done) < maxWaiting; {
		f.orderBlocks()
		w := newWaiting(f)
		l := w.nextLoop(done)
		if l == nil {
			return nil
		}
		done[f.Blocks[l.header]] = true
		if err := w.lengthenLoop(l); err != nil {
			return err
		}
	}
	return Unsupported("so many loops in which work-items of a sub-group wait for others")
}

// maxWaiting bounds the loops of a function that are made longer, as all is looked at again
// after each.
const maxWaiting = 50

// splitAtMeetings ends a block that writes to memory before the first operation that the
// lanes do together, or a barrier, so that the write can become a part of a loop without
// that.
func (f *Function) splitAtMeetings() {
	for _, b := range slices.Clone(f.Blocks) {
		at := slices.IndexFunc(b.Values, (*Value).meetsLanes)
		if at < 0 && b.Term == Barrier {
			at = len(b.Values)
		}
		if at < 0 || !slices.ContainsFunc(b.Values[:at], (*Value).writesShared) {
			continue
		}
		rest := f.NewBlock()
		rest.Values, b.Values = slices.Clone(b.Values[at:]), b.Values[:at:at]
		for _, v := range rest.Values {
			v.Block = rest
		}
		rest.Term, rest.Joint, rest.Cond, rest.Succs, rest.Cases = b.Term, b.Joint, b.Cond, b.Succs, b.Cases
		b.Term, b.Cond, b.Succs, b.Cases = Jump, nil, []*Block{rest}, nil
	}
}

// meetsLanes tells whether an operation needs the other lanes of the step.
func (v *Value) meetsLanes() bool {
	switch v.Op {
	case OpFromLane, OpShuffle, OpActive, OpTogether:
		return true
	}
	return false
}

// writesShared tells whether an operation changes memory that another lane may wait for.
func (v *Value) writesShared() bool { return v.Op == OpStore || v.Op == OpAtomic && v.changesMemory() }

// waiting is the control flow of a function with its loops.
type waiting struct {
	f     *Function
	graph *graph
	loops []*loop // inner ones first
	of    []*loop // innermost, by block
	used  map[*Value]bool
	sets  map[*Register][]*Block
	fixed map[inLoop]bool // see isFixedIn
}

type inLoop struct {
	v *Value
	l *loop
}

func newWaiting(f *Function) *waiting {
	w := &waiting{f: f, graph: f.flowGraph(), used: map[*Value]bool{}, sets: map[*Register][]*Block{}, fixed: map[inLoop]bool{}}
	w.loops, w.of = w.graph.findLoops()
	for _, b := range f.Blocks {
		w.used[b.Cond] = true
		for _, v := range b.Values {
			for _, a := range v.operandsOf() {
				w.used[a] = true
			}
			if v.Op == OpSet {
				w.sets[v.Reg] = append(w.sets[v.Reg], b)
			}
		}
	}
	return w
}

// nextLoop is a loop in which a lane may wait for another one, but for those whose header
// is done; nil if there is none. Outer loops come first, as an inner one that became
// longer may lie among the blocks that an outer one then takes.
func (w *waiting) nextLoop(done map[*Block]bool) *loop {
	for _, l := range slices.Backward(w.loops) {
		if !done[w.f.Blocks[l.header]] && w.mayWait(l) {
			return l
		}
	}
	return nil
}

// mayWait tells whether a loop asks the same place of memory again until another lane has
// changed it. Loops that lanes do not leave apart, as they meet there, are none.
func (w *waiting) mayWait(l *loop) bool {
	asks := false
	for n := range l.nodes {
		for _, v := range w.f.Blocks[n].Values {
			if v.meetsLanes() {
				return false
			}
			asks = asks || w.of[n] == l && w.asksAgain(v, l)
		}
	}
	return asks
}

// asksAgain tells whether an operation of a loop finds something new there only if
// another lane writes it. A compare-exchange that compares with the value that it found, as that
// of a sum does, fails only where another lane has gone on; and a counter goes on by
// itself.
func (w *waiting) asksAgain(v *Value, l *loop) bool {
	if v.Op != OpAtomic || !w.used[v] && !w.used[v.low] || !w.isFixedIn(v.Args[0], l) {
		return false
	}
	switch v.Atomic {
	case AtomicStore:
		return false
	case AtomicAdd, AtomicSub, AtomicFAdd:
		return v.Args[1].Op == OpConst && v.Args[1].Imm == 0
	case AtomicCompareExchange:
		return w.isFixedIn(v.Args[2], l)
	}
	return true
}

// isFixedIn tells whether a value is the same in each iteration of a loop, as far as that
// is easily seen. A load counts as such if its address is.
func (w *waiting) isFixedIn(v *Value, l *loop) bool {
	switch {
	case v.Block == nil || !l.nodes[v.Block.id]:
		return true
	case v.Op == OpGet:
		return !w.setsIn(v.Reg, l)
	case v.Op != OpLoad && v.Op != OpPrivateLoad && !v.Op.isPure():
		return false
	}
	key := inLoop{v, l}
	fixed, known := w.fixed[key]
	if !known {
		fixed = !slices.ContainsFunc(v.Args, func(a *Value) bool { return !w.isFixedIn(a, l) })
		w.fixed[key] = fixed
	}
	return fixed
}

// setsIn tells whether a loop sets a register.
func (w *waiting) setsIn(r *Register, l *loop) bool {
	return slices.ContainsFunc(w.sets[r], func(b *Block) bool { return l.nodes[b.id] })
}

// lengthenLoop makes a loop reach to the last writes after it. The loop is refused if lanes
// may wait for an atomic write that cannot be among them: after an outer loop, or where
// lanes come that were not in the loop.
func (w *waiting) lengthenLoop(l *loop) error {
	set := w.blocksToWrites(l, w.canFollow)
	anywhere := w.blocksToWrites(l, func(_ *loop, n int) bool { return !w.hasMeeting(n) })
	for n := range anywhere {
		if !set[n] && slices.ContainsFunc(w.f.Blocks[n].Values, func(v *Value) bool { return v.Op == OpAtomic && v.changesMemory() }) {
			return Unsupported("a loop in which work-items of a sub-group wait for others that are not in it")
		}
	}
	if len(set) > 0 {
		maps.Copy(set, l.nodes)
		w.leadBack(l, set)
	}
	return nil
}

// blocksToWrites is the blocks that a loop leads to by blocks that may follow it and that
// lead to a write to memory, and those with these writes.
func (w *waiting) blocksToWrites(l *loop, mayFollow func(l *loop, n int) bool) map[int]bool {
	after := map[int]bool{}
	var work []int
	add := func(list []int) {
		for _, n := range list {
			if !after[n] && !l.nodes[n] && mayFollow(l, n) {
				after[n] = true
				work = append(work, n)
			}
		}
	}
	for _, n := range l.exits {
		add(w.graph.succs[n])
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		add(w.graph.succs[n])
	}
	return w.leadToWrites(after)
}

// leadToWrites is the nodes of a set that write to memory or lead to such ones in it.
func (w *waiting) leadToWrites(set map[int]bool) map[int]bool {
	found := map[int]bool{}
	var work []int
	for n := range set {
		if slices.ContainsFunc(w.f.Blocks[n].Values, (*Value).writesShared) {
			found[n] = true
			work = append(work, n)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, from := range w.graph.preds[n] {
			if set[from] && !found[from] {
				found[from] = true
				work = append(work, from)
			}
		}
	}
	return found
}

// canFollow tells whether a block after a loop can become a part of it.
func (w *waiting) canFollow(l *loop, n int) bool {
	within := l.parent == nil || l.parent.nodes[n] && l.parent.header != n
	return within && w.graph.dominates(l.header, n) && !w.hasMeeting(n)
}

// hasMeeting tells whether the lanes meet in a block.
func (w *waiting) hasMeeting(n int) bool {
	b := w.f.Blocks[n]
	return b.Term == Barrier || slices.ContainsFunc(b.Values, (*Value).meetsLanes)
}

// leadBack puts a block on each way out of a set, with a branch to the header of the loop that
// is never taken. Its condition is none that the analysis sees through, as the lanes that
// come there are not those of the whole step.
func (w *waiting) leadBack(l *loop, set map[int]bool) {
	f := w.f
	header := f.Blocks[l.header]
	ways := map[*Block]*Block{} // by the block that they lead to, nil for the end of the work-item
	way := func(to *Block) *Block {
		b := ways[to]
		if b == nil {
			b = f.NewBlock()
			ways[to] = b
			if to == nil {
				to = f.NewBlock()
			}
			never := &Value{Op: OpSLt, Kind: Bool, Args: []*Value{b.ID(OpLocalID, 0), f.Const(I32, 0)}}
			b.Term, b.Cond, b.Succs = Branch, b.appendValue(never), []*Block{header, to}
		}
		return b
	}
	for _, n := range w.graph.order {
		if !set[n] {
			continue
		}
		b := f.Blocks[n]
		if b.Term == Return {
			b.Term, b.Succs = Jump, []*Block{way(nil)}
			continue
		}
		b.Succs = slices.Clone(b.Succs)
		for i, to := range b.Succs {
			if !set[to.id] {
				b.Succs[i] = way(to)
			}
		}
	}
}
