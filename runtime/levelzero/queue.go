package levelzero

import (
	"errors"
	"fmt"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/streams"
	"offlink/runtime/internal/ze"
)

// queue is a queue with the commands of Level Zero.
type queue struct {
	*streams.Queue
	device *Device

	// kept is host memory that commands use which have not ended: commands on
	// command lists read and write it whenever they run.
	mu   sync.Mutex
	kept [][]byte
}

func newQueue(d *Device, opts driver.QueueOptions) (*queue, error) {
	q := &queue{device: d}
	var err error
	if q.Queue, err = d.MakeQueue(opts, nil); err != nil {
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
	return &queue{device: d, Queue: d.AdoptStream(streams.Stream(handle), nil)}, nil
}

// Finish waits for everything queued.
func (q *queue) Finish() error {
	q.mu.Lock()
	count := len(q.kept)
	q.mu.Unlock()
	err := q.Queue.Finish()
	q.mu.Lock()
	q.kept = q.kept[min(count, len(q.kept)):]
	q.mu.Unlock()
	return err
}

// keepData holds host memory until a Finish, unless the caller waits for the end.
func (q *queue) keepData(data []byte, s driver.Sync) {
	if s.Block || len(data) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.kept = append(q.kept, data)
}

// Write copies data into memory.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	q.keepData(data, s)
	return q.Queue.Write(m, offset, data, s)
}

// Read copies memory into data.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	q.keepData(data, s)
	return q.Queue.Read(m, offset, data, s)
}

// Launch runs a kernel. Its arguments are set when it is appended: the list
// takes them then.
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
