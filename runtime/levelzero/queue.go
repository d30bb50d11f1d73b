package levelzero

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/streams"
	"offlink/runtime/internal/ze"
)

// queue is a queue with the commands of Level Zero. Commands of a command list read and
// write host memory when they run.
type queue struct {
	streams.KeepingQueue
	device *Device
}

func newQueue(d *Device, opts driver.QueueOptions) (*queue, error) {
	q := &queue{device: d}
	var err error
	if q.Queue, err = d.MakeQueue(opts, q.KeepUntilEnd); err != nil {
		return nil, err
	}
	return q, nil
}

// NewQueue returns a queue.
func (d *Device) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	q, err := newQueue(d, opts)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// ImportQueue makes a queue of an immediate command list of this device's
// context, which stays the caller's.
func (d *Device) ImportQueue(handle uint64) (driver.Queue, error) {
	if handle == 0 {
		return nil, errors.New("a null handle is not a command list")
	}
	q := &queue{device: d}
	q.Queue = d.AdoptStream(streams.Stream(handle), q.KeepUntilEnd)
	return q, nil
}

// Launch runs a kernel. Its arguments are encoded now, and set when the kernel is appended
// to the list, which then copies them.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, ok := k.(*kernel)
	if !ok || own.program.device != q.device {
		return errors.New("the kernel is not of this device")
	}
	n, err := own.prepareLaunch(r, args)
	if err == nil {
		err = q.Enqueue(s, func(stream streams.Stream) error {
			return inOrder(q.device.library, stream, func(list ze.Handle) error { return own.appendLaunch(list, n) })
		})
	}
	if err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}
