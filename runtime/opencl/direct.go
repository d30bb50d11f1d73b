package opencl

import (
	"errors"
	"runtime"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// DirectCalls implements driver.DirectCaller.
func (d *Device) DirectCalls() (driver.DirectCalls, bool) {
	setAddress, copyAddress := cl.SetKernelArgMemPointerINTEL, cl.EnqueueMemcpyINTEL
	if d.able.memory != unifiedMemory {
		setAddress, copyAddress = cl.SetKernelArgSVMPointer, cl.EnqueueSVMMemcpy
	}
	calls := driver.DirectCalls{
		SetValue: d.api.DirectAddress(cl.SetKernelArg),
		Launch:   d.api.DirectAddress(cl.EnqueueNDRangeKernel),
		Wait:     d.api.DirectAddress(cl.WaitForEvents),
		Release:  d.api.DirectAddress(cl.ReleaseEvent),
		Finish:   d.api.DirectAddress(cl.Finish),
	}
	if d.able.memory != buffers {
		calls.SetAddress, calls.Copy = d.api.DirectAddress(setAddress), d.api.DirectAddress(copyAddress)
	}
	ok := calls.SetValue != 0 && calls.Launch != 0 && calls.Wait != 0 && calls.Release != 0 && calls.Finish != 0
	return calls, ok
}

// ShareArguments implements driver.DirectKernel.
func (k *kernel) ShareArguments(g *driver.ArgumentGuard) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.guard = g
}

// lockArguments excludes users that launch the cl_kernel without this package, and forgets
// the arguments, which they may have replaced. k.mu is held. The function that it returns
// ends the exclusion, and makes the users set their arguments again.
func (k *kernel) lockArguments() func() {
	g := k.guard
	if g == nil {
		return func() {}
	}
	for !g.Lock.CompareAndSwap(0, 1) { // held for the time of two calls of the driver
		runtime.Gosched()
	}
	k.arguments.Forget()
	return func() {
		g.Epoch.Add(1)
		g.Lock.Store(0)
	}
}

// DirectFailure implements driver.DirectKernel. The status of the event says more than that
// of the wait, which is returned only if the event has no failure.
func (k *kernel) DirectFailure(event uint64, status int) error {
	e := k.device.newEvent(nil, cl.Handle(event), cl.EnqueueNDRangeKernel.String(), nil, 1)
	err := e.endResult()
	if err == nil {
		err = &driver.CallError{Call: cl.WaitForEvents.String(), Code: status, Name: cl.CodeName(status)}
	}
	return errors.Join(err, e.Close())
}

// ShareState implements driver.DirectQueue.
func (q *queue) ShareState(state *driver.QueueState) {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.state.Load()
	state.Submitted.Store(own.Submitted.Load())
	state.Ended.Store(own.Ended.Load())
	q.state.Store(state)
	q.shared = true
	q.others.Store(false) // users with the state count their commands in it
	q.tellState()
}

// tellState stores which calls other users of the queue may make without this package. q.mu
// is held.
func (q *queue) tellState() {
	if !q.shared {
		return
	}
	var state uint32
	if q.chain == nil && !q.closed && q.presentFailure() == nil {
		state |= driver.DirectLaunches
		if len(q.pending)+len(q.untold) == 0 && q.err == nil {
			state |= driver.DirectFinish
		}
	}
	q.state.Load().Allowed.Store(state)
}
