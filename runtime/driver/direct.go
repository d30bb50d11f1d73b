package driver

import "sync/atomic"

// The interfaces of this file let a caller make the simplest commands by the native
// functions themselves, without the back end: launches and copies that wait, and
// launches without events. Each costs as much as in a program written for the
// driver then.

// DirectCaller is a Device whose driver may be called beside the back end.
type DirectCaller interface {
	// DirectCalls are the functions; ok is false where calls must go through the
	// back end.
	DirectCalls() (calls DirectCalls, ok bool)
}

// DirectCalls are addresses of C functions with the signatures of OpenCL's. All
// return 0 for success.
type DirectCalls struct {
	SetValue   uintptr // clSetKernelArg
	SetAddress uintptr // clSetKernelArgMemPointerINTEL; 0 where memory has no addresses
	Launch     uintptr // clEnqueueNDRangeKernel
	Copy       uintptr // clEnqueueMemcpyINTEL; 0 where memory has no addresses
	Wait       uintptr // clWaitForEvents
	Release    uintptr // clReleaseEvent
	Finish     uintptr // clFinish
}

// DirectKernel is a Kernel of a DirectCaller whose native kernel others launch too.
type DirectKernel interface {
	NativeHandle
	// ShareArguments has the back end hold the guard while it sets arguments and
	// launches, as the others do, from now on. The guard outlives the kernel.
	ShareArguments(*ArgumentGuard)
	// DirectFailure is the error of a launch for whose native event Wait returned
	// that status. It releases the event.
	DirectFailure(event uint64, status int) error
}

// ArgumentGuard keeps those apart who set the arguments of one native kernel. It is
// the start of a struct of C: two 32-bit words.
type ArgumentGuard struct {
	Lock  atomic.Uint32 // 1 while someone sets arguments and launches
	Epoch atomic.Uint32 // counts the launches of the back end, whose arguments replace others
}

// DirectQueue is a Queue of a DirectCaller that others use too.
type DirectQueue interface {
	NativeHandle
	// ShareState has the back end keep its state of the queue there, from now
	// on. The memory outlives the queue, and all calls with it.
	ShareState(*QueueState)
}

// QueueState is the state of a queue that others may use too, without its back end.
// It is the start of a struct of C: a word, padding, two words of 64 bits, then the pairs of
// Untold. The zero value is that of a queue without commands.
type QueueState struct {
	// Allowed are the flags below; the back end alone sets them.
	Allowed atomic.Uint32
	// Submitted counts the commands that the driver was given, by the back end and by
	// others: after the call that gave them, so that a wait for the queue that
	// begins later waits for them too.
	Submitted atomic.Uint64
	// Ended is how many of those, from the first on, are known to have ended.
	Ended atomic.Uint64
	// Untold are launches of others that have ended or will, and whose results nobody
	// has asked for: drivers report a failure by a launch's event alone. Others that
	// find no free one launch through the back end, which takes them all.
	Untold [32]UntoldLaunch
}

// UntoldLaunch is a place for a native event. A thread that has put 1 there, for 0 or for
// an event, has the place; it stores the event last.
type UntoldLaunch struct {
	event  atomic.Uint64
	number atomic.Uint64 // of the launch, by QueueState.Submitted
}

// TakeLaunch takes a launch out; ok is false where there is none, or another takes it.
func (u *UntoldLaunch) TakeLaunch() (event, number uint64, ok bool) {
	if event = u.event.Load(); event <= 1 || !u.event.CompareAndSwap(event, 1) {
		return 0, 0, false
	}
	number = u.number.Load()
	u.event.Store(0)
	return event, number, true
}

// NoteEnded notes that the first n commands have ended.
func (s *QueueState) NoteEnded(n uint64) {
	for {
		ended := s.Ended.Load()
		if ended >= n || s.Ended.CompareAndSwap(ended, n) {
			return
		}
	}
}

// The flags of QueueState.Allowed.
const (
	DirectLaunches = 1 << iota // a launch without events needs nothing but its call
	DirectFinish               // a wait for the queue needs nothing but its call, and Untold looked at
)
