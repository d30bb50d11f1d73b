package hostdev

import (
	"context"
	"sync"
)

// runningCompilers are the C compilers that run for a device. The zero value is ready.
type runningCompilers struct {
	mu      sync.Mutex
	all     context.Context // nil until the first begins
	stopAll context.CancelFunc
	stopped bool
	running sync.WaitGroup
}

// begin counts a compiler, which has to end with the context. The caller takes it off running
// then. ok is false once the compilers were stopped.
func (c *runningCompilers) begin() (ctx context.Context, cancel context.CancelFunc, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil, nil, false
	}
	if c.all == nil {
		c.all, c.stopAll = context.WithCancel(context.Background())
	}
	c.running.Add(1)
	ctx, cancel = context.WithTimeout(c.all, compileTime)
	return ctx, cancel, true
}

// StopCompilers ends the C compilers that make native code, with their files, and returns when
// they have ended. It is for a process that ends and does not close its kernels, which stay
// WebAssembly. No others are started.
func (d *Device) StopCompilers() {
	c := &d.compilers
	c.mu.Lock()
	c.stopped = true
	if c.stopAll != nil {
		c.stopAll()
	}
	c.mu.Unlock()
	c.running.Wait()
}
