package threads

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bell wakes one thread. It is a word for futex(2).
type bell struct{ state atomic.Uint32 }

const (
	bellSilent = iota
	bellRung
	bellAwaited // its thread sleeps
)

// The operations of futex(2), on memory of this process alone.
const (
	futexWait = 0 | futexPrivate
	futexWake = 1 | futexPrivate

	futexPrivate = 128
)

// ring wakes the thread, now or when it comes to wait.
func (b *bell) ring() {
	if b.state.Swap(bellRung) == bellAwaited {
		b.futex(futexWake, 1)
	}
}

// wait returns when the bell was rung since it last did. It sleeps in a system call, not in
// Go's scheduler.
func (b *bell) wait(spin time.Duration) {
	for start := time.Now(); time.Since(start) < spin; {
		if b.state.CompareAndSwap(bellRung, bellSilent) {
			return
		}
	}
	for !b.state.CompareAndSwap(bellRung, bellSilent) {
		if b.state.CompareAndSwap(bellSilent, bellAwaited) || b.state.Load() == bellAwaited {
			b.futex(futexWait, bellAwaited)
		}
	}
}

// futex returns early for many reasons, and its callers look at the word again.
func (b *bell) futex(operation, value uintptr) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.state)), operation, value, 0, 0, 0)
}
