package opencl

import (
	"errors"
	"sync"
)

// lateCalls are the calls that goroutines make when a command ends. That may be after the
// end of the device: a process that ends waits for a command for a limited time, and then
// the driver's exit handlers run, after which no call may be made.
type lateCalls struct {
	over chan struct{} // closed when no calls may begin

	mu      sync.Mutex
	running sync.WaitGroup
}

func newLateCalls() *lateCalls { return &lateCalls{over: make(chan struct{})} }

var errDeviceClosed = errors.New("the device was closed before the command had ended")

// enter counts calls that begin, unless none may. The caller ends them with leave.
func (l *lateCalls) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOver() {
		return false
	}
	l.running.Add(1)
	return true
}

func (l *lateCalls) leave() { l.running.Done() }

func (l *lateCalls) isOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// finish waits for the calls that have begun, and lets no others begin.
func (l *lateCalls) finish() {
	l.mu.Lock()
	if !l.isOver() {
		close(l.over)
	}
	l.mu.Unlock()
	l.running.Wait()
}

// endCallbacks releases the events whose ends are waited for, and calls the functions with
// errDeviceClosed.
func (d *Device) endCallbacks() {
	d.late.finish()
	for _, w := range takeCallbacks(d) {
		_ = w.event.releaseUse() // the device is closed with them
		go w.ended(errDeviceClosed)
	}
}
