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
	if q.Queue, err = d.streams.NewQueue(opts, nil); err != nil {
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
	return &queue{device: d, Queue: d.streams.ImportQueue(streams.Stream(handle), nil)}, nil
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

// appendCommand has a list run a command before those after it.
func (q *queue) appendCommand(s driver.Sync, command func(list ze.Handle) error) error {
	return q.Enqueue(s, func(stream streams.Stream) error {
		list := ze.Handle(stream)
		if err := command(list); err != nil {
			return err
		}
		return q.device.library.Barrier(list)
	})
}

// transfer is appendCommand with host memory, which is kept until a Finish
// unless the caller waits for the end.
func (q *queue) transfer(s driver.Sync, data []byte, command func(list ze.Handle) error) error {
	if !s.Block {
		q.mu.Lock()
		q.kept = append(q.kept, data)
		q.mu.Unlock()
	}
	return q.appendCommand(s, command)
}

// Write copies data into memory.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	to, err := q.device.rangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Write: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.transfer(s, data, func(list ze.Handle) error { return q.device.library.Write(list, to, data) })
}

// Read copies memory into data.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	from, err := q.device.rangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Read: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.transfer(s, data, func(list ze.Handle) error { return q.device.library.Read(list, data, from) })
}

// Copy copies between memories of the device.
func (q *queue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	target, err := q.device.rangeAddress(to, toOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	source, err := q.device.rangeAddress(from, fromOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	return q.appendCommand(s, func(list ze.Handle) error { return q.device.library.Copy(list, target, source, size) })
}

const maxPattern = 128

// Fill repeats a pattern, which is copied.
func (q *queue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	to, err := q.device.rangeAddress(m, offset, size)
	if err != nil {
		return fmt.Errorf("Fill: %w", err)
	}
	n := len(pattern)
	if n < 1 || n > maxPattern || n&(n-1) != 0 {
		return fmt.Errorf("Fill: a pattern of %d bytes; it has 1 to %d, a power of two", n, maxPattern)
	}
	if size%int64(n) != 0 {
		return fmt.Errorf("Fill: %d bytes are not a multiple of the pattern's %d", size, n)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	pattern = append([]byte(nil), pattern...)
	return q.appendCommand(s, func(list ze.Handle) error { return q.device.library.Fill(list, to, pattern, size) })
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
		err = q.appendCommand(s, func(list ze.Handle) error { return own.launch(list, n) })
	}
	if err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}
