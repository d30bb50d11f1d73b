package levelzero

import (
	"errors"
	"fmt"
	"runtime"

	"offlink/runtime/driver"
	"offlink/runtime/internal/streams"
	"offlink/runtime/internal/ze"
)

// queue is a queue with the commands of Level Zero.
type queue struct {
	*streams.Queue
	device *Device

	// host is memory of commands that have not ended: commands of a command list read
	// and write it when they run.
	host streams.HostMemory
}

func newQueue(d *Device, opts driver.QueueOptions) (*queue, error) {
	q := &queue{device: d}
	var err error
	if q.Queue, err = d.MakeQueue(opts, q.workEnded); err != nil {
		return nil, err
	}
	return q, nil
}

// workEnded is called when a stream has no more work. Until then the reference to it keeps
// the queue alive for Go's collector, and the host memory with it.
func (q *queue) workEnded(streams.Stream) { runtime.KeepAlive(&q.host) }

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
	q.Queue = d.AdoptStream(streams.Stream(handle), q.workEnded)
	return q, nil
}

// Finish waits for everything queued.
func (q *queue) Finish() error {
	count := q.host.Count()
	err := q.Queue.Finish()
	return errors.Join(err, q.host.Release(count))
}

// Close releases the queue.
func (q *queue) Close() error { return errors.Join(q.host.Close(), q.Queue.Close()) }

// mark queues a barrier, whose event shows when the host memory of the commands before it
// is free.
func (q *queue) mark() (event driver.Event, err error) {
	return event, q.Barrier(driver.Sync{Done: &event})
}

// transferData is a transfer with host memory, which is kept until the command has
// ended unless the caller waits for that.
func (q *queue) transferData(data []byte, s driver.Sync, transfer func() error) error {
	if s.Block || len(data) == 0 {
		return transfer()
	}
	q.host.Keep(data)
	err := transfer()
	q.host.Queued()
	if err != nil {
		return err
	}
	return q.host.Sweep(q.mark)
}

// Write copies data into memory.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.transferData(data, s, func() error { return q.Queue.Write(m, offset, data, s) })
}

// Read copies memory into data.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.transferData(data, s, func() error { return q.Queue.Read(m, offset, data, s) })
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
