package main

import (
	"errors"

	"offlink/runtime/driver"
)

// recorder is the queue that takes the commands of a command buffer: it keeps the calls, to
// make them again on a real queue.
type recorder struct{ steps []step }

// step is a call of a queue.
type step struct {
	call   func(q driver.Queue, s driver.Sync) error
	after  []int           // steps
	launch *recordedLaunch // of a launch
}

// recordedLaunch is a launch that can be changed: the next replay makes it as it is then.
type recordedLaunch struct {
	kernel driver.Kernel
	rng    driver.Range
	args   []driver.Arg
}

// recordedEvent is the event of a step while commands are recorded: its place in the order.
type recordedEvent struct {
	driver.Event
	step int
}

func (*recordedEvent) Close() error { return nil }

var errNotRecorded = errors.New("the command cannot be recorded: it waits for an event of another queue, or for its own end")

func (r *recorder) addStep(s driver.Sync, call func(q driver.Queue, s driver.Sync) error) error {
	added := step{call: call}
	for _, e := range s.After {
		recorded, ok := e.(*recordedEvent)
		if !ok {
			return errNotRecorded
		}
		added.after = append(added.after, recorded.step)
	}
	if s.Block {
		return errNotRecorded
	}
	if s.Done != nil {
		*s.Done = &recordedEvent{step: len(r.steps)}
	}
	r.steps = append(r.steps, added)
	return nil
}

// replay queues the steps, each after the one before it if they are ordered. Those that wait for
// no other one wait for the events that all of them wait for. Where a step cannot be queued,
// those before it run all the same.
func (r *recorder) replay(q driver.Queue, s driver.Sync, ordered bool) error {
	if len(r.steps) == 0 {
		return q.Barrier(s)
	}
	all := &replayedEvent{events: make([]driver.Event, len(r.steps))}
	for i, step := range r.steps {
		var after []driver.Event
		for _, other := range step.after {
			after = append(after, all.events[other])
		}
		if ordered && i > 0 {
			after = append(after, all.events[i-1])
		}
		if len(after) == 0 {
			after = s.After
		}
		if err := step.call(q, driver.Sync{After: after, Done: &all.events[i]}); err != nil {
			return err
		}
	}
	if s.Done != nil {
		*s.Done = all
	}
	return nil
}

// Write implements driver.Queue, as the next methods do.
func (r *recorder) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return r.addStep(s, func(q driver.Queue, s driver.Sync) error { return q.Write(m, offset, data, s) })
}

func (r *recorder) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return r.addStep(s, func(q driver.Queue, s driver.Sync) error { return q.Read(m, offset, data, s) })
}

func (r *recorder) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	return r.addStep(s, func(q driver.Queue, s driver.Sync) error { return q.Copy(to, toOffset, from, fromOffset, size, s) })
}

func (r *recorder) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	return r.addStep(s, func(q driver.Queue, s driver.Sync) error { return q.Fill(m, offset, size, pattern, s) })
}

func (r *recorder) Launch(k driver.Kernel, rng driver.Range, args []driver.Arg, s driver.Sync) error {
	l := &recordedLaunch{k, rng, args}
	err := r.addStep(s, func(q driver.Queue, s driver.Sync) error { return q.Launch(l.kernel, l.rng, l.args, s) })
	if err == nil {
		r.steps[len(r.steps)-1].launch = l
	}
	return err
}

func (r *recorder) Barrier(s driver.Sync) error { return r.addStep(s, driver.Queue.Barrier) }
func (r *recorder) Flush() error                { return nil }
func (r *recorder) Finish() error               { return errNotRecorded }
func (r *recorder) Close() error                { return nil }

// onImages is a step with images, for which a queue has methods of its own.
func (r *recorder) onImages(s driver.Sync, call func(q driver.ImageQueue, s driver.Sync) error) error {
	return r.addStep(s, func(q driver.Queue, s driver.Sync) error {
		own, err := imageQueue(q)
		if err != nil {
			return err
		}
		return call(own, s)
	})
}

// WriteImage implements driver.ImageQueue, as the next methods do.
func (r *recorder) WriteImage(to driver.ImageMemory, box driver.ImageBox, from driver.HostImage, s driver.Sync) error {
	return r.onImages(s, func(q driver.ImageQueue, s driver.Sync) error { return q.WriteImage(to, box, from, s) })
}

func (r *recorder) ReadImage(from driver.ImageMemory, box driver.ImageBox, to driver.HostImage, s driver.Sync) error {
	return r.onImages(s, func(q driver.ImageQueue, s driver.Sync) error { return q.ReadImage(from, box, to, s) })
}

func (r *recorder) CopyImage(to driver.ImageMemory, toOrigin [3]int, from driver.ImageMemory, box driver.ImageBox, s driver.Sync) error {
	return r.onImages(s, func(q driver.ImageQueue, s driver.Sync) error { return q.CopyImage(to, toOrigin, from, box, s) })
}

func (r *recorder) CopyFromImage(to driver.Memory, toOffset int64, from driver.ImageMemory, box driver.ImageBox, s driver.Sync) error {
	return r.onImages(s, func(q driver.ImageQueue, s driver.Sync) error { return q.CopyFromImage(to, toOffset, from, box, s) })
}

func (r *recorder) CopyToImage(to driver.ImageMemory, box driver.ImageBox, from driver.Memory, fromOffset int64, s driver.Sync) error {
	return r.onImages(s, func(q driver.ImageQueue, s driver.Sync) error { return q.CopyToImage(to, box, from, fromOffset, s) })
}

func (r *recorder) FillImage(to driver.ImageMemory, box driver.ImageBox, color [4]uint32, s driver.Sync) error {
	return r.onImages(s, func(q driver.ImageQueue, s driver.Sync) error { return q.FillImage(to, box, color, s) })
}
