package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"offlink/runtime/driver"
)

// Queue returns a queue that records each command, from the call to the end of the command.
// With a nil Recorder it is q itself.
//
// It is a driver.Aborter, driver.NativeHandle and driver.ImageQueue if q is, and always a
// driver.Idler. It is never a driver.DirectQueue, as commands that pass the back end by would
// be missing in the trace.
func Queue(r *Recorder, q driver.Queue, device string) driver.Queue {
	if r == nil {
		return q
	}
	traced := &tracedQueue{Queue: q, recorder: r, device: device}
	if images, ok := q.(driver.ImageQueue); ok {
		return withImages(&tracedImageQueue{traced, images}, q)
	}
	return withoutImages(traced, q)
}

// withoutImages adds the interfaces of q that need no record.
func withoutImages(traced *tracedQueue, q driver.Queue) driver.Queue {
	aborter, aborts := q.(driver.Aborter)
	handle, native := q.(driver.NativeHandle)
	switch {
	case aborts && native:
		return struct {
			*tracedQueue
			driver.Aborter
			driver.NativeHandle
		}{traced, aborter, handle}
	case aborts:
		return struct {
			*tracedQueue
			driver.Aborter
		}{traced, aborter}
	case native:
		return struct {
			*tracedQueue
			driver.NativeHandle
		}{traced, handle}
	}
	return traced
}

// withImages is withoutImages for a queue of a driver.ImageDevice.
func withImages(traced *tracedImageQueue, q driver.Queue) driver.Queue {
	aborter, aborts := q.(driver.Aborter)
	handle, native := q.(driver.NativeHandle)
	switch {
	case aborts && native:
		return struct {
			*tracedImageQueue
			driver.Aborter
			driver.NativeHandle
		}{traced, aborter, handle}
	case aborts:
		return struct {
			*tracedImageQueue
			driver.Aborter
		}{traced, aborter}
	case native:
		return struct {
			*tracedImageQueue
			driver.NativeHandle
		}{traced, handle}
	}
	return traced
}

type tracedQueue struct {
	driver.Queue
	recorder *Recorder
	device   string
	running  commands // of this queue; the recorder has those of all queues
}

// Idle implements driver.Idler. A queue that does not tell counts as busy, so that
// callers wait for it where waiting is harmless.
func (q *tracedQueue) Idle() bool {
	idler, ok := q.Queue.(driver.Idler)
	return ok && idler.Idle()
}

// recordCommand runs the command, and ends its span when the command ends. A command that
// does not block gets an event for that, even if the caller wants none.
func (q *tracedQueue) recordCommand(category, name string, s driver.Sync, do func(driver.Sync) error, details ...Arg) error {
	span := q.recorder.Start(category, name, append([]Arg{{"device", q.device}}, details...)...)
	if s.Block {
		err := do(s)
		span.End(err)
		return err
	}
	var own driver.Event
	wanted := s.Done
	if wanted == nil {
		s.Done = &own
	}
	err := do(s)
	done := *s.Done
	if done == nil {
		span.End(err)
		return err
	}
	ended := make(chan struct{})
	q.running.addCommand(ended)
	q.recorder.running.addCommand(ended)
	done.OnDone(func(err error) {
		span.End(err)
		if wanted == nil {
			_ = done.Close() // the caller did not ask for it
		}
		close(ended)
		q.running.removeCommand(ended)
		q.recorder.running.removeCommand(ended)
	})
	return err
}

func (q *tracedQueue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.recordCommand("copy", "write", s, func(s driver.Sync) error { return q.Queue.Write(m, offset, data, s) }, Arg{"bytes", len(data)})
}

func (q *tracedQueue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.recordCommand("copy", "read", s, func(s driver.Sync) error { return q.Queue.Read(m, offset, data, s) }, Arg{"bytes", len(data)})
}

func (q *tracedQueue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	return q.recordCommand("copy", "copy", s, func(s driver.Sync) error { return q.Queue.Copy(to, toOffset, from, fromOffset, size, s) }, Arg{"bytes", size})
}

func (q *tracedQueue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	return q.recordCommand("copy", "fill", s, func(s driver.Sync) error { return q.Queue.Fill(m, offset, size, pattern, s) }, Arg{"bytes", size})
}

func (q *tracedQueue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	details := []Arg{{"global", spellSizes(r.Global)}}
	if r.Local != nil {
		details = append(details, Arg{"local", spellSizes(r.Local)})
	}
	return q.recordCommand("launch", k.Name(), s, func(s driver.Sync) error { return q.Queue.Launch(k, r, args, s) }, details...)
}

func (q *tracedQueue) Finish() error {
	before := q.running.listCommands()
	span := q.recorder.Start("wait", "finish", Arg{"device", q.device})
	err := q.Queue.Finish()
	span.End(err)
	waitCommands(before, q.recorder.patience.finish)
	return err
}

// commands are the commands whose spans have not ended, each with a channel that is closed
// then. A span ends in a callback, which may run after the program has seen the end of the
// command.
type commands struct {
	mu   sync.Mutex
	open map[chan struct{}]bool
}

func (c *commands) addCommand(ended chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = make(map[chan struct{}]bool)
	}
	c.open[ended] = true
}

func (c *commands) removeCommand(ended chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, ended)
}

func (c *commands) listCommands() []chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.open))
}

// waitCommands waits until all have ended, and no longer than the limit.
func waitCommands(list []chan struct{}, limit time.Duration) {
	if len(list) == 0 {
		return
	}
	late := time.After(limit)
	for _, ended := range list {
		select {
		case <-ended:
		case <-late:
			return
		}
	}
}

func spellSizes(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }
