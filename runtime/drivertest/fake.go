package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

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

// Fake is a driver with one device that records what it is asked for, and
// whose kernels are Go functions. Its fields are set before use. It is safe
// for concurrent use.
type Fake struct {
	// Kernels are in every program, whatever its modules are.
	Kernels map[string]FakeKernel
	// Refuse, if set, is asked by Accepts.
	Refuse func(driver.Image) error
	// BuildError, if set, is what Build returns.
	BuildError error
	Type       driver.Type // default CPU

	mu    sync.Mutex
	calls []string
	live  int // programs, kernels, memory and queues that were not closed
}

// Calls returns what was asked since the last call of Calls, a line each.
func (f *Fake) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// Live is how many objects that the driver gave out were not closed.
func (f *Fake) Live() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live
}

func (f *Fake) record(opened int, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live += opened
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
}

// Name implements driver.Driver.
func (f *Fake) Name() string { return "fake" }

// Devices implements driver.Driver.
func (f *Fake) Devices() ([]driver.Device, error) { return []driver.Device{(*fakeDevice)(f)}, nil }

// Close implements driver.Driver.
func (f *Fake) Close() error { f.record(0, "close driver"); return nil }

type fakeDevice Fake

func (d *fakeDevice) fake() *Fake { return (*Fake)(d) }

func (d *fakeDevice) Info() driver.Info {
	t := d.Type
	if t == "" {
		t = driver.CPU
	}
	return driver.Info{Name: "fake device", Vendor: "offlink", Version: "1", Type: t, ComputeUnits: 1,
		MaxWorkGroup: 64, LocalMemory: 1 << 10, GlobalMemory: 1 << 20, MaxAllocation: 1 << 20, Formats: []string{"spirv"}}
}

func (d *fakeDevice) Accepts(img driver.Image) error {
	if d.Refuse != nil {
		return d.Refuse(img)
	}
	if img.Format != "spirv" {
		return fmt.Errorf("the fake device takes no %s", img.Format)
	}
	return nil
}

func (d *fakeDevice) Build(_ context.Context, modules []driver.Module, _ driver.BuildOptions) (driver.Program, error) {
	var names []string
	for _, m := range modules {
		names = append(names, m.Name)
	}
	if d.BuildError != nil {
		d.fake().record(0, "build %q fails", names)
		return nil, d.BuildError
	}
	d.fake().record(1, "build %q", names)
	return &fakeProgram{d.fake()}, nil
}

func (d *fakeDevice) Alloc(size int64) (driver.Memory, error) {
	if size < 1 || size > d.Info().MaxAllocation {
		return nil, fmt.Errorf("cannot allocate %d bytes", size)
	}
	d.fake().record(1, "alloc %d", size)
	return &fakeMemory{d.fake(), make([]byte, size)}, nil
}

func (d *fakeDevice) NewQueue() (driver.Queue, error) {
	d.fake().record(1, "new queue")
	return &fakeQueue{fake: d.fake()}, nil
}

type fakeProgram struct{ fake *Fake }

func (p *fakeProgram) Kernel(name string) (driver.Kernel, error) {
	k, ok := p.fake.Kernels[name]
	if !ok {
		return nil, fmt.Errorf("kernel %s: %w", name, driver.ErrNotFound)
	}
	p.fake.record(1, "kernel %s", name)
	return &fakeKernel{p.fake, name, k}, nil
}

func (p *fakeProgram) Variable(name string) (driver.Memory, error) {
	return nil, fmt.Errorf("variable %s: %w", name, driver.ErrNotFound)
}

func (p *fakeProgram) Close() error { p.fake.record(-1, "close program"); return nil }

type fakeKernel struct {
	fake *Fake
	name string
	FakeKernel
}

func (k *fakeKernel) Name() string           { return k.name }
func (k *fakeKernel) Params() []driver.Param { return slices.Clone(k.FakeKernel.Params) }
func (k *fakeKernel) Close() error           { k.fake.record(-1, "close kernel %s", k.name); return nil }

type fakeMemory struct {
	fake *Fake
	data []byte
}

func (m *fakeMemory) Size() int64 { return int64(len(m.data)) }
func (m *fakeMemory) Close() error {
	m.fake.record(-1, "free %d", len(m.data))
	m.data = nil
	return nil
}

func (m *fakeMemory) part(offset, size int64) ([]byte, error) {
	if offset < 0 || size > int64(len(m.data))-offset {
		return nil, fmt.Errorf("%d bytes at %d do not lie in a buffer of %d", size, offset, len(m.data))
	}
	return m.data[offset : offset+size], nil
}

type fakeQueue struct {
	fake *Fake
	err  error // of a launch, for Finish
}

func (q *fakeQueue) Write(m driver.Memory, offset int64, data []byte) error {
	part, err := m.(*fakeMemory).part(offset, int64(len(data)))
	copy(part, data)
	return err
}

func (q *fakeQueue) Read(m driver.Memory, offset int64, data []byte) error {
	part, err := m.(*fakeMemory).part(offset, int64(len(data)))
	copy(data, part)
	return err
}

func (q *fakeQueue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg) error {
	kernel := k.(*fakeKernel)
	q.fake.record(0, "launch %s over %v in %v with %d args", kernel.name, r.Global, r.Local, len(args))
	var list []FakeArg
	for _, arg := range args {
		a := FakeArg{Value: arg.Value, Local: arg.LocalSize}
		if arg.Memory != nil {
			a.Buffer = arg.Memory.(*fakeMemory).data[arg.Offset:]
		}
		list = append(list, a)
	}
	if kernel.Run != nil {
		q.err = errors.Join(q.err, kernel.Run(r, list))
	}
	return nil
}

func (q *fakeQueue) Finish() error {
	err := q.err
	q.err = nil
	return err
}

func (q *fakeQueue) Close() error { q.fake.record(-1, "close queue"); return nil }
