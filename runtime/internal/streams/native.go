// Package streams has the queues, events and memory of back ends whose drivers
// take work in streams and memory by addresses: CUDA's streams, Level Zero's
// immediate command lists.
//
// An in-order queue is a stream, an out-of-order queue has several. A command that waits
// for an event which the host ends stays in the queue until then, as a stream cannot be
// made to skip the command if the event failed. Kernels that run cannot be stopped: a queue
// is not a driver.Aborter, and Close lets them run to their end.
package streams

import (
	"errors"
	"sync"
	"time"

	"offlink/runtime/driver"
)

type (
	// Stream is the driver's handle of a stream; its work is done in order.
	Stream uintptr
	// Mark is the driver's handle of an event; 0 is none.
	Mark uintptr
)

// Native is the work of a back end's driver. Its methods are called by several
// goroutines. Errors are driver.CallErrors.
type Native interface {
	// Within runs calls on one thread, set up for the device; WithinStream the
	// same for calls that have a stream, which may need less.
	Within(calls func() error) error
	WithinStream(calls func() error) error
	// NewStream makes a stream; timed if marks with times are recorded in it.
	NewStream(timed bool) (Stream, error)
	// DestroyStream releases a stream that has no work.
	DestroyStream(s Stream) error
	Synchronize(s Stream) error
	IsStreamDone(s Stream) (bool, error)
	// StreamWait makes the later work of a stream wait for a mark.
	StreamWait(s Stream, m Mark) error
	// NewMark makes a mark, with times or without.
	NewMark(timed bool) (Mark, error)
	// DestroyMark releases a mark, which streams may still wait for.
	DestroyMark(m Mark) error
	// Record sets the mark when the work that the stream has now is done. A
	// mark is recorded once.
	Record(m Mark, s Stream) error
	IsMarkDone(m Mark) (bool, error)
	WaitMark(m Mark) error
	// Elapsed is the time between two marks that are done.
	Elapsed(from, to Mark) (time.Duration, error)
}

// NativeMemory is the memory of a back end's driver, and the transfers that it
// has in a stream. Sizes are in bytes and above 0.
type NativeMemory interface {
	// MaxAllocation is the size of the largest allocation.
	MaxAllocation() int64
	AllocateMemory(kind driver.MemoryKind, size int64) (address uint64, err error)
	FreeMemory(kind driver.MemoryKind, address uint64) error
	// ClearMemory fills device or shared memory with zeros, and waits for that:
	// no queue is ordered after it.
	ClearMemory(address uint64, size int64) error
	// FindAllocation returns the allocation that an address is in. It fails for memory
	// that commands of the device cannot use.
	FindAllocation(address uint64) (Allocation, error)
	// WriteMemory copies data to an address, ReadMemory from an address to data. data
	// stays in place until the copy has ended.
	WriteMemory(to uint64, data []byte, s Stream) error
	ReadMemory(data []byte, from uint64, s Stream) error
	CopyMemory(to, from uint64, size int64, s Stream) error
	// FillMemory repeats a pattern, whose length is a power of two. The pattern stays
	// in place.
	FillMemory(to uint64, size int64, pattern []byte, s Stream) error
}

// Allocation is memory that the driver allocated.
type Allocation struct {
	Start uint64
	Size  int64
	Kind  driver.MemoryKind
}

// HandleTeller is a Native whose marks are not the driver's handles themselves.
type HandleTeller interface {
	// MarkHandle is the driver's handle of a mark.
	MarkHandle(m Mark) uint64
}

// Device has the queues, events and memory of one device. A back end's device
// embeds it.
type Device struct {
	Native Native
	// TellsByEvent says that the driver reports a failed command only through its
	// event: then queues keep the events of commands and look at them.
	TellsByEvent bool
	memory       NativeMemory

	epoch       time.Time      // of the times of events
	working     sync.WaitGroup // queues that work on after their Close
	allocations driver.Allocations
	queues      driver.OpenQueues[*Queue]
	frees       driver.DeferredFrees
}

// NewDevice returns the queues, events and memory of a device. A back end whose
// memory may have no addresses passes nil for it, and has memory and transfers
// of its own.
func NewDevice(n Native, m NativeMemory) *Device {
	return &Device{Native: n, memory: m, epoch: time.Now()}
}

// WaitForQueues waits for those that were closed while they worked, and frees the
// memory that was closed meanwhile. It returns the failures of that which nobody was told.
func (d *Device) WaitForQueues() error {
	d.working.Wait()
	d.CollectFrees()
	return d.frees.Failure()
}

// NewEvent returns an event that the host ends.
func (d *Device) NewEvent() (driver.UserEvent, error) { return &event{device: d}, nil }

// sinceEpoch is the time since the epoch.
func (d *Device) sinceEpoch() time.Duration { return time.Since(d.epoch) }

// ownEvents returns the arguments as events of this device.
func (d *Device) ownEvents(list []driver.Event) ([]*event, error) {
	var events []*event
	for _, e := range list {
		own, ok := e.(*event)
		if !ok || own.device != d {
			return nil, errors.New("the event is not of this device")
		}
		events = append(events, own)
	}
	return events, nil
}

func (d *Device) destroyMarks(marks ...Mark) error {
	var errs []error
	for _, m := range marks {
		if m != 0 {
			errs = append(errs, d.Native.DestroyMark(m))
		}
	}
	return errors.Join(errs...)
}
