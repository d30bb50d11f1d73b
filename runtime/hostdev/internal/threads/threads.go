// Package threads runs functions on threads that wait for them. Go's scheduler wakes a
// sleeping thread for a new goroutine too, but lets the thread that makes the goroutine
// have it for another 50 microseconds, and often much longer on a busy machine: longer
// than the launches of many kernels take.
package threads

import (
	"runtime"
	"sync"
	"time"
)

// spinTime is how long a thread looks for the next function before it sleeps. To wake it
// costs its caller some microseconds.
const spinTime = 30 * time.Microsecond

// thread is a goroutine that runs functions.
type thread struct {
	work func()
	bell bell
}

// idle are the threads that have nothing to do, the last one first: it may be awake still.
var idle struct {
	sync.Mutex
	list []*thread
}

// Go runs f on a thread of its own, one that waits if there is one. The threads are the
// process's and stay, as many as there are processors for Go.
func Go(f func()) {
	if t := takeIdle(); t != nil {
		t.work = f
		t.bell.ring()
		return
	}
	go serve(f)
}

func takeIdle() *thread {
	idle.Lock()
	defer idle.Unlock()
	last := len(idle.list) - 1
	if last < 0 {
		return nil
	}
	t := idle.list[last]
	idle.list = idle.list[:last]
	return t
}

// serve runs f, and other functions after it.
func serve(f func()) {
	t := &thread{work: f}
	for {
		t.work()
		t.work = nil
		if !t.becomeIdle() {
			return
		}
		t.bell.wait(spinTime)
	}
}

// becomeIdle is false if there are enough threads that wait.
func (t *thread) becomeIdle() bool {
	idle.Lock()
	defer idle.Unlock()
	if len(idle.list) >= runtime.GOMAXPROCS(0) {
		return false
	}
	idle.list = append(idle.list, t)
	return true
}
