package main

import (
	"errors"
	"sync"

	"offlink/runtime"
	"offlink/runtime/driver"
)

// queues keeps idle queues by device, so that each call of C has one to
// itself. The zero value is ready, and it is safe for concurrent use.
type queues struct {
	mu   sync.Mutex
	idle map[*runtime.Device][]driver.Queue
}

// withQueue runs f on a queue. f waits for its commands (driver.Sync.Block), so
// that the queue is idle after it.
func (p *queues) withQueue(d *runtime.Device, f func(driver.Queue) error) error {
	q, err := p.takeQueue(d)
	if err != nil {
		return err
	}
	if err := f(q); err != nil {
		return errors.Join(err, q.Close()) // its state is not known
	}
	p.putQueue(d, q)
	return nil
}

func (p *queues) takeQueue(d *runtime.Device) (driver.Queue, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.idle[d]; len(list) > 0 {
		q := list[len(list)-1]
		p.idle[d] = list[:len(list)-1]
		return q, nil
	}
	return d.NewQueue(driver.QueueOptions{})
}

func (p *queues) putQueue(d *runtime.Device, q driver.Queue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == nil {
		p.idle = make(map[*runtime.Device][]driver.Queue)
	}
	p.idle[d] = append(p.idle[d], q)
}

// dropQueues forgets the idle queues of some devices, and closes them if closed is set.
func (p *queues) dropQueues(closed bool, which func(*runtime.Device) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for d, list := range p.idle {
		if !which(d) {
			continue
		}
		delete(p.idle, d)
		for _, q := range list {
			if closed {
				_ = q.Close() // the process ends
			}
		}
	}
}

func (p *queues) closeQueues() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.idle {
		for _, q := range list {
			_ = q.Close() // the process ends
		}
	}
	p.idle = nil
}
