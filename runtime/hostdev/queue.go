package hostdev

import (
	"errors"
	"fmt"
	"sync"

	"offlink/runtime/driver"
)

// queue runs commands in order on a goroutine of its own.
type queue struct {
	device   *Device
	commands chan func()
	ended    chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	err     error // the first failure since the last Finish
	aborted error // the queue takes no more work
	running *launch
}

// queueDepth is how many launches may wait in a queue.
const queueDepth = 64

func newQueue(d *Device) *queue {
	q := &queue{device: d, commands: make(chan func(), queueDepth), ended: make(chan struct{})}
	go func() {
		defer close(q.ended)
		for command := range q.commands {
			command()
		}
	}()
	return q
}

// do runs a command after all others and waits for it.
func (q *queue) do(command func() error) error {
	done := make(chan error, 1)
	q.commands <- func() {
		err := q.failed()
		if err == nil {
			err = q.note(command())
		}
		done <- err
	}
	return <-done
}

// failed is the failure that keeps later commands from running.
func (q *queue) failed() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.aborted != nil {
		return q.aborted
	}
	return q.err
}

func (q *queue) note(err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
	return err
}

// Write copies data into device memory.
func (q *queue) Write(m driver.Memory, offset int64, data []byte) error {
	to, err := q.transfer(m, offset, len(data))
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return q.do(func() error { copy(to, data); return nil })
}

// Read copies device memory into data.
func (q *queue) Read(m driver.Memory, offset int64, data []byte) error {
	from, err := q.transfer(m, offset, len(data))
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return q.do(func() error { copy(data, from); return nil })
}

func (q *queue) transfer(m driver.Memory, offset int64, n int) ([]byte, error) {
	own, err := q.device.own(m)
	if err != nil {
		return nil, err
	}
	return own.slice(offset, n)
}

// Launch checks the arguments and queues the kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg) error {
	own, ok := k.(*kernel)
	if !ok || own.p.device != q.device {
		return errors.New("the kernel is not of this device")
	}
	l, err := q.device.newLaunch(own, r, args)
	if err != nil {
		return err
	}
	q.commands <- func() {
		if q.begin(l) {
			q.end(l.run())
		}
	}
	return nil
}

// begin makes a launch the running one, unless an earlier command failed.
func (q *queue) begin(l *launch) bool {
	if q.failed() != nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.aborted != nil {
		return false
	}
	q.running = l
	return true
}

func (q *queue) end(err error) {
	q.mu.Lock()
	q.running = nil
	q.mu.Unlock()
	q.note(err)
}

// Finish waits for everything queued and returns the first failure since the
// last Finish.
func (q *queue) Finish() error {
	done := make(chan struct{})
	q.commands <- func() { close(done) }
	<-done
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.err
	if err == nil {
		err = q.aborted
	}
	q.err = nil
	return err
}

// Abort stops the running kernel and drops everything queued: Finish then
// returns the cause. It may be called at any time from any goroutine, and it
// does not wait.
func (q *queue) Abort(cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.aborted == nil {
		q.aborted = cause
	}
	if q.running != nil {
		q.running.abort(cause)
	}
}

var errClosed = errors.New("the queue was closed")

// Close stops what is still running and waits for its end.
func (q *queue) Close() error {
	q.Abort(errClosed)
	close(q.commands)
	<-q.ended
	return nil
}
