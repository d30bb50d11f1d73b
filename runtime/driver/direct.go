package driver

import "sync/atomic"

// The interfaces of this file let a caller make the simplest commands with the native
// functions, without the back end: launches and copies that wait, and launches without
// events. These then cost no more than in a program written for the driver.

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
	// ShareArguments makes the back end hold the guard from now on while it sets
	// arguments and launches, as the other users do. The guard outlives the kernel.
	ShareArguments(*ArgumentGuard)
	// DirectFailure is the error of a launch for whose native event Wait returned
	// that status. It releases the event.
	DirectFailure(event uint64, status int) error
}

// ArgumentGuard excludes concurrent users of one native kernel, who set its arguments. It is
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
	// Submitted counts the commands that the back end and others gave to the driver. A
	// command is counted after the driver has it, so that a wait for the queue that
	// begins later waits for it too.
	Submitted atomic.Uint64
	// Ended is the number of those, from the first on, that are known to have ended.
	Ended atomic.Uint64
	// Untold are launches of others whose results were not looked at yet: drivers report
	// a failure only through a launch's event. Users that find no free place launch
	// through the back end, which takes all of them out.
	Untold [32]UntoldLaunch
}

// UntoldLaunch is a place for a native event: 0 if it is free, 1 while a thread owns it, or
// the event. A thread owns the place after it has replaced 0 or an event by 1, and stores
// the event last, after the number.
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
