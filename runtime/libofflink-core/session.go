package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"offlink/privilege"
	"offlink/runtime"
	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/internal/live"
	"offlink/runtime/registry"
	"offlink/runtime/trace"
)

// session is the runtime of the process and the objects that C holds of it. Its methods
// are the functions of core.h, without C. It is safe for concurrent use.
type session struct {
	runtime *runtime.Runtime
	handles handles
	queues  queues
	trace   *trace.Recorder
	growth  driverGrowth
	direct  directDevices
	// building counts the calls under way that open drivers or build programs.
	building atomic.Int32

	mu sync.Mutex
	// owners are the modules that registered images, by load address.
	owners map[uintptr]registry.Owner
	// unread are descriptors that could not be read, for messages.
	unread []string
	// allocations are the memory that C holds by address.
	allocations map[uint64]allocation

	warnings struct {
		some atomic.Bool
		mu   sync.Mutex
		list []string
	}
}

// newSession returns a session whose back ends are opened when they are first needed.
// list gets the cache that the environment asks for, or nil, and the function that takes
// warnings.
func newSession(list func(c *cache.Cache, warn func(string)) []runtime.Backend) *session {
	s := &session{owners: make(map[uintptr]registry.Owner)}
	o := runtime.Options{Warn: s.addWarning}
	if settings, on := cache.FromEnvironment(privilege.Getenv, os.Stderr); on {
		o.Cache = cache.New(settings)
	}
	o.Trace = startTrace()
	s.runtime, s.trace = runtime.NewLazily(list(o.Cache, o.Warn), o), o.Trace
	return s
}

// startTrace begins the trace that the environment asks for, or returns nil. If its file
// cannot be written, the program runs without a trace.
func startTrace() *trace.Recorder {
	file := privilege.Getenv(trace.Variable)
	if file == "" {
		return nil
	}
	name := "libofflink"
	if len(os.Args) > 0 {
		name = filepath.Base(os.Args[0])
	}
	r, err := trace.Create(file, name)
	if err != nil {
		fmt.Fprintf(os.Stderr, "libofflink: %s: no trace is written: %v\n", trace.Variable, err)
	}
	return r
}

// addWarning keeps a warning for the next call to return, of whatever thread.
func (s *session) addWarning(text string) {
	s.warnings.mu.Lock()
	defer s.warnings.mu.Unlock()
	s.warnings.list = append(s.warnings.list, text)
	s.warnings.some.Store(true)
}

// takeWarnings returns the warnings, each ended by a zero.
func (s *session) takeWarnings() string {
	if !s.warnings.some.Load() {
		return ""
	}
	s.warnings.mu.Lock()
	defer s.warnings.mu.Unlock()
	var b strings.Builder
	for _, w := range s.warnings.list {
		b.WriteString(strings.ReplaceAll(w, "\x00", "") + "\x00")
	}
	s.warnings.list = nil
	s.warnings.some.Store(false)
	return b.String()
}

// loaded is the images of one descriptor.
type loaded struct {
	images       *live.Images
	registration *registry.Registration
}

// buffer is device memory that C holds.
type buffer struct {
	driver.Memory
	device *runtime.Device
}

// kernel is a kernel that C holds.
type kernel struct {
	*runtime.Kernel
	device *runtime.Device
	direct directKernel
}

// addImages registers the images of a descriptor. One that cannot be read is
// remembered, so that an error which follows from it can say so.
func (s *session) addImages(descriptor, base uintptr, file string) uint64 {
	images, err := live.Read(descriptor)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.unread = append(s.unread, fmt.Sprintf("the device images of %s could not be read: %v", file, err))
		return 0
	}
	owner := registry.Owner{ID: uint64(base), Name: file}
	if base != 0 { // without an address no call can name it
		s.owners[base] = owner
	}
	return s.handles.addHandle(&loaded{images, s.runtime.Register(owner, images.List)})
}

// dropImages unregisters the images of a descriptor. When it returns nothing reads them
// any more, so that the module may be unloaded.
func (s *session) dropImages(handle uint64) {
	if l, ok := s.handles.endHandle(handle).(*loaded); ok {
		s.runtime.Unregister(l.registration)
		l.images.Detach()
	}
}

// explainError adds the descriptors that could not be read to an error that may follow
// from that: a kernel or a symbol that was not found.
func (s *session) explainError(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil || len(s.unread) == 0 || statusOf(err) != statusNotFound && statusOf(err) != statusUnresolved {
		return err
	}
	return fmt.Errorf("%w\n%s", err, strings.Join(s.unread, "\n"))
}

func (s *session) openDevice(selector string) (handle uint64, name string, err error) {
	s.building.Add(1)
	defer s.building.Add(-1)
	d, err := s.runtime.Device(selector)
	if err != nil {
		s.growth.news.Store(s.runtime.HasDrivers()) // it may have opened some
		return 0, "", err
	}
	s.growth.noteStep(d, driverOpened)
	return s.handles.addHandle(d), d.Info().Name, nil
}

// openKernel opens the kernel of a reference, with the module at base as its
// owner.
func (s *session) openKernel(device uint64, base uintptr, ref runtime.KernelRef) (handle uint64, args int, err error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return 0, 0, err
	}
	ref.Owner = s.ownerAt(base)
	s.building.Add(1)
	defer s.building.Add(-1)
	program, err := s.runtime.Program(context.Background(), d, ref)
	if err != nil {
		return 0, 0, s.explainError(err)
	}
	k, err := program.Kernel()
	if err = errors.Join(err, program.Close()); err != nil {
		return 0, 0, err
	}
	s.growth.noteStep(d, driverBuilt)
	return s.handles.addHandle(&kernel{Kernel: k, device: d}), len(k.Params), nil
}

// ownerAt returns the owner at a load address, the zero Owner if it registered
// nothing.
func (s *session) ownerAt(base uintptr) registry.Owner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owners[base]
}

// createBuffer allocates device memory, with the data if that is not nil. It returns the
// memory itself too where the host can reach it.
func (s *session) createBuffer(device uint64, size int64, data []byte) (handle uint64, bytes []byte, err error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return 0, nil, err
	}
	if size <= 0 {
		return 0, nil, invalidArgument("a buffer cannot have %d bytes", size)
	}
	m, err := d.Alloc(driver.DeviceMemory, size)
	if err != nil {
		return 0, nil, err
	}
	if data != nil {
		err = s.queues.withQueue(d, func(q driver.Queue) error { return q.Write(m, 0, data, driver.Sync{Block: true}) })
	}
	if err != nil {
		return 0, nil, errors.Join(err, m.Close())
	}
	if visible, ok := m.(driver.HostVisible); ok {
		bytes = visible.Bytes()
	}
	return s.handles.addHandle(&buffer{m, d}), bytes, nil
}

func (s *session) transferBuffer(handle uint64, offset int64, data []byte, how func(driver.Queue, driver.Memory) error) error {
	b, err := lookupHandle[*buffer](&s.handles, handle, "buffer")
	if err != nil {
		return err
	}
	if n := int64(len(data)); offset < 0 || offset > b.Size() || n > b.Size()-offset {
		return invalidArgument("%d bytes at offset %d do not lie in a buffer of %d bytes", n, offset, b.Size())
	}
	return s.queues.withQueue(b.device, func(q driver.Queue) error { return how(q, b.Memory) })
}

func (s *session) readBuffer(handle uint64, offset int64, data []byte) error {
	return s.transferBuffer(handle, offset, data, func(q driver.Queue, m driver.Memory) error { return q.Read(m, offset, data, driver.Sync{Block: true}) })
}

func (s *session) writeBuffer(handle uint64, offset int64, data []byte) error {
	return s.transferBuffer(handle, offset, data, func(q driver.Queue, m driver.Memory) error { return q.Write(m, offset, data, driver.Sync{Block: true}) })
}

// The kinds of arguments of offlink.h.
const (
	argValue   = 1
	argBuffer  = 2
	argLocal   = 3
	argPointer = 4
)

// argument is an offlink_arg.
type argument struct {
	kind    int
	value   []byte
	buffer  uint64
	size    uint64 // of a value or of local memory; the offset into a buffer
	address uint64
}

// launchKernel runs a kernel and waits for it. quick says that the next launch may run
// on the thread of its caller.
func (s *session) launchKernel(handle uint64, r *launchRequest) (quick bool, err error) {
	k, err := lookupHandle[*kernel](&s.handles, handle, "kernel")
	if err != nil {
		return false, err
	}
	list, err := r.driverArgs(s, k)
	if err != nil {
		return false, err
	}
	r.kernel = k
	call := k.startCall()
	err = s.queues.withQueue(k.device, func(q driver.Queue) error {
		return k.Launch(q, r.size, list, driver.Sync{Block: true, Yield: r.yield})
	})
	s.growth.noteStep(k.device, driverRan)
	return k.isQuick(call), err
}

// quickLaunch is the longest launch after which the next one runs on its
// caller's thread: one that was short is expected to be short again.
const quickLaunch = time.Millisecond

// startCall returns the time at which a launch starts, for isQuick. The embedded device
// measures its launches itself, so that the clock is not read for it.
func (k *kernel) startCall() (start time.Time) {
	if !runsOnCaller(k.device) {
		start = time.Now()
	}
	return start
}

// isQuick reports whether the next launch may run on its caller's thread, after one that
// started at that time.
func (k *kernel) isQuick(start time.Time) bool {
	took := k.LastRun()
	if !runsOnCaller(k.device) {
		took = time.Since(start)
	}
	return 0 < took && took < quickLaunch
}

func runsOnCaller(d *runtime.Device) bool {
	_, ok := d.Device.(driver.CallerRunner)
	return ok
}

// isQuick reports whether commands of the device return at once.
func (s *session) isQuick(device uint64) bool {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	return err == nil && runsOnCaller(d)
}

// closeHandle closes the object of any handle.
func (s *session) closeHandle(handle uint64) {
	held := s.handles.endHandle(handle)
	switch v := held.(type) {
	case *buffer:
		noteFreed()
	case *event:
		v.abandon(errEventClosed)
	}
	if c, ok := held.(interface{ Close() error }); ok {
		_ = c.Close() // C cannot be told
	}
}

// closeAll closes the runtime when the process ends. The lanes are closed only if no call
// of direct.c is under way; otherwise they end with the process.
func (s *session) closeAll() {
	if endDirectCalls() {
		s.direct.closeLanes()
	}
	s.queues.closeQueues()
	for _, a := range s.allocations {
		_ = a.Close() // the process ends
	}
	_ = s.runtime.Shutdown()
	_ = s.trace.Close() // a full disk costs the trace alone
}
