package hostdev

import (
	"errors"
	"sync"

	"offlink/runtime/hostdev/internal/shadow"
)

// The checked mode. Kernels run in the interpreter, one work-group after the
// other, and every value and every byte of memory has a shadow: which of its
// bits are undefined, for which allocation a pointer was made, and which
// work-items accessed a byte last. check_emit.go adds the steps that keep the
// shadows to the slot code, check_access.go looks at accesses, check_races.go at
// their order.
//
// Only faults that have an effect are reported: an undefined value that is copied
// is none, until a branch, an address or a result in global memory depends on it,
// as optimizers load padding and compute values that nobody uses.

// checkState is the record that a device in checked mode keeps of its global memory.
type checkState struct {
	// mu is held by a launch to its end: those of a checked device run one at a
	// time.
	mu        sync.Mutex
	freed     []freed
	numbers   map[*memory]int // the order of allocation, from 1 on
	allocated int
}

// freed is an allocation that was freed.
type freed struct {
	at, size int64
	number   int
}

// maxFreed is how many freed allocations are remembered.
const maxFreed = 1024

// noteAllocation numbers new memory of the host. It is zeroed, so that its bytes
// are defined.
func (d *Device) noteAllocation(m *memory) {
	if !d.options.Check {
		return
	}
	c := &d.check
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.numbers == nil {
		c.numbers = make(map[*memory]int)
	}
	c.allocated++
	c.numbers[m] = c.allocated
}

// noteFree remembers freed memory, so that an access to it can be named. Beyond maxFreed,
// the oldest is forgotten.
func (d *Device) noteFree(m *memory) {
	if !d.options.Check {
		return
	}
	c := &d.check
	c.mu.Lock()
	defer c.mu.Unlock()
	c.freed = append(c.freed, freed{m.at, m.Size(), c.numbers[m]})
	if len(c.freed) > maxFreed {
		c.freed = c.freed[1:]
	}
	delete(c.numbers, m)
}

// checker watches one launch.
type checker struct {
	l     *launch
	state *checkState

	findings  []*Finding
	found     map[findingKey]*Finding
	dropped   map[findingKey]bool
	unwatched bool

	objects []extent // by number; the first is none
	byStart map[int64]uint32
	origins []origin // by number; the first is none
	loaded  map[originKey]uint32
	sites   []site32 // by number; the first is none
	numbers map[*inst]uint32

	clock    uint32
	accesses shadow.Accesses
	// undefined are the bits of global memory that the launch has stored undefined
	// ones to, by offset in the region. They end with the launch, as the host may
	// write the memory before the next.
	undefined shadow.Undefined
	released  map[pointer]uint32 // when an atomic operation there ended, last
	stored    map[pointer]storedWord
	pending   *conflict
}

// findingKey identifies a finding: a kind of fault at an instruction.
type findingKey struct {
	kind FindingKind
	at   *inst
}

// site32 is an instruction that has a number.
type site32 struct {
	fn *function
	pc int
}

// maxFindings is how many findings of a launch are kept.
const maxFindings = 50

func newChecker(l *launch) *checker {
	c := &checker{
		l: l, state: &l.device.check,
		found: map[findingKey]*Finding{}, dropped: map[findingKey]bool{},
		objects: make([]extent, 1), byStart: map[int64]uint32{},
		origins: make([]origin, 1), loaded: map[originKey]uint32{},
		sites: make([]site32, 1), numbers: map[*inst]uint32{},
		clock: 1, released: map[pointer]uint32{}, stored: map[pointer]storedWord{},
	}
	c.accesses = shadow.Accesses{Limit: maxWatched, SameGroup: c.sameGroup}
	return c
}

// runChecked runs all work-groups in order.
func (l *launch) runChecked() error {
	state := &l.device.check
	state.mu.Lock()
	defer state.mu.Unlock()
	l.checker = newChecker(l)
	l.checker.findArguments(l.arguments)
	var stopped *Fault
	for _, part := range l.r.parts() {
		l.r = part
		var err error
		if stopped, err = l.checkGroups(); err != nil {
			return err
		}
		if stopped != nil {
			break
		}
	}
	return l.checker.result(stopped)
}

// checkGroups runs the work-groups of a range to their end, or to the fault of one.
func (l *launch) checkGroups() (stopped *Fault, err error) {
	g := newGroup(l)
	g.yield = l.yield
	for index := range l.total() {
		if err := l.outcome(); err != nil {
			return nil, err
		}
		if stopped = g.run(index); stopped != nil {
			return stopped, nil
		}
	}
	return nil, nil
}

// result is the error of the launch. A kernel that is stopped from outside has no
// finding for that.
func (c *checker) result(stopped *Fault) error {
	c.settleConflict()
	if stopped != nil {
		if stopped.Err != nil {
			return stopped
		}
		c.noteFault(stopped)
	}
	if len(c.findings) == 0 {
		return nil
	}
	e := &CheckError{Kernel: c.l.k.name, Findings: c.findings, Dropped: len(c.dropped), Unwatched: c.unwatched || c.accesses.Full()}
	if stopped != nil {
		e.Err = stopped
	}
	if c.l.device.options.Findings != nil {
		c.l.device.options.Findings(e)
	}
	return e
}

// noteFault makes a finding of the fault that stopped the kernel.
func (c *checker) noteFault(fault *Fault) {
	f := &Finding{Kind: fault.kind, Message: fault.Message}
	if f.Kind == "" {
		f.Kind = OtherFault
	}
	f.Place = Place{fault.Function, fault.Op, fault.File, fault.Line, fault.Global, fault.local, fault.Group}
	c.keep(findingKey{f.Kind, nil}, f)
}

// keep adds a finding, or counts it if there is one of the kind at the
// instruction.
func (c *checker) keep(key findingKey, f *Finding) {
	have := c.found[key]
	switch {
	case have != nil:
		have.Count++
	case len(c.findings) >= maxFindings:
		c.dropped[key] = true
	default:
		f.Kernel, f.Count = c.l.k.name, 1
		c.found[key] = f
		c.findings = append(c.findings, f)
	}
}

// known tells whether a finding at the work-item's instruction is there already,
// and counts it: its message need not be made then.
func (c *checker) known(kind FindingKind, it *item) bool {
	key := findingKey{kind, it.current()}
	if have := c.found[key]; have != nil {
		have.Count++
		return true
	}
	if len(c.findings) >= maxFindings {
		c.dropped[key] = true
		return true
	}
	return false
}

// report makes a finding at the work-item's instruction.
func (c *checker) report(it *item, f *Finding) {
	f.Place = it.place(it.fn, int(it.pc)-1)
	c.keep(findingKey{f.Kind, it.current()}, f)
}

// current is the instruction that the work-item executes.
func (it *item) current() *inst { return &it.fn.code[it.pc-1] }

// place is the work-item at an instruction of a function.
func (it *item) place(fn *function, pc int) Place {
	w := fn.where[pc]
	return Place{fn.name, w.op, w.file, int(w.line), it.globalID(), it.local, it.group.id}
}

// placeOf is the place of a work-item by its number.
func (c *checker) placeOf(number, site uint32) *Place {
	s := c.sites[site&^shadow.Atomic]
	r := &c.l.r
	p := &Place{}
	if s.fn != nil {
		w := s.fn.where[s.pc]
		p.Function, p.Op, p.File, p.Line = s.fn.name, w.op, w.file, int(w.line)
	}
	all := groupSize(r.enqueued)
	group, local := int(number)/all, int(number)%all
	for i, n := range r.allGroups {
		p.Group[i], group = group%n, group/n
	}
	size, start := r.sizeOf(p.Group), r.start(p.Group)
	for i, n := range size {
		p.Local[i], local = local%n, local/n
		p.Global[i] = r.offset[i] + start[i] + p.Local[i]
	}
	return p
}

// siteOf numbers the work-item's instruction.
func (c *checker) siteOf(it *item) uint32 {
	in := it.current()
	n, ok := c.numbers[in]
	if !ok {
		n = uint32(len(c.sites))
		c.sites = append(c.sites, site32{it.fn, int(it.pc) - 1})
		c.numbers[in] = n
	}
	return n
}

// IsCheckError tells whether an error holds findings of the checked mode, and
// returns them.
func IsCheckError(err error) (*CheckError, bool) { return errors.AsType[*CheckError](err) }
