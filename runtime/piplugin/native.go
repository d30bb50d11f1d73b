package piplugin

import (
	"sync"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/internal/pi"
	"offlink/runtime/internal/streams"
)

// native implements streams' interface for a device's queues and events: a stream is an
// in-order queue of the plugin.
type native struct{ device *Device }

func (n native) Within(calls func() error) error       { return calls() }
func (n native) WithinStream(calls func() error) error { return calls() }

const queueProfiling = 1 << 1 // PI_QUEUE_FLAG_PROFILING_ENABLE

func (n native) NewStream(timed bool) (streams.Stream, error) {
	context, err := n.device.open()
	if err != nil {
		return 0, err
	}
	var flags uint64
	if timed {
		flags = queueProfiling
	}
	queue, err := n.device.plugin.NewQueue(context, n.device.handle, flags)
	return streams.Stream(queue), err
}

func (n native) DestroyStream(s streams.Stream) error {
	return n.device.plugin.Release(pi.QueueRelease, pi.Handle(s))
}

func (n native) Synchronize(s streams.Stream) error { return n.device.plugin.Finish(pi.Handle(s)) }

func (n native) IsStreamDone(s streams.Stream) (done bool, err error) {
	m, err := n.NewMark(false)
	if err != nil {
		return false, err
	}
	if err = n.Record(m, s); err == nil {
		done, err = n.IsMarkDone(m)
	}
	if failed := n.DestroyMark(m); err == nil {
		err = failed
	}
	return done, err
}

func (n native) StreamWait(s streams.Stream, m streams.Mark) error {
	return n.device.plugin.WaitFor(pi.Handle(s), n.device.marks.event(m))
}

func (n native) NewMark(bool) (streams.Mark, error) { return n.device.marks.insert(), nil }

// DestroyMark releases the event. Queues that wait for it have uses of their
// own.
func (n native) DestroyMark(m streams.Mark) error {
	if event := n.device.marks.remove(m); event != 0 {
		return n.device.plugin.Release(pi.EventRelease, event)
	}
	return nil
}

// Record makes the event, and has the device start: an event for which another queue waits
// must not stay in a queue that is never flushed.
func (n native) Record(m streams.Mark, s streams.Stream) error {
	event, err := n.device.plugin.Mark(pi.Handle(s))
	if err != nil {
		return err
	}
	n.device.marks.set(m, event)
	return n.device.plugin.Flush(pi.Handle(s))
}

func (n native) IsMarkDone(m streams.Mark) (bool, error) {
	status, err := n.device.plugin.EventStatus(n.device.marks.event(m))
	if err == nil && status < 0 {
		err = commandError(status)
	}
	return status <= 0, err
}

func (n native) WaitMark(m streams.Mark) error {
	err := n.device.plugin.Wait(n.device.marks.event(m))
	if err != nil && !pi.IsCode(err, pi.ErrorInWaitList) {
		return err
	}
	// A wait may succeed for a command that failed, or fail without the reason.
	_, failed := n.IsMarkDone(m)
	if failed == nil {
		failed = err
	}
	return failed
}

// Elapsed is the time between the ends of two events.
func (n native) Elapsed(from, to streams.Mark) (time.Duration, error) {
	begin, err := n.device.plugin.EventEnd(n.device.marks.event(from))
	if err != nil {
		return 0, err
	}
	end, err := n.device.plugin.EventEnd(n.device.marks.event(to))
	return time.Duration(end - begin), err
}

// MarkHandle is the native handle of the event, 0 before there is one.
func (n native) MarkHandle(m streams.Mark) uint64 {
	event := n.device.marks.event(m)
	if event == 0 {
		return 0
	}
	return n.device.nativeHandle(pi.ExtEventGetNativeHandle, event)
}

// commandError is a command that ended with a code.
func commandError(code int) error {
	return &driver.CallError{Call: pi.EventsWait.String(), Code: code, Name: pi.CodeName(code)}
}

// marks are events by numbers of their own: package streams makes a mark before it is
// recorded, and a plugin makes the event when it is. The zero value is ready.
type marks struct {
	mu     sync.Mutex
	last   streams.Mark
	events map[streams.Mark]pi.Handle
}

func (k *marks) insert() streams.Mark {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	return k.last
}

func (k *marks) set(m streams.Mark, event pi.Handle) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.events == nil {
		k.events = map[streams.Mark]pi.Handle{}
	}
	k.events[m] = event
}

func (k *marks) event(m streams.Mark) pi.Handle {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.events[m]
}

func (k *marks) remove(m streams.Mark) pi.Handle {
	k.mu.Lock()
	defer k.mu.Unlock()
	event := k.events[m]
	delete(k.events, m)
	return event
}
