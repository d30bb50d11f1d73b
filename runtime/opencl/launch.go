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
		before := q.submittedCommands()
		if err = own.enqueueLaunch(q.handle, r, args, &cl.Order{}); err == nil {
			q.noteSubmitted(before)
		}
	default:
		err = q.submitCommand(cl.EnqueueNDRangeKernel, s, nil, func(o *cl.Order) error { return own.enqueueLaunch(q.handle, r, args, o) })
	}
	if err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

// runLaunch launches the kernel and waits for it. The wait tells of a failure, and
// nobody else asks for the event: a launch makes no more calls than one of C.
func (k *kernel) runLaunch(q *queue, r driver.Range, args []driver.Arg) error {
	event, before := make([]cl.Handle, 1), q.submittedCommands()
	if err := k.enqueueLaunch(q.handle, r, args, &cl.Order{Event: &event[0]}); err != nil {
		return err
	}
	number := q.noteSubmitted(before)
	err := k.device.api.Wait(event...)
	q.noteEnded(number) // with a failure or without
	if cl.IsCode(err, cl.ErrorInWaitList) {
		e := k.device.newEvent(q, event[0], cl.EnqueueNDRangeKernel.String(), nil, 1)
		err = e.endResult()
	}
	return errors.Join(err, k.device.api.Release(cl.ReleaseEvent, event[0]))
}

// checkRange holds that the slices are arrays of one length, as OpenCL reads them.
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

func (k *kernel) enqueueLaunch(queue cl.Handle, r driver.Range, args []driver.Arg, o *cl.Order) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.lockArguments()()
	if err := k.arguments.SetAll((*argumentSetter)(k), args); err != nil {
		return err
	}
	return k.device.api.EnqueueKernel(queue, k.handle, r.Global, r.Local, r.Offset, o)
}
