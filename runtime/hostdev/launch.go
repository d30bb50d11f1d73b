package hostdev

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/mem"
)

const (
	// The limits are the device's own choice, and its queries tell them
	// (info.go). Those of memory keep one kernel from taking the host's: they
	// are checked before anything is allocated.
	maxGroup        = lanes.MaxItems   // work-items of a work-group
	preferredGroup  = 256              // the largest group that the device chooses
	maxLocal        = 1 << 20          // bytes of local memory
	maxPrivate      = 16 << 20         // bytes of private memory of a work-item
	maxGroupPrivate = 1 << 30          // bytes of private memory of a work-group
	maxItems        = math.MaxInt >> 1 // work-items of a launch
)

// launch is one run of a kernel.
type launch struct {
	device *Device
	k      *kernel
	r      ndrange
	args   []uint64
	byVal  []byValue
	local  []int64 // sizes of the local memories by index
	images []*imageMemory
	flat   flat

	// threads is the most threads that run it; 0: as many as there are processors.
	threads int

	// yield is the caller's, for the worker that runs on its goroutine.
	yield func()

	began, ended time.Duration // on the device's clock; ended is 0 where nobody has looked yet

	natives liveWorkers
	crew    crew // of the compiled kernel; here, so that it needs no allocation of its own

	checker    *checker // in checked mode
	argObjects []argObject
	arguments  []driver.Arg // in checked mode

	next   atomic.Int64 // index of the next work-group
	steps  atomic.Int64 // remaining budget, in units of fuelStep
	shared []byte       // in compiled code, that number is here, in the memory of the device
	stop   atomic.Pointer[error]

	mu    sync.Mutex
	fault *Fault // of the work-group with the lowest index, for reproducible messages
	group int64  // the index of that work-group
}

// byValue is an argument that is copied into the private memory of every
// work-item.
type byValue struct {
	param *param
	data  []byte
}

// launchCommand is the command of a launch with the room that most launches
// need, in one allocation.
type launchCommand struct {
	command
	launch
	words   [16]uint64
	sizes   [16]int64
	workers [4]*worker
}

// launchCommands are those of launches that are over and are not referred to any more.
var launchCommands = sync.Pool{New: func() any { return new(launchCommand) }}

// recycle gives the memory to a later launch. Nothing may refer to the command any more.
func (c *launchCommand) recycle() {
	*c = launchCommand{}
	launchCommands.Put(c)
}

// newLaunch checks the range and the arguments, and makes the command.
func (d *Device) newLaunch(k *kernel, r driver.Range, args []driver.Arg) (*launchCommand, error) {
	c := launchCommands.Get().(*launchCommand)
	c.device, c.k = d, k
	c.command.launch = &c.launch
	c.args, c.local, c.natives.list = c.words[:0], c.sizes[:0], c.workers[:0]
	if err := c.fillLaunch(r, args); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.name, err)
	}
	return c, nil
}

// fillLaunch checks everything before a goroutine starts, so that a launch that
// is refused has no effect. Work-items that wait for each other all live at
// once, and their frames are counted here.
func (l *launch) fillLaunch(r driver.Range, args []driver.Arg) error {
	d, k := l.device, l.k
	if err := k.fitRange(r, &l.r); err != nil {
		return err
	}
	if err := l.setArgs(args); err != nil {
		return err
	}
	if d.options.Check {
		l.arguments = slices.Clone(args)
	}
	if k.rendezvous && int64(8*k.fn.words)*int64(groupSize(l.r.local)) > maxGroupPrivate {
		return fmt.Errorf("the values of %d work-items, %d words each, take too much memory; a smaller local size may do",
			groupSize(l.r.local), k.fn.words)
	}
	l.steps.Store(1 << 62)
	if d.options.Steps > 0 {
		l.steps.Store(max(1, d.options.Steps/fuelStep))
	}
	l.flat = d.heap.flatView()
	return nil
}

// fitRange completes the range and chooses a local size if there is none.
func (k *kernel) fitRange(r driver.Range, n *ndrange) (err error) {
	*n = ndrange{dims: len(r.Global), global: [3]int{1, 1, 1}}
	if n.dims < 1 || n.dims > 3 {
		return fmt.Errorf("a range of %d dimensions; there are 1 to 3", n.dims)
	}
	copy(n.global[:], r.Global)
	copy(n.offset[:], r.Offset)
	if r.Offset != nil && len(r.Offset) != n.dims {
		return fmt.Errorf("the offset has %d dimensions and the global size %d", len(r.Offset), n.dims)
	}
	items := 1
	for i := range n.dims {
		if n.global[i] < 0 || n.offset[i] < 0 || n.global[i] != 0 && items > maxItems/n.global[i] {
			return fmt.Errorf("the global size %v with offset %v is out of range", r.Global, n.offset[:n.dims])
		}
		items *= max(n.global[i], 1)
	}
	if r.Local == nil {
		err = n.choose(k)
	} else {
		err = n.takeLocalSize(r.Local, k)
	}
	n.countGroups()
	return err
}

// ChooseLocal implements driver.LocalChooser.
func (k *kernel) ChooseLocal(r driver.Range) ([]int, error) {
	var n ndrange
	if err := k.fitRange(r, &n); err != nil {
		return nil, err
	}
	return n.local[:n.dims], nil
}

// choose sets the local size to the one that the kernel requires, or in every
// dimension to the largest divisor of the global size that still fits.
func (n *ndrange) choose(k *kernel) error {
	if k.size[0] != 0 {
		return n.takeLocalSize(k.size[:n.dims], k)
	}
	// The sizes divide, as most kernels may have no work-groups that are smaller.
	room := preferredGroup
	for i, size := range n.global {
		n.local[i] = largestDivisor(size, room)
		room /= n.local[i]
	}
	return nil
}

func largestDivisor(n, limit int) int {
	for d := min(n, limit); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

// takeLocalSize checks a local size. Messages print copies, so that the arrays
// of launches that succeed stay off the heap.
func (n *ndrange) takeLocalSize(local []int, k *kernel) error {
	n.local = [3]int{1, 1, 1}
	copy(n.local[:], local)
	if len(local) != n.dims {
		return fmt.Errorf("the local size %v has %d dimensions and the global size %d", slices.Clone(local), len(local), n.dims)
	}
	if required := k.size; required[0] != 0 && n.local != required {
		return fmt.Errorf("the local size is %v; the kernel requires %v", n.local, required)
	}
	if size := groupSize(n.local); size < 1 || size > maxGroup {
		return fmt.Errorf("the local size %v is not of 1 to %d work-items", slices.Clone(local), maxGroup)
	}
	for i, size := range n.local {
		if n.global[i]%size != 0 && !k.p.uneven {
			return fmt.Errorf("the local size %v does not divide the global size %v", slices.Clone(local), slices.Clone(n.global[:n.dims]))
		}
	}
	return nil
}

// setArgs encodes the arguments as words.
func (l *launch) setArgs(args []driver.Arg) error {
	k := l.k
	if len(args) != len(k.params) {
		return fmt.Errorf("%d arguments for %d parameters", len(args), len(k.params))
	}
	if n := len(k.p.locals) + len(args); n <= cap(l.local) {
		l.local = l.local[:n]
	} else {
		l.local = make([]int64, n)
	}
	total := int64(0)
	for _, v := range k.locals {
		l.local[v.index] = v.t.size
		total += v.t.size
	}
	for i := range args {
		if err := l.setArg(i, &args[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
		total += args[i].LocalSize
	}
	if total > maxLocal {
		return fmt.Errorf("%d bytes of local memory; the embedded device has %d", total, maxLocal)
	}
	return nil
}

func (l *launch) setArg(i int, arg *driver.Arg) error {
	p := &l.k.params[i]
	switch p.Kind {
	case driver.ParamBuffer:
		return l.setBuffer(arg)
	case driver.ParamLocal:
		return l.setLocal(i, arg)
	case driver.ParamImage:
		return l.setImage(p, arg)
	case driver.ParamSampler:
		return l.setSampler(arg)
	}
	if arg.Memory != nil || arg.LocalSize != 0 || arg.Sampler != nil || len(arg.Value) != p.Size {
		return fmt.Errorf("the parameter, %s, is passed by value and has %d bytes; the argument has %d",
			l.k.p.module.TypeString(p.passedType().id), p.Size, len(arg.Value))
	}
	if p.byVal {
		// The bytes are copied, as the caller may use its own again once Launch
		// has returned. The word stays 0: each work-item has its own copy, made
		// by copyByValue.
		l.byVal = append(l.byVal, byValue{p, append([]byte(nil), arg.Value...)})
		l.args = append(l.args, 0)
		return nil
	}
	for _, leaf := range p.t.leaves() {
		l.args = append(l.args, readWord(arg.Value[leaf.offset:leaf.offset+leaf.size]))
	}
	return nil
}

// setBuffer accepts memory, the bytes of a pointer, or neither for null.
func (l *launch) setBuffer(arg *driver.Arg) error {
	switch {
	case arg.LocalSize != 0 || len(arg.Value) != 0 && len(arg.Value) != 8 || arg.Memory != nil && len(arg.Value) != 0:
		return errors.New("the parameter is a pointer to global memory; the argument must be memory of the device")
	case arg.Memory == nil:
		l.args = append(l.args, readWord(arg.Value))
		return nil
	}
	m, err := l.device.ownMemory(arg.Memory)
	if err != nil {
		return err
	}
	if arg.Offset < 0 || arg.Offset > m.Size() {
		return fmt.Errorf("offset %d is beyond the end of a memory of %d bytes", arg.Offset, m.Size())
	}
	l.args = append(l.args, uint64(m.pointer(arg.Offset)))
	return nil
}

func (l *launch) setLocal(i int, arg *driver.Arg) error {
	if arg.Memory != nil || len(arg.Value) != 0 || arg.LocalSize <= 0 || arg.LocalSize > maxLocal {
		return fmt.Errorf("the parameter is a pointer to local memory; the argument must be a size of 1 to %d bytes", maxLocal)
	}
	index := len(l.k.p.locals) + i
	l.local[index] = arg.LocalSize
	l.args = append(l.args, uint64(makePointer(spaceLocal, index, 0)))
	return nil
}

// run runs all work-groups and returns the first fault.
func (l *launch) run() error {
	l.began = l.device.now()
	err := l.runGroups()
	if l.ended == 0 {
		l.ended = l.device.now()
	}
	l.k.lastRun.Store(max(1, int64(l.ended-l.began)))
	l.device.tellAssertion(err)
	return err
}

func (l *launch) runGroups() error {
	if l.device.options.Check {
		return l.runChecked()
	}
	if l.r.isUneven() {
		return l.runParts()
	}
	return l.runUniform()
}

// runUniform runs work-groups of one size.
func (l *launch) runUniform() error {
	if err := l.runNative(); err != errNotNative {
		return err
	}
	total := l.total()
	// The caller's goroutine is one of the workers, so that a launch of one
	// group starts none.
	workers := min(l.mostThreads(), total)
	var wait sync.WaitGroup
	for range workers - 1 {
		wait.Go(func() { l.runWorker(total, nil) })
	}
	l.runWorker(total, l.yield)
	if workers > 1 {
		yieldUntil(wait.Wait, l.yield)
	}
	return l.outcome()
}

// mostThreads is how many threads may run work-groups at once.
func (l *launch) mostThreads() int64 {
	if processors := runtime.GOMAXPROCS(0); l.threads == 0 || l.threads > processors {
		return int64(processors)
	}
	return int64(l.threads)
}

// total is the number of work-groups.
func (l *launch) total() int64 {
	total := int64(1)
	for _, n := range l.r.groups {
		total *= int64(n)
	}
	return total
}

// runWorker runs work-groups until none is left.
func (l *launch) runWorker(total int64, yield func()) {
	g := newGroup(l)
	g.yield = yield
	for {
		index := l.next.Add(1) - 1
		if index >= total || l.stop.Load() != nil {
			return
		}
		if fault := g.run(index); fault != nil {
			l.report(index, fault)
			return
		}
	}
}

// errStopped stops the work-items of a launch after the fault of another one.
// No caller sees it: the fault is the launch's error.
var errStopped = errors.New("another work-item failed")

// report keeps the fault of the lowest group among those that ran. Others stop
// at their next look, and their own end is not reported.
func (l *launch) report(index int64, fault *Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(fault.Err, errStopped) {
		return
	}
	fault.nameAssertion()
	if l.fault == nil || index < l.group {
		l.fault, l.group = fault, index
	}
	l.abortLaunch(errStopped)
}

// abortLaunch makes the work-items stop at their next look at the budget. Only
// the first cause is kept.
func (l *launch) abortLaunch(cause error) {
	l.stop.CompareAndSwap(nil, &cause)
	l.natives.askToStop()
}

// ErrBudget is the Err of the Fault of a kernel that used up the device's
// budget of steps.
var ErrBudget = errors.New("the kernel used up its budget of steps")

// tick is called by every work-item once in fuelStep jumps.
func (l *launch) tick() error {
	if err := l.stop.Load(); err != nil {
		return *err
	}
	if l.takeStep() < 0 {
		return ErrBudget
	}
	return nil
}

// takeStep takes one from the budget, and returns the rest.
func (l *launch) takeStep() int64 {
	if l.shared == nil {
		return l.steps.Add(-1)
	}
	for {
		left := mem.Load64(l.shared)
		if mem.CompareAndSwap64(l.shared, left, left-1) {
			return int64(left - 1)
		}
	}
}
