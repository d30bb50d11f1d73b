//go:build !linux

package threads

import (
	"sync"
	"time"
)

// bell wakes one goroutine.
type bell struct {
	once sync.Once
	rung chan struct{}
}

func (b *bell) channel() chan struct{} {
	b.once.Do(func() { b.rung = make(chan struct{}, 1) })
	return b.rung
}

// ring wakes the goroutine, now or when it comes to wait.
func (b *bell) ring() { b.channel() <- struct{}{} }

// wait returns when the bell was rung since it last did.
func (b *bell) wait(spin time.Duration) {
	for start := time.Now(); time.Since(start) < spin; {
		select {
		case <-b.channel():
			return
		default:
		}
	}
	<-b.channel()
}
