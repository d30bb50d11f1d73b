package streams

import (
	"errors"
	"runtime"

	"offlink/runtime/driver"
)

// KeepingQueue is a Queue of a driver whose transfers may read and write host memory after
// the call has returned: it keeps that memory until they have ended.
type KeepingQueue struct {
	*Queue
	Host HostMemory
}

// KeepUntilEnd is called when a stream of the queue has no more work. Until then the
// reference to it keeps the queue alive for Go's collector, and the host memory with it.
func (q *KeepingQueue) KeepUntilEnd(Stream) { runtime.KeepAlive(&q.Host) }

// Finish waits for everything queued.
func (q *KeepingQueue) Finish() error {
	count := q.Host.Count()
	err := q.Queue.Finish()
	return errors.Join(err, q.Host.Release(count))
}

// Close releases the queue. Commands that run keep it, and their memory.
func (q *KeepingQueue) Close() error { return errors.Join(q.Host.Close(), q.Queue.Close()) }

// mark queues a barrier, whose event shows when the host memory of the commands before it
// is free.
func (q *KeepingQueue) mark() (event driver.Event, err error) {
	return event, q.Barrier(driver.Sync{Done: &event})
}

// KeepHost submits a command with host memory, which is kept until the command has ended
// unless the caller waits for that.
func (q *KeepingQueue) KeepHost(data []byte, s driver.Sync, submit func() error) error {
	if s.Block || len(data) == 0 {
		err := submit()
		runtime.KeepAlive(data)
		return err
	}
	q.Host.Keep(data)
	err := submit()
	q.Host.Queued()
	if err != nil {
		return err
	}
	return q.Host.Sweep(q.mark)
}

// Write copies data into memory.
func (q *KeepingQueue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.KeepHost(data, s, func() error { return q.Queue.Write(m, offset, data, s) })
}

// Read copies memory into data.
func (q *KeepingQueue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.KeepHost(data, s, func() error { return q.Queue.Read(m, offset, data, s) })
}
