package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"offlink/runtime"
	"offlink/runtime/driver"
	"offlink/runtime/globals"
)

// The calls for memory by address, queues and events: the methods of the
// session for the second half of offlink.h.

// queue is a queue that C holds.
type queue struct {
	driver.Queue
	device *runtime.Device
	direct directQueue
}

// event is an event that C holds.
type event struct {
	driver.Event
	device *runtime.Device
	user   driver.UserEvent // where the program ends it
}

// allocation is memory that C holds by its address.
type allocation struct {
	driver.Memory
	device *runtime.Device
}

// commandSync is an offlink_sync.
type commandSync struct {
	after []uint64
	event bool
	block bool
	here  bool // the call must not wait for other commands
	short bool // the command itself takes a moment
}

func (s *session) allocateMemory(device uint64, kind driver.MemoryKind, size int64) (uint64, error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return 0, err
	}
	if size <= 0 || kind < driver.DeviceMemory || kind > driver.SharedMemory {
		return 0, invalidArgument("%d bytes of memory of kind %d cannot be allocated", size, int(kind))
	}
	m, err := d.Alloc(kind, size)
	if err != nil {
		return 0, err
	}
	a, ok := m.(driver.Addresser)
	if !ok {
		return 0, errors.Join(fmt.Errorf("memory of %v has no address: %w", d, driver.ErrUnsupported), m.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.allocations == nil {
		s.allocations = make(map[uint64]allocation)
	}
	s.allocations[a.Address()] = allocation{m, d}
	return a.Address(), nil
}

func (s *session) freeMemory(device, address uint64) error {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return err
	}
	s.mu.Lock()
	a, ok := s.allocations[address]
	if ok && a.device == d {
		delete(s.allocations, address)
	}
	s.mu.Unlock()
	if !ok || a.device != d {
		return invalidArgument("%#x is not an address from offlink_memory_alloc for %v, or was freed", address, d)
	}
	noteFreed()
	return a.Close()
}

// memoryAt returns the memory of a device that has the address, nil for memory
// of the program.
func memoryAt(d *runtime.Device, address uint64) (driver.Memory, int64) {
	if q, ok := d.Device.(driver.PointerQuerier); ok {
		if p, ok := q.Pointer(address); ok {
			return p.Memory, p.Offset
		}
	}
	return nil, 0
}

func (s *session) createQueue(device uint64, opts driver.QueueOptions) (uint64, error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return 0, err
	}
	q, err := d.NewQueue(opts)
	if err != nil {
		return 0, err
	}
	return s.handles.addHandle(&queue{Queue: q, device: d}), nil
}

// finishQueue waits for the queue. Without wait it returns errElsewhere if it would have
// to.
func (s *session) finishQueue(handle uint64, wait bool) error {
	q, err := lookupHandle[*queue](&s.handles, handle, "queue")
	if err != nil {
		return err
	}
	if idler, ok := q.Queue.(driver.Idler); !wait && ok && !idler.Idle() {
		return errElsewhere
	}
	return q.Finish()
}

// finishesQuickly reports whether the next wait for a queue may be on the thread of its
// caller, given how long the last one took.
func (s *session) finishesQuickly(handle uint64, took time.Duration) bool {
	q, err := lookupHandle[*queue](&s.handles, handle, "queue")
	return err == nil && (runsOnCaller(q.device) || took < quickLaunch)
}

var errAborted = errors.New("the queue was aborted by offlink_queue_abort")

func (s *session) abortQueue(handle uint64) error {
	q, err := lookupHandle[*queue](&s.handles, handle, "queue")
	if err != nil {
		return err
	}
	a, ok := q.Queue.(driver.Aborter)
	if !ok {
		return fmt.Errorf("queues of %v cannot be aborted: %w", q.device, driver.ErrUnsupported)
	}
	a.Abort(errAborted)
	return nil
}

// queueCommand queues one command with its events, and returns the handle of its event
// if C asked for one, even if the command failed after it was queued.
//
// On the caller's thread (here) a short command that can start at once is made to block:
// it then runs there, without a thread switch. If C did not ask it to block, its
// failure is left to the event and to the queue, as if it had run later.
func (s *session) queueCommand(handle uint64, sync commandSync, do func(*queue, driver.Sync) error) (uint64, error) {
	q, err := lookupHandle[*queue](&s.handles, handle, "queue")
	if err != nil {
		return 0, err
	}
	var done driver.Event
	options := driver.Sync{Block: sync.block}
	if sync.event {
		options.Done = &done
	}
	for _, h := range sync.after {
		e, err := lookupHandle[*event](&s.handles, h, "event")
		if err != nil {
			return 0, err
		}
		options.After = append(options.After, e.Event)
	}
	inline := sync.here && sync.short && startsAtOnce(q, options.After)
	if sync.here && sync.block && !inline { // also if the driver has no Idler
		return 0, errElsewhere
	}
	if inline {
		options.Block, options.Done, options.Yield = true, &done, takeSignals
	}
	err = do(q, options)
	s.growth.noteStep(q.device, driverRan)
	if inline && !sync.block && done != nil {
		err = nil // it was accepted; the queue and the event have its outcome
	}
	if done != nil && !sync.event {
		return 0, errors.Join(err, done.Close())
	}
	if done == nil {
		return 0, err
	}
	return s.handles.addHandle(&event{Event: done, device: q.device}), err
}

// startsAtOnce reports whether nothing holds the next command of a queue.
func startsAtOnce(q *queue, after []driver.Event) bool {
	idler, ok := q.Queue.(driver.Idler)
	if !ok || !idler.Idle() {
		return false
	}
	return !slices.ContainsFunc(after, func(e driver.Event) bool { return e.Status() < driver.Complete })
}

// copyBytes copies between any two addresses of which the device has one or
// both.
func (s *session) copyBytes(handle uint64, sync commandSync, to, from uint64, host func(address uint64) ([]byte, error), size int64) (uint64, error) {
	return s.queueCommand(handle, sync, func(q *queue, o driver.Sync) error {
		target, at := memoryAt(q.device, to)
		source, start := memoryAt(q.device, from)
		switch {
		case size == 0:
			return q.Barrier(o)
		case target != nil && source != nil:
			return invalidCopy(q.Copy(target, at, source, start, size, o), target, at, source, start, size)
		case target != nil:
			data, err := host(from)
			if err != nil {
				return err
			}
			return invalidCopy(q.Write(target, at, data, o), target, at, nil, 0, size)
		case source != nil:
			data, err := host(to)
			if err != nil {
				return err
			}
			return invalidCopy(q.Read(source, start, data, o), nil, 0, source, start, size)
		}
		return invalidArgument("neither %#x nor %#x is memory of %v", to, from, q.device)
	})
}

// invalidCopy marks the error of a copy beyond the end of a memory as one of the
// arguments, which has a status of its own.
func invalidCopy(err error, target driver.Memory, at int64, source driver.Memory, start, size int64) error {
	if err != nil && (target != nil && size > target.Size()-at || source != nil && size > source.Size()-start) {
		return &invalidError{err.Error()}
	}
	return err
}

// maxPattern is the length of the longest pattern of a fill, in bytes.
const maxPattern = 128

func (s *session) fillMemory(handle uint64, sync commandSync, to uint64, pattern []byte, size int64) (uint64, error) {
	return s.queueCommand(handle, sync, func(q *queue, o driver.Sync) error {
		m, at := memoryAt(q.device, to)
		if m == nil {
			return invalidArgument("%#x is not memory of %v", to, q.device)
		}
		if n := int64(len(pattern)); n < 1 || n > maxPattern || n&(n-1) != 0 || size%n != 0 {
			return invalidArgument("a pattern of %d bytes cannot fill %d: it has 1 to %d, a power of two, and divides the size", n, size, maxPattern)
		}
		return invalidCopy(q.Fill(m, at, size, slices.Clone(pattern), o), m, at, nil, 0, size)
	})
}

func (s *session) queueBarrier(handle uint64, sync commandSync) (uint64, error) {
	return s.queueCommand(handle, sync, func(q *queue, o driver.Sync) error { return q.Barrier(o) })
}

// enqueueLaunch queues a launch. A launch that does not block gets copies of the values,
// as C may change them when the call returns. quick says that the next launch may run
// on the thread of its caller.
func (s *session) enqueueLaunch(handle uint64, sync commandSync, kernelHandle uint64, r *launchRequest) (done uint64, quick bool, err error) {
	k, err := lookupHandle[*kernel](&s.handles, kernelHandle, "kernel")
	if err != nil {
		return 0, false, err
	}
	r.kernel = k
	call := k.startCall()
	done, err = s.queueCommand(handle, sync, func(q *queue, o driver.Sync) error {
		if k.device != q.device {
			return invalidArgument("kernel %s is for %v and the queue is of %v", k.Name, k.device, q.device)
		}
		list, err := r.driverArgs(s, k)
		if err != nil {
			return err
		}
		if !o.Block {
			list = ownValues(list)
		}
		return k.Launch(q.Queue, r.size, list, o)
	})
	return done, k.isQuick(call), err
}

// waitEvent waits for a command. Without wait it returns errElsewhere if it would have
// to.
func (s *session) waitEvent(handle uint64, wait bool, timeout time.Duration) error {
	e, err := lookupHandle[*event](&s.handles, handle, "event")
	if err != nil {
		return err
	}
	if !wait && e.Status() < driver.Complete {
		return errElsewhere
	}
	return waitFor(e, timeout)
}

func (s *session) eventTimes(handle uint64) ([4]uint64, error) {
	e, err := lookupHandle[*event](&s.handles, handle, "event")
	if err != nil {
		return [4]uint64{}, err
	}
	return timesOf(e)
}

// useGlobal reads or writes a device global, which is found by the address of the host's
// object, or by name if no object is given.
func (s *session) useGlobal(device uint64, object uint64, name string, offset int64, data []byte, write bool) error {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return err
	}
	find := s.runtime.DeviceGlobals().ByID
	if object != 0 {
		find = func(string) (globals.Variable, error) { return s.runtime.DeviceGlobals().ByHost(object) }
	}
	v, err := find(name)
	if err != nil {
		return s.explainError(err)
	}
	return s.queues.withQueue(d, func(q driver.Queue) error {
		use := s.runtime.ReadGlobal
		if write {
			use = s.runtime.WriteGlobal
		}
		return use(context.Background(), d, q, v, offset, data, driver.Sync{Block: true})
	})
}
