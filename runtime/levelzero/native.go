package levelzero

import (
	"errors"
	"sync"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/internal/streams"
	"offlink/runtime/internal/ze"
)

// native implements streams' interfaces for a device: queues, events and memory. Level
// Zero has no thread-local state, so that Within has nothing to do.
type native struct{ device *Device }

func (n native) Within(calls func() error) error       { return calls() }
func (n native) WithinStream(calls func() error) error { return calls() }

func (n native) NewStream(bool) (streams.Stream, error) {
	n.device.used.Store(true)
	list, err := n.device.library.NewList(n.device.context, n.device.handle, n.device.group)
	return streams.Stream(list), err
}

// DestroyStream releases a list, and the dropped events that it waited for. An event may
// be destroyed only when no list waits for it any more, which is known here at the
// latest.
func (n native) DestroyStream(s streams.Stream) error {
	n.device.marks.forgetStream(s)
	return errors.Join(n.device.library.DestroyList(ze.Handle(s)), n.device.marks.sweepMarks(n.device, false))
}

// Synchronize waits for an event at the end of the list. zeCommandListHostSynchronize
// came with version 1.6; an event serves in every version.
func (n native) Synchronize(s streams.Stream) error {
	m, err := n.NewMark(false)
	if err != nil {
		return err
	}
	err = n.Record(m, s)
	if err == nil {
		if err = n.WaitMark(m); err == nil {
			n.device.marks.forgetStream(s)
		}
	}
	return errors.Join(err, n.DestroyMark(m))
}

func (n native) IsStreamDone(s streams.Stream) (done bool, err error) {
	m, err := n.NewMark(false)
	if err != nil {
		return false, err
	}
	if err = n.Record(m, s); err == nil {
		done, err = n.IsMarkDone(m)
	}
	return done, errors.Join(err, n.DestroyMark(m))
}

// StreamWait holds the mark until the stream is done: Level Zero keeps no reference to an
// event that a list waits for.
func (n native) StreamWait(s streams.Stream, m streams.Mark) error {
	n.device.marks.holdMark(m, s)
	return n.device.library.Wait(ze.Handle(s), ze.Handle(m))
}

func (n native) NewMark(timed bool) (streams.Mark, error) {
	if err := n.device.marks.sweepMarks(n.device, false); err != nil {
		return 0, err
	}
	e, err := n.device.library.NewEvent(n.device.context, n.device.handle, timed)
	if err != nil {
		return 0, err
	}
	return n.device.marks.insertMark(e), nil
}

func (n native) DestroyMark(m streams.Mark) error {
	n.device.marks.dropMark(m)
	return n.device.marks.sweepMarks(n.device, false)
}

// Record appends a signal. The barrier after each command orders it after all of them,
// and its own barrier orders later commands after the signal.
func (n native) Record(m streams.Mark, s streams.Stream) error {
	if err := n.device.library.Signal(ze.Handle(s), ze.Handle(m)); err != nil {
		return err // nothing sets the event
	}
	n.device.marks.recordMark(m)
	return n.device.library.Barrier(ze.Handle(s))
}

func (n native) IsMarkDone(m streams.Mark) (bool, error) {
	err := n.device.library.QueryEvent(ze.Handle(m))
	if ze.IsNotReady(err) {
		return false, nil
	}
	return err == nil, err
}

func (n native) WaitMark(m streams.Mark) error { return n.device.library.WaitEvent(ze.Handle(m)) }

// Elapsed subtracts time stamps, which may have fewer than 64 bits and wrap around.
func (n native) Elapsed(from, to streams.Mark) (time.Duration, error) {
	begin, err := n.device.library.Timestamp(ze.Handle(from))
	if err != nil {
		return 0, err
	}
	end, err := n.device.library.Timestamp(ze.Handle(to))
	if err != nil {
		return 0, err
	}
	ticks := end - begin
	// bits is kernelTimestampValidBits of the device's properties. The difference is
	// right if the counter wrapped around once.
	if n.device.bits > 0 && n.device.bits < 64 {
		ticks &= 1<<n.device.bits - 1
	}
	return time.Duration(ticks * n.device.ticks), nil
}

func (n native) MaxAllocation() int64 { return n.device.info.MaxAllocation }

// allocationAlign is the alignment of the largest types of OpenCL C: long16 and double16
// have 128 bytes.
const allocationAlign = 128

func (n native) AllocateMemory(kind driver.MemoryKind, size int64) (uint64, error) {
	d := n.device
	d.used.Store(true)
	switch kind {
	case driver.HostMemory:
		return d.library.AllocHost(d.context, size, allocationAlign)
	case driver.SharedMemory:
		return d.library.AllocShared(d.context, d.handle, size, allocationAlign)
	}
	return d.library.AllocDevice(d.context, d.handle, size, allocationAlign)
}

func (n native) FreeMemory(_ driver.MemoryKind, address uint64) error {
	return n.device.library.Free(n.device.context, address)
}

// ClearMemory uses a list of its own, so that it does not delay a queue of the user.
func (n native) ClearMemory(address uint64, size int64) error {
	list, err := n.NewStream(false)
	if err != nil {
		return err
	}
	return errors.Join(n.FillMemory(address, size, []byte{0}, list), n.Synchronize(list), n.DestroyStream(list))
}

// FindAllocation counts all memory as that of the device, which the host does not touch.
func (n native) FindAllocation(address uint64) (streams.Allocation, error) {
	start, size, err := n.device.library.Range(n.device.context, address)
	return streams.Allocation{Start: start, Size: size, Kind: driver.DeviceMemory}, err
}

func (n native) WriteMemory(to uint64, data []byte, s streams.Stream) error {
	return inOrder(n.device.library, s, func(list ze.Handle) error { return n.device.library.Write(list, to, data) })
}

func (n native) ReadMemory(data []byte, from uint64, s streams.Stream) error {
	return inOrder(n.device.library, s, func(list ze.Handle) error { return n.device.library.Read(list, data, from) })
}

func (n native) CopyMemory(to, from uint64, size int64, s streams.Stream) error {
	return inOrder(n.device.library, s, func(list ze.Handle) error { return n.device.library.Copy(list, to, from, size) })
}

func (n native) FillMemory(to uint64, size int64, pattern []byte, s streams.Stream) error {
	return inOrder(n.device.library, s, func(list ze.Handle) error { return n.device.library.Fill(list, to, pattern, size) })
}

// inOrder appends a command that ends before those after it begin: commands of a list may
// overlap unless a barrier separates them.
func inOrder(l *ze.Library, s streams.Stream, command func(list ze.Handle) error) error {
	if err := command(ze.Handle(s)); err != nil {
		return err
	}
	return l.Barrier(ze.Handle(s))
}

// marks are the events that were made. An event must not be destroyed while a command
// list still waits for it or will signal it: those that their owner dropped stay until
// then.
type marks struct {
	mu   sync.Mutex
	list map[streams.Mark]*mark
}

type mark struct {
	event    ze.Event
	dropped  bool // by its owner
	recorded bool
	waiting  map[streams.Stream]bool
}

func (k *marks) insertMark(e ze.Event) streams.Mark {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list == nil {
		k.list = map[streams.Mark]*mark{}
	}
	m := streams.Mark(e.Event)
	k.list[m] = &mark{event: e, waiting: map[streams.Stream]bool{}}
	return m
}

func (k *marks) holdMark(m streams.Mark, s streams.Stream) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if own := k.list[m]; own != nil {
		own.waiting[s] = true
	}
}

func (k *marks) recordMark(m streams.Mark) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if own := k.list[m]; own != nil {
		own.recorded = true
	}
}

func (k *marks) dropMark(m streams.Mark) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if own := k.list[m]; own != nil {
		own.dropped = true
	}
}

// forgetStream notes that a stream no longer waits for any event.
func (k *marks) forgetStream(s streams.Stream) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, own := range k.list {
		delete(own.waiting, s)
	}
}

// sweepMarks destroys the dropped events that nothing uses, or with all, when no list is
// left, every dropped event.
func (k *marks) sweepMarks(d *Device, all bool) error {
	k.mu.Lock()
	var gone []ze.Event
	var errs []error
	for m, own := range k.list {
		if !own.dropped || len(own.waiting) > 0 && !all {
			continue
		}
		if own.recorded && !all {
			err := d.library.QueryEvent(own.event.Event)
			if ze.IsNotReady(err) {
				continue
			}
			errs = append(errs, err)
		}
		gone = append(gone, own.event)
		delete(k.list, m)
	}
	k.mu.Unlock()
	for _, e := range gone {
		errs = append(errs, d.library.DestroyEvent(e))
	}
	return errors.Join(errs...)
}
