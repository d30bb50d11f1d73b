package libcuda

import (
	"runtime"
	"slices"
	"time"
	"unsafe"

	"offlink/runtime/internal/dl"
)

const (
	streamNonBlocking   = 1 // CU_STREAM_NON_BLOCKING: apart from the default stream
	eventWithoutTimes   = 2 // CU_EVENT_DISABLE_TIMING
	launchBufferPointer = 1 // CU_LAUNCH_PARAM_BUFFER_POINTER
	launchBufferSize    = 2 // CU_LAUNCH_PARAM_BUFFER_SIZE
)

// NewStream makes a stream.
func (l *Library) NewStream() (Stream, error) {
	var s Stream
	err := l.callFunction(fnStreamCreate, uintptr(unsafe.Pointer(&s)), streamNonBlocking)
	return s, checkMade(fnStreamCreate, s, err)
}

// DestroyStream releases a stream. Its work goes on to the end.
func (l *Library) DestroyStream(s Stream) error { return l.callFunction(fnStreamDestroy, uintptr(s)) }

// Synchronize waits for the end of all work of a stream.
func (l *Library) Synchronize(s Stream) error { return l.callFunction(fnStreamSynchronize, uintptr(s)) }

// QueryStream is nil where all work of a stream has ended, and an error that
// IsNotReady where it has not.
func (l *Library) QueryStream(s Stream) error { return l.callFunction(fnStreamQuery, uintptr(s)) }

// StreamContext returns the context that a stream was made in.
func (l *Library) StreamContext(s Stream) (c Context, err error) {
	err = l.callFunction(fnStreamGetCtx, uintptr(s), uintptr(unsafe.Pointer(&c)))
	return c, err
}

// StreamWait makes the later work of a stream wait for an event.
func (l *Library) StreamWait(s Stream, e Event) error {
	return l.callFunction(fnStreamWaitEvent, uintptr(s), uintptr(e), 0)
}

// NewEvent makes an event, with or without times.
func (l *Library) NewEvent(timed bool) (Event, error) {
	flags := uintptr(eventWithoutTimes)
	if timed {
		flags = 0
	}
	var e Event
	err := l.callFunction(fnEventCreate, uintptr(unsafe.Pointer(&e)), flags)
	return e, checkMade(fnEventCreate, e, err)
}

// DestroyEvent releases an event.
func (l *Library) DestroyEvent(e Event) error { return l.callFunction(fnEventDestroy, uintptr(e)) }

// Record has the event happen when the work that the stream has now is done.
func (l *Library) Record(e Event, s Stream) error {
	return l.callFunction(fnEventRecord, uintptr(e), uintptr(s))
}

// QueryEvent is nil if the event has happened, and an error that IsNotReady if not.
func (l *Library) QueryEvent(e Event) error { return l.callFunction(fnEventQuery, uintptr(e)) }

// WaitEvent waits for an event.
func (l *Library) WaitEvent(e Event) error { return l.callFunction(fnEventSynchronize, uintptr(e)) }

// Elapsed is the time between two events that have happened.
func (l *Library) Elapsed(from, to Event) (time.Duration, error) {
	var milliseconds float32
	err := l.callFunction(fnEventElapsedTime, uintptr(unsafe.Pointer(&milliseconds)), uintptr(from), uintptr(to))
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)), err
}

// Launch is the scratch memory of launches; one is used by one goroutine at a
// time. Its zero value is ready.
type Launch struct {
	// Grid and Block are the numbers of blocks, and of threads of a block.
	Grid, Block [3]uint32
	Shared      uint32 // bytes of dynamic shared memory
	// Arguments is the block of parameters, laid out as the kernel has them.
	Arguments []byte

	scratch *launchScratch
}

// launchScratch is memory that the driver reads during a launch. It is made once and is on
// the heap, so that its addresses do not change.
type launchScratch struct {
	frame dl.Frame
	size  uint64
	extra [5]uintptr
}

// Launch launches a kernel in a stream. The driver copies the arguments.
func (l *Library) Launch(f Function, s Stream, n *Launch) error {
	if n.scratch == nil {
		n.scratch = new(launchScratch)
	}
	c := n.scratch
	c.size = uint64(len(n.Arguments))
	c.extra = [5]uintptr{
		launchBufferPointer, uintptr(unsafe.Pointer(unsafe.SliceData(n.Arguments))),
		launchBufferSize, uintptr(unsafe.Pointer(&c.size)), 0,
	}
	args := c.frame.Arguments()
	args[0] = uintptr(f)
	args[1], args[2], args[3] = uintptr(n.Grid[0]), uintptr(n.Grid[1]), uintptr(n.Grid[2])
	args[4], args[5], args[6] = uintptr(n.Block[0]), uintptr(n.Block[1]), uintptr(n.Block[2])
	args[7], args[8], args[10] = uintptr(n.Shared), uintptr(s), 0
	if len(n.Arguments) > 0 { // a null buffer is an invalid value
		args[10] = uintptr(unsafe.Pointer(&c.extra[0]))
	}
	l.hooks.enter(fnLaunchKernel)
	code := int32(c.frame.Call(l.functions[fnLaunchKernel]))
	if l.hooks.After != nil {
		l.hooks.After(functionNames[fnLaunchKernel], slices.Clone(args[:]), int(code))
	}
	runtime.KeepAlive(n)
	if code != 0 {
		return l.newError(fnLaunchKernel, int(code))
	}
	return nil
}
