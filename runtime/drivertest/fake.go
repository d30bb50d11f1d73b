package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"offlink/runtime/driver"
)

// FakeKernel is a kernel of a fake device, in Go.
type FakeKernel struct {
	Params []driver.Param
	// Run does the work of one launch. Buffers are the arguments' memory.
	Run func(r driver.Range, args []FakeArg) error
}

// FakeArg is an argument as a FakeKernel sees it.
type FakeArg struct {
	Value  []byte
	Buffer []byte
	Local  int64
}

// Fake is a driver with one device that records the calls it gets, and whose
// kernels are Go functions. Commands run when they are queued. Its fields are
// set before use. It is safe for concurrent use.
type Fake struct {
	// Kernels are the kernels of every program, whatever modules it is linked from.
	Kernels map[string]FakeKernel
	// Variables are the sizes of the program-scope variables of every
	// program.
	Variables map[string]int64
	// Refuse, if set, is asked by Accepts.
	Refuse func(driver.Image) error
	// BuildError, if set, is the error of Link.
	BuildError error
	// Fail, if set, is asked before each call that can fail.
	Fail func(call string) error
	Type driver.Type // default CPU
	// NoLinking has the device lack the extension strings of linking.
	NoLinking bool

	mu    sync.Mutex
	calls []string
	live  int // objects, programs, kernels, memory and queues that were not closed
	twice []string
	next  uint64 // address
}

// Calls returns the calls since the last call of Calls, a line each.
func (f *Fake) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// Live is the number of things that the driver gave out and that were not closed.
func (f *Fake) Live() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live
}

// ClosedTwice lists the things that were closed more than once.
func (f *Fake) ClosedTwice() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.twice)
}

// recordCall adds a line to the calls, and counts the things that the call created.
func (f *Fake) recordCall(opened int, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live += opened
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
}

// injectedFailure returns the error with which the test wants the call to fail, or nil.
// It is asked before the call has an effect.
func (f *Fake) injectedFailure(call string) error {
	if f.Fail == nil {
		return nil
	}
	return f.Fail(call)
}

// fakeThing is anything that is closed once.
type fakeThing struct {
	fake   *Fake
	closed bool
}

// closeOnce notes a second close instead of failing: callers seldom look at the
// error of Close, and tests look at the list.
func (c *fakeThing) closeOnce(format string, args ...any) error {
	c.fake.mu.Lock()
	defer c.fake.mu.Unlock()
	what := fmt.Sprintf(format, args...)
	c.fake.calls = append(c.fake.calls, what)
	if c.closed {
		c.fake.twice = append(c.fake.twice, what)
	} else {
		c.fake.live--
	}
	c.closed = true
	return nil
}

// Name implements driver.Driver.
func (f *Fake) Name() string { return "fake" }

// Devices implements driver.Driver.
func (f *Fake) Devices() ([]driver.Device, error) {
	if err := f.injectedFailure("Devices"); err != nil {
		return nil, err
	}
	return []driver.Device{(*fakeDevice)(f)}, nil
}

// Close implements driver.Driver.
func (f *Fake) Close() error { f.recordCall(0, "close driver"); return nil }

// fakeDevice is the one device of a Fake, which has no state of its own.
type fakeDevice Fake

func (d *fakeDevice) fakeDriver() *Fake { return (*Fake)(d) }

func (d *fakeDevice) Info() driver.Info {
	t := d.Type
	if t == "" {
		t = driver.CPU
	}
	info := driver.Info{
		Name: "fake device", Vendor: "offlink", Version: "1", Type: t, ComputeUnits: 1,
		MaxWorkGroup: 64, LocalMemory: 1 << 10, GlobalMemory: 1 << 20, MaxAllocation: 1 << 20, Formats: []string{"spirv"},
	}
	if !d.NoLinking {
		info.Extensions = fakeExtensions
	}
	return info
}

// fakeExtensions say that images of these targets are linked, in the strings of
// DPC++'s runtime.
var fakeExtensions = []string{"pi_ext_spirv64_linking", "pi_ext_spirv64_x86_64_linking", "pi_ext_spirv64_gen_linking"}

func (d *fakeDevice) Accepts(img driver.Image) error {
	if d.Refuse != nil {
		return d.Refuse(img)
	}
	if img.Format != "spirv" {
		return fmt.Errorf("the fake device takes no %s", img.Format)
	}
	return nil
}

// fakeObject is a module with its specialization constants. Nothing reads its code.
type fakeObject struct {
	fakeThing
	name string
	spec map[uint32][]byte
}

func (o *fakeObject) Close() error { return o.closeOnce("close object %s", o.name) }

func (d *fakeDevice) Compile(ctx context.Context, m driver.Module, opts driver.CompileOptions) (driver.Object, error) {
	if err := errors.Join(d.fakeDriver().injectedFailure("Compile"), ctx.Err()); err != nil {
		return nil, err
	}
	if len(opts.SpecConstants) > 0 {
		d.fakeDriver().recordCall(1, "compile %q with %v", m.Name, opts.SpecConstants)
	} else {
		d.fakeDriver().recordCall(1, "compile %q", m.Name)
	}
	return &fakeObject{fakeThing{fake: d.fakeDriver()}, m.Name, opts.SpecConstants}, nil
}

func (d *fakeDevice) Link(_ context.Context, objects []driver.Object, _ driver.LinkOptions) (driver.Program, error) {
	if err := d.fakeDriver().injectedFailure("Link"); err != nil {
		return nil, err
	}
	var names []string
	for _, o := range objects {
		names = append(names, o.(*fakeObject).name)
	}
	if d.BuildError != nil {
		d.fakeDriver().recordCall(0, "link %q fails", names)
		return nil, d.BuildError
	}
	d.fakeDriver().recordCall(1, "link %q", names)
	return &fakeProgram{fakeThing: fakeThing{fake: d.fakeDriver()}, variables: make(map[string]*fakeMemory)}, nil
}

func (d *fakeDevice) Alloc(kind driver.MemoryKind, size int64) (driver.Memory, error) {
	if err := d.fakeDriver().injectedFailure("Alloc"); err != nil {
		return nil, err
	}
	if size < 1 || size > d.Info().MaxAllocation {
		return nil, fmt.Errorf("cannot allocate %d bytes", size)
	}
	d.fakeDriver().recordCall(1, "alloc %d", size)
	return d.fakeDriver().newMemory(kind, size), nil
}

// newMemory gives each memory an address far from the others, so that sums of
// addresses and offsets tell them apart.
func (f *Fake) newMemory(kind driver.MemoryKind, size int64) *fakeMemory {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next += 1 << 20
	return &fakeMemory{fakeThing{fake: f}, kind, f.next, make([]byte, size)}
}

func (d *fakeDevice) NewQueue(driver.QueueOptions) (driver.Queue, error) {
	if err := d.fakeDriver().injectedFailure("NewQueue"); err != nil {
		return nil, err
	}
	d.fakeDriver().recordCall(1, "new queue")
	return &fakeQueue{fakeThing: fakeThing{fake: d.fakeDriver()}}, nil
}

// fakeProgram has the kernels and variables of the Fake, whatever was linked.
type fakeProgram struct {
	fakeThing
	variables map[string]*fakeMemory
}

func (p *fakeProgram) Kernel(name string) (driver.Kernel, error) {
	if err := p.fake.injectedFailure("Kernel"); err != nil {
		return nil, err
	}
	k, ok := p.fake.Kernels[name]
	if !ok {
		return nil, fmt.Errorf("kernel %s: %w", name, driver.ErrNotFound)
	}
	p.fake.recordCall(1, "kernel %s", name)
	return &fakeKernel{fakeThing{fake: p.fake}, name, k}, nil
}

func (p *fakeProgram) Variable(name string) (driver.Memory, error) {
	if err := p.fake.injectedFailure("Variable"); err != nil {
		return nil, err
	}
	size, ok := p.fake.Variables[name]
	if !ok {
		return nil, fmt.Errorf("variable %s: %w", name, driver.ErrNotFound)
	}
	if p.variables[name] == nil {
		p.variables[name] = p.fake.newMemory(driver.DeviceMemory, size)
	}
	return p.variables[name], nil
}

func (p *fakeProgram) Close() error { return p.closeOnce("close program") }

type fakeKernel struct {
	fakeThing
	name string
	FakeKernel
}

func (k *fakeKernel) Name() string            { return k.name }
func (k *fakeKernel) Params() []driver.Param  { return slices.Clone(k.FakeKernel.Params) }
func (k *fakeKernel) Info() driver.KernelInfo { return driver.KernelInfo{MaxGroup: 64} }
func (k *fakeKernel) Close() error            { return k.closeOnce("close kernel %s", k.name) }

type fakeMemory struct {
	fakeThing
	kind    driver.MemoryKind
	address uint64
	data    []byte
}

func (m *fakeMemory) Size() int64             { return int64(len(m.data)) }
func (m *fakeMemory) Kind() driver.MemoryKind { return m.kind }
func (m *fakeMemory) Address() uint64         { return m.address }
func (m *fakeMemory) Close() error            { return m.closeOnce("free %d", len(m.data)) }

func (m *fakeMemory) transferBytes(offset, size int64) ([]byte, error) {
	if offset < 0 || size > int64(len(m.data))-offset {
		return nil, fmt.Errorf("%d bytes at %d do not lie in a buffer of %d", size, offset, len(m.data))
	}
	return m.data[offset : offset+size], nil
}

type fakeQueue struct {
	fakeThing
	err error // of a command, for Finish
}

// runCommand runs a command at once.
func (q *fakeQueue) runCommand(call string, s driver.Sync, f func() error) error {
	if err := q.fake.injectedFailure(call); err != nil {
		return err
	}
	err := f()
	if q.err == nil {
		q.err = err
	}
	if s.Done != nil {
		*s.Done = fakeEvent{err}
	}
	if s.Block {
		return err
	}
	return nil
}

func (q *fakeQueue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	part, err := m.(*fakeMemory).transferBytes(offset, int64(len(data)))
	if err != nil {
		return err
	}
	return q.runCommand("Write", s, func() error { copy(part, data); return nil })
}

func (q *fakeQueue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	part, err := m.(*fakeMemory).transferBytes(offset, int64(len(data)))
	if err != nil {
		return err
	}
	return q.runCommand("Read", s, func() error { copy(data, part); return nil })
}

func (q *fakeQueue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	target, err := to.(*fakeMemory).transferBytes(toOffset, size)
	if err != nil {
		return err
	}
	source, err := from.(*fakeMemory).transferBytes(fromOffset, size)
	if err != nil {
		return err
	}
	return q.runCommand("Copy", s, func() error { copy(target, source); return nil })
}

func (q *fakeQueue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	part, err := m.(*fakeMemory).transferBytes(offset, size)
	if err != nil {
		return err
	}
	return q.runCommand("Fill", s, func() error {
		for i := range part {
			part[i] = pattern[i%len(pattern)]
		}
		return nil
	})
}

func (q *fakeQueue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	kernel := k.(*fakeKernel)
	q.fake.recordCall(0, "launch %s over %v in %v with %d args", kernel.name, r.Global, r.Local, len(args))
	var list []FakeArg
	for _, arg := range args {
		a := FakeArg{Value: arg.Value, Local: arg.LocalSize}
		if arg.Memory != nil {
			a.Buffer = arg.Memory.(*fakeMemory).data[arg.Offset:]
		}
		list = append(list, a)
	}
	return q.runCommand("Launch", s, func() error {
		if kernel.Run == nil {
			return nil
		}
		return kernel.Run(r, list)
	})
}

func (q *fakeQueue) Barrier(s driver.Sync) error {
	return q.runCommand("Barrier", s, func() error { return nil })
}

func (q *fakeQueue) Flush() error { return q.fake.injectedFailure("Flush") }

func (q *fakeQueue) Finish() error {
	err := q.err
	q.err = nil
	if err == nil {
		err = q.fake.injectedFailure("Finish")
	}
	return err
}

func (q *fakeQueue) Close() error { return q.closeOnce("close queue") }

// fakeEvent is the event of a command, which has already ended.
type fakeEvent struct{ err error }

func (e fakeEvent) Wait(context.Context) error { return e.err }

func (e fakeEvent) Status() driver.Status {
	if e.err != nil {
		return driver.Failed
	}
	return driver.Complete
}

func (e fakeEvent) Times() (driver.Times, error) {
	return driver.Times{Submitted: time.Nanosecond, Started: 2 * time.Nanosecond, Ended: 3 * time.Nanosecond}, nil
}

func (e fakeEvent) OnDone(f func(error)) { f(e.err) }
func (e fakeEvent) Close() error         { return nil }
