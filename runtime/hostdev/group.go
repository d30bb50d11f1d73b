package hostdev

import (
	"slices"
	"time"

	"offlink/runtime/hostdev/internal/mem"
)

// group runs work-groups, one after the other, for one worker.
type group struct {
	launch *launch
	id     [3]int
	origin [3]int // the global id of the first work-item
	local  segments
	items  []*item // a single one, reused, if the work-items do not wait for each other
	shared []input // the built-in variables that all its work-items share

	check *groupCheck // in checked mode

	// yield is the caller's where the group runs on its goroutine.
	yield   func()
	yielded time.Time
}

// pause lets the caller's goroutine do other work, at most once in a turn. Work-items call
// it now and then.
func (g *group) pause() {
	if g.yield != nil && time.Since(g.yielded) > turn {
		g.yield()
		g.yielded = time.Now()
	}
}

// newGroup makes one work-item for each of the group if they wait for each other, as they
// then exist at the same time, else one that all take in turn.
func newGroup(l *launch) *group {
	g := &group{launch: l, local: make(segments, len(l.local))}
	for i, size := range l.local {
		if size > 0 {
			g.local[i] = mem.New(size)
		}
	}
	g.makeShared()
	n := 1
	if l.k.rendezvous {
		n = groupSize(l.r.local)
	}
	for range n {
		g.items = append(g.items, g.newItem(n))
	}
	return g
}

func (g *group) newItem(n int) *item {
	l := g.launch
	it := &item{group: g, fuel: fuelStep}
	// Work-items that exist at the same time share the limit of the group.
	it.arena.limit = min(maxPrivate, maxGroupPrivate/int64(n))
	it.flat = l.flat
	it.spaces[spaceLocal] = g.local
	it.spaces[spaceInput] = make(segments, len(l.k.p.inputs))
	for i := range g.shared {
		it.spaces[spaceInput][g.shared[i].index] = g.shared[i].data
	}
	for _, v := range l.k.inputs {
		if !ofGroup.Get()[v.builtin] {
			it.inputs = append(it.inputs, newInput(v))
			it.spaces[spaceInput][v.index] = it.inputs[len(it.inputs)-1].data
		}
	}
	return it
}

// run runs the work-group with a linear index.
func (g *group) run(index int64) *Fault {
	if g.launch.device.options.Backwards {
		index = g.launch.total() - 1 - index
	}
	for i, n := range g.launch.r.groups {
		g.id[i] = g.launch.r.first[i] + int(index%int64(n))
		index /= int64(n)
	}
	g.setOrigin()
	for _, data := range g.local {
		clear(data)
	}
	for i := range g.shared {
		g.shared[i].setValue(g.items[0])
	}
	if g.launch.checker != nil {
		g.launch.checker.startGroup(g)
	}
	if g.launch.k.rendezvous {
		return g.runTogether()
	}
	return g.runApart()
}

// setOrigin sets the global id of the first work-item.
func (g *group) setOrigin() {
	r := &g.launch.r
	g.origin = r.start(g.id)
	for i := range g.origin {
		g.origin[i] += r.offset[i]
	}
}

// runApart runs the work-items one after the other. They share one frame: none
// waits for another, so each is over before the next begins.
func (g *group) runApart() *Fault {
	it, size := g.items[0], &g.launch.r.local
	if g.launch.device.options.Backwards {
		for local := range g.launch.r.eachBackwards {
			if !g.start(it, local) || it.run() == faulted {
				return g.place(it)
			}
		}
		return nil
	}
	// The loops are written out, as the start of a work-item is most of the time of
	// small kernels.
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				if !g.start(it, [3]int{x, y, z}) || it.run() == faulted {
					return g.place(it)
				}
			}
		}
	}
	return nil
}

// runTogether runs every work-item until it waits, does the work of the
// rendezvous, and repeats this until all have finished.
func (g *group) runTogether() *Fault {
	next := 0
	for local := range g.launch.r.localIDs {
		it := g.items[next]
		next++
		if !g.start(it, local) {
			return g.place(it)
		}
	}
	for {
		done, fault := g.resumeItems()
		if done || fault != nil {
			return fault
		}
	}
}

// resumeItems runs all work-items to their next rendezvous of the work-group.
// Sub-groups run one after the other, each to the work-group's rendezvous,
// since a sub-group's own rendezvous does not wait for others.
func (g *group) resumeItems() (done bool, fault *Fault) {
	n := g.launch.k.subgroup
	for first := 0; first < len(g.items); first += n {
		sub := first
		if g.launch.device.options.Backwards {
			sub = (len(g.items)-1)/n*n - first
		}
		if fault := g.runSubgroup(g.items[sub:min(sub+n, len(g.items))]); fault != nil {
			return false, fault
		}
	}
	first := slices.IndexFunc(g.items, (*item).isWaiting)
	if first < 0 {
		return true, nil
	}
	if fault := g.checkTogether(g.items[first]); fault != nil {
		return false, fault
	}
	return false, g.meetAll(g.items[first].at)
}

// meetAll does the work of a rendezvous. The accesses of an asynchronous copy
// are those of the first work-item.
func (g *group) meetAll(in *inst) (fault *Fault) {
	if g.check != nil {
		g.meetItems(g.items, in.imm, false)
	}
	if in.meet != nil {
		fault = in.meet(g, in)
	}
	if g.check != nil && in.meet != nil {
		g.meetItems(g.items, 0, false)
	}
	return fault
}

func (it *item) isWaiting() bool { return it.state == waiting }

// runSubgroup runs the work-items of a sub-group until each has finished or
// waits for the work-group.
func (g *group) runSubgroup(items []*item) *Fault {
	ready := items
	for {
		for i := range ready {
			it := ready[i]
			if g.launch.device.options.Backwards {
				it = ready[len(ready)-1-i]
			}
			if it.state != finished && it.run() == faulted {
				return g.place(it)
			}
		}
		var fault *Fault
		if ready, fault = g.meetSubgroup(items); len(ready) == 0 || fault != nil {
			return fault
		}
	}
}

// meetSubgroup does the work of a rendezvous of a sub-group, and returns the
// work-items that go on, none if all have finished or wait for the work-group.
// If work-items wait at different places, those that have come least far go first and
// the others wait for them to catch up: diverged work-items meet again after
// the branch, and before the next iteration of a loop.
func (g *group) meetSubgroup(items []*item) (ready []*item, fault *Fault) {
	var first *item
	for _, it := range items {
		if it.isWaiting() && it.at.subgroup && (first == nil || it.compareWaiting(first) < 0) {
			first = it
		}
	}
	if first == nil {
		return nil, nil
	}
	for _, it := range items {
		if it.isWaiting() && it.at == first.at && (!first.at.partial || it.compareWaiting(first) == 0) {
			ready = append(ready, it)
		}
	}
	if len(ready) < len(items) && !first.at.partial {
		first.failf("the work-item waits for its sub-group, and not all of it come here")
		first.fault.kind = BarrierDivergence
		return nil, g.place(first)
	}
	if g.check != nil {
		g.meetItems(ready, first.at.imm, true)
	}
	return ready, first.at.meet(&group{launch: g.launch, id: g.id, origin: g.origin, local: g.local, items: ready, check: g.check}, first.at)
}

// checkTogether refuses work-items that wait at different barriers: the group would wait
// forever. Those that have ended do not count, as on GPUs, on which programs rely. They do in
// the checked mode, at functions of the group, and where others of their sub-group wait.
func (g *group) checkTogether(first *item) *Fault {
	for i, it := range g.items {
		ended := it.state == finished && g.check == nil && first.at.meet == nil && g.subgroupEnded(i)
		if it.at == first.at || ended {
			continue
		}
		first.failf("the work-item waits for its work-group, and work-item %v does not come here", it.globalID())
		first.fault.kind = BarrierDivergence
		return g.place(first)
	}
	return nil
}

// subgroupEnded reports whether the sub-group of the work-item with a number in the group has
// ended: none of it waits.
func (g *group) subgroupEnded(number int) bool {
	n := g.launch.k.subgroup
	start := number / n * n
	return !slices.ContainsFunc(g.items[start:min(start+n, len(g.items))], (*item).isWaiting)
}

// localIDs yields the local ids of a work-group; the first dimension varies
// fastest.
func (r *ndrange) localIDs(yield func([3]int) bool) {
	for z := range r.local[2] {
		for y := range r.local[1] {
			for x := range r.local[0] {
				if !yield([3]int{x, y, z}) {
					return
				}
			}
		}
	}
}

// eachBackwards is the opposite order, with which tests find kernels, and our
// own code, that depend on the order.
func (r *ndrange) eachBackwards(yield func([3]int) bool) {
	var all [][3]int
	for local := range r.localIDs {
		all = append(all, local)
	}
	for _, local := range slices.Backward(all) {
		if !yield(local) {
			return
		}
	}
}

// start prepares an item as the work-item with a local id.
func (g *group) start(it *item, local [3]int) bool {
	it.local, it.state = local, running
	if !it.start(g.launch.k, g.launch.args) || len(g.launch.byVal) > 0 && !it.copyByValue() {
		return false
	}
	for i := range it.inputs {
		it.inputs[i].setValue(it)
	}
	return true
}

// copyByValue copies arguments that are passed by value into private memory.
func (it *item) copyByValue() bool {
	for _, arg := range it.group.launch.byVal {
		data := it.arena.alloc(int64(len(arg.data)))
		if data == nil {
			it.failPrivate()
			return false
		}
		copy(data, arg.data)
		private := it.spaces[spacePrivate]
		it.s[int64(len(it.fn.consts))+arg.param.word] = uint64(makePointer(spacePrivate, len(private), 0))
		it.spaces[spacePrivate] = append(private, data)
	}
	return true
}

func (it *item) globalID() [3]int {
	from, local := &it.group.origin, &it.local
	return [3]int{from[0] + local[0], from[1] + local[1], from[2] + local[2]}
}

// place completes a fault with the work-item, the group and the source line.
func (g *group) place(it *item) *Fault {
	f := it.fault
	f.Kernel, f.Global, f.Group, f.local = g.launch.k.name, it.globalID(), g.id, it.local
	if it.fn != nil {
		f.Function = it.fn.name
		w := it.where()
		f.Op, f.File, f.Line = w.op, w.file, int(w.line)
	}
	return f
}

// where returns the instruction that ended the work-item. The step is found by its address, since
// an index would have to be written by every step.
func (it *item) where() (w where) {
	for i := range it.fn.code {
		if &it.fn.code[i] == it.at {
			w = it.fn.where[i]
		}
	}
	return w
}
