package opencl

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// Launch sets the arguments and launches the kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, ok := k.(*kernel)
	if !ok || own.device != q.device {
		return errors.New("the kernel is not of this device")
	}
	if err := checkRange(r); err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	var err error
	switch plain := q.isPlain(s); {
	case plain && s.Block:
		err = own.runLaunch(q, r, args)
	case plain:
		err = own.launchUntold(q, r, args)
	default:
		err = q.submitCommand(cl.EnqueueNDRangeKernel, s, nil, func(queue cl.Handle, o *cl.Order) (err error) {
			*o.Event, err = own.enqueueLaunch(queue, r, args, o.Wait)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

// runLaunch launches the kernel and waits for it. As the wait reports a failure, nothing else
// has to keep the event, and a launch takes as few calls as in C.
func (k *kernel) runLaunch(q *queue, r driver.Range, args []driver.Arg) error {
	before := q.submittedCommands()
	event, err := k.enqueueLaunch(q.handle, r, args, nil)
	if err != nil {
		return err
	}
	number := q.noteSubmitted(before)
	q.finishBefore()
	err = k.device.api.Wait(event)
	q.noteEnded(number) // with a failure or without
	if cl.IsCode(err, cl.ErrorInWaitList) {
		e := k.device.newEvent(q, event, cl.EnqueueNDRangeKernel.String(), nil, 1)
		err = e.driverResult()
	}
	if err == nil {
		err = q.failureBefore(number)
	}
	return errors.Join(err, k.device.api.Release(cl.ReleaseEvent, event))
}

// finishBefore waits by clFinish for an in-order queue, before a wait for the event of its last
// command, which alone tells of a failure. Drivers run the command on the thread that waits for
// the queue, where a wait for the event sleeps until another thread has run it (Intel's CPU
// device). A command that others enqueue meanwhile, and that waits for an event, could keep
// clFinish from returning, so that such commands are kept out.
func (q *queue) finishBefore() {
	if q.opts.OutOfOrder || q.others.Load() || !q.finishing.TryRLock() {
		return
	}
	defer q.finishing.RUnlock()
	q.mu.Lock()
	plain := q.chain == nil
	q.mu.Unlock()
	if plain {
		_ = q.device.api.Finish(q.handle) // the wait for the event fails too
	}
}

// launchUntold launches the kernel; Finish reports a failure.
func (k *kernel) launchUntold(q *queue, r driver.Range, args []driver.Arg) error {
	event, err := k.enqueueLaunch(q.handle, r, args, nil)
	if err == nil {
		q.keepUntold(event, cl.EnqueueNDRangeKernel)
	}
	return err
}

// checkRange refuses a range whose slices differ in length: OpenCL reads each as an array of
// as many sizes as the range has dimensions.
func checkRange(r driver.Range) error {
	n := len(r.Global)
	if n < 1 || n > 3 || r.Local != nil && len(r.Local) != n || r.Offset != nil && len(r.Offset) != n {
		return fmt.Errorf("the range has %d global, %d local sizes and %d offsets", n, len(r.Local), len(r.Offset))
	}
	for _, list := range [][]int{r.Global, r.Local, r.Offset} {
		for _, size := range list {
			if size < 0 {
				return fmt.Errorf("the range has a size of %d", size)
			}
		}
	}
	return nil
}

func (k *kernel) enqueueLaunch(queue cl.Handle, r driver.Range, args []driver.Arg, wait []cl.Handle) (event cl.Handle, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.lockArguments()()
	if err := k.arguments.SetAll((*argumentSetter)(k), args); err != nil {
		return 0, err
	}
	k.event = 0 // a field of the kernel, as a local variable would be allocated on the heap
	err = k.device.api.EnqueueKernel(queue, k.handle, r.Global, r.Local, r.Offset, &cl.Order{Wait: wait, Event: &k.event})
	return k.event, err
}
