package piplugin

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/internal/pi"
	"offlink/runtime/internal/streams"
)

// queue is a queue with a plugin's commands.
type queue struct {
	streams.KeepingQueue
	device *Device
}

// NewQueue makes a queue.
func (d *Device) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	q := &queue{device: d}
	var err error
	if q.Queue, err = d.streams.MakeQueue(opts, q.KeepUntilEnd); err != nil {
		return nil, err
	}
	return q, nil
}

// ImportQueue makes a queue of a native one of this device's context. The native queue
// stays the caller's: Close does not end it.
func (d *Device) ImportQueue(handle uint64) (driver.Queue, error) {
	if handle == 0 {
		return nil, errors.New("a null handle is not a queue")
	}
	if !d.plugin.QueueImports() {
		return nil, fmt.Errorf("queues of others: %w", driver.ErrUnsupported)
	}
	context, err := d.open()
	if err != nil {
		return nil, err
	}
	native, err := d.plugin.ImportQueue(handle, context, d.handle)
	if err != nil {
		return nil, err
	}
	q := &queue{device: d}
	q.Queue = d.streams.AdoptStream(streams.Stream(native), func(s streams.Stream) {
		q.KeepUntilEnd(s)
		_ = d.plugin.Release(pi.QueueRelease, pi.Handle(s)) // the plugin's own object only
	})
	return q, nil
}

// Handle is the native handle of the queue; the first one of several.
func (q *queue) Handle() uint64 {
	return q.device.nativeHandle(pi.ExtQueueGetNativeHandle, pi.Handle(q.Queue.Handle()))
}

// Flush has the device start.
func (q *queue) Flush() error {
	return q.EachStream(func(s streams.Stream) error { return q.device.plugin.Flush(pi.Handle(s)) })
}

// submit has a queue of the plugin run a command in the order of its events.
func (q *queue) submit(s driver.Sync, command func(pi.Order) error) error {
	return q.EnqueueMarked(s, func(o streams.Order) error { return q.device.order(o, command) })
}

// order gives a command its place: the events that it waits for, and the mark that
// its own event becomes.
func (d *Device) order(o streams.Order, command func(pi.Order) error) error {
	native := pi.Order{Queue: pi.Handle(o.Stream)}
	for _, m := range o.After {
		native.Wait = append(native.Wait, d.marks.event(m))
	}
	if o.Mark == 0 {
		return command(native)
	}
	native.Event = new(pi.Handle)
	if err := command(native); err != nil {
		return err
	}
	d.marks.set(o.Mark, *native.Event)
	if !o.Awaited {
		return nil
	}
	return d.plugin.Flush(native.Queue) // as Record does
}

// transfer is submit with host memory, which is kept until the command has ended unless
// the caller waits for that.
func (q *queue) transfer(s driver.Sync, data []byte, command func(pi.Order) error) error {
	return q.KeepHost(data, s, func() error { return q.submit(s, command) })
}

// Write copies data to a memory.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	move := func(o pi.Order) error { return q.device.write(o, m, offset, data) }
	if err := q.checkTransfer(m, offset, data); err != nil {
		return fmt.Errorf("Write: %w", err)
	}
	if v, ok := asVariable(m); ok && v.kernels != nil && len(data) > 0 {
		return v.kernels.Write(q.device, q, offset, data, s)
	}
	return q.transferOrBarrier(s, data, move)
}

// Read copies a memory to data.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	move := func(o pi.Order) error { return q.device.read(o, m, offset, data) }
	if err := q.checkTransfer(m, offset, data); err != nil {
		return fmt.Errorf("Read: %w", err)
	}
	if v, ok := asVariable(m); ok && v.kernels != nil && len(data) > 0 {
		return v.kernels.Read(q.device, q, offset, data, s)
	}
	return q.transferOrBarrier(s, data, move)
}

// checkTransfer checks the memory and the range before anything is queued.
func (q *queue) checkTransfer(m driver.Memory, offset int64, data []byte) error {
	if v, ok := asVariable(m); ok {
		if v.program.device != q.device {
			return errors.New("the variable is not of this device")
		}
	} else if _, err := q.device.ownMemory(m); err != nil {
		return err
	}
	return driver.CheckRange(m, offset, int64(len(data)))
}

// transferOrBarrier moves data. A transfer of no bytes becomes a barrier: its event is
// needed all the same, and plugins refuse empty transfers.
func (q *queue) transferOrBarrier(s driver.Sync, data []byte, move func(pi.Order) error) error {
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.transfer(s, data, move)
}

func (d *Device) write(o pi.Order, m driver.Memory, offset int64, data []byte) error {
	if v, ok := asVariable(m); ok {
		return v.write(o, offset, data)
	}
	own := m.(place).base()
	if own.buffer != 0 {
		return d.plugin.WriteBuffer(o, own.buffer, offset, data)
	}
	return d.plugin.WriteAddress(o, own.address+uintptr(offset), data)
}

func (d *Device) read(o pi.Order, m driver.Memory, offset int64, data []byte) error {
	if v, ok := asVariable(m); ok {
		return v.read(o, offset, data)
	}
	own := m.(place).base()
	if own.buffer != 0 {
		return d.plugin.ReadBuffer(o, own.buffer, offset, data)
	}
	return d.plugin.ReadAddress(o, data, own.address+uintptr(offset))
}

// Copy copies between memories.
func (q *queue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	if err := errors.Join(driver.CheckRange(to, toOffset, size), driver.CheckRange(from, fromOffset, size)); err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	_, toVariable := asVariable(to)
	_, fromVariable := asVariable(from)
	if toVariable || fromVariable {
		return q.copyByHost(to, toOffset, from, fromOffset, size, s)
	}
	target, err := q.device.ownMemory(to)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	source, err := q.device.ownMemory(from)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	return q.submit(s, func(o pi.Order) error {
		if target.buffer != 0 {
			return q.device.plugin.CopyBuffer(o, source.buffer, target.buffer, fromOffset, toOffset, size)
		}
		return q.device.plugin.CopyAddress(o, target.address+uintptr(toOffset), source.address+uintptr(fromOffset), size)
	})
}

// copyByHost copies to or from a variable, which may have no address.
func (q *queue) copyByHost(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	data := make([]byte, size)
	var read driver.Event
	if err := q.Read(from, fromOffset, data, driver.Sync{After: s.After, Done: &read}); err != nil {
		return err
	}
	err := q.Write(to, toOffset, data, driver.Sync{After: []driver.Event{read}, Done: s.Done, Block: s.Block})
	return errors.Join(err, read.Close())
}

// maxPattern is the length of the longest pattern of a fill, in bytes.
const maxPattern = 128

// Fill repeats a pattern. Plugins repeat single bytes only: of a longer pattern a block
// is written, and copied until the range is full.
func (q *queue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	n := len(pattern)
	switch {
	case n > maxPattern || bits.OnesCount(uint(n)) != 1:
		return fmt.Errorf("Fill: a pattern of %d bytes; it has 1 to %d, a power of two", n, maxPattern)
	case size%int64(n) != 0:
		return fmt.Errorf("Fill: %d bytes are not a multiple of the pattern's %d", size, n)
	}
	if err := driver.CheckRange(m, offset, size); err != nil {
		return fmt.Errorf("Fill: %w", err)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	if _, ok := asVariable(m); ok {
		return q.Write(m, offset, repeated(pattern, size), s)
	}
	own, err := q.device.ownMemory(m)
	if err != nil {
		return fmt.Errorf("Fill: %w", err)
	}
	if slices.Equal(pattern, repeated(pattern[:1], int64(n))) {
		return q.submit(s, func(o pi.Order) error { return q.device.fill(o, own, offset, size, pattern[0]) })
	}
	return q.fillBlocks(m, offset, size, pattern, s)
}

func repeated(pattern []byte, size int64) []byte {
	data := make([]byte, size)
	for done := copy(data, pattern); done < len(data); done *= 2 {
		copy(data[done:], data[:done])
	}
	return data
}

// fillBlock is the most bytes of a fill that the host writes. The rest is copied from
// those on the device.
const fillBlock = 64 << 10

// fillBlocks writes a block and doubles it until the range is full. Each step waits for
// the event of the one before it, so that it also works in an out-of-order queue.
func (q *queue) fillBlocks(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	done := min(size, fillBlock)
	if done == size {
		return q.Write(m, offset, repeated(pattern, done), s)
	}
	var last driver.Event
	if err := q.Write(m, offset, repeated(pattern, done), driver.Sync{After: s.After, Done: &last}); err != nil {
		return err
	}
	for done < size {
		n := min(done, size-done)
		step := driver.Sync{After: []driver.Event{last}, Done: &last}
		if done+n == size {
			step.Done, step.Block = s.Done, s.Block
		}
		before := last
		err := q.Copy(m, offset+done, m, offset, n, step)
		if err = errors.Join(err, before.Close()); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// Launch runs a kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, ok := k.(*kernel)
	if !ok || own.device != q.device {
		return errors.New("the kernel is not of this device")
	}
	err := checkRange(r)
	if err == nil && len(args) != len(own.params) {
		err = fmt.Errorf("%d arguments were given; it takes %d", len(args), len(own.params))
	}
	if err == nil {
		err = q.launch(own, r, args, s)
	}
	if err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

// launch has a queue of the plugin run a kernel. The slices are the caller's, so
// a launch that has to wait gets its own.
func (q *queue) launch(k *kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	r = driver.Range{Global: slices.Clone(r.Global), Local: slices.Clone(r.Local), Offset: slices.Clone(r.Offset)}
	args = slices.Clone(args)
	for i := range args {
		args[i].Value = bytes.Clone(args[i].Value)
	}
	return q.EnqueueMarked(s, func(o streams.Order) error {
		return q.device.order(o, func(o pi.Order) error { return k.launch(o, r, args) })
	})
}

// checkRange refuses a range whose slices differ in length: plugins read each as an
// array of as many sizes as the range has dimensions.
func checkRange(r driver.Range) error {
	n := len(r.Global)
	if n < 1 || n > 3 || r.Local != nil && len(r.Local) != n || r.Offset != nil && len(r.Offset) != n {
		return fmt.Errorf("the range has %d global, %d local sizes and %d offsets", n, len(r.Local), len(r.Offset))
	}
	for _, list := range [][]int{r.Global, r.Local, r.Offset} {
		for _, size := range list {
			if size < 0 {
				return fmt.Errorf("the range has a size of %d", size)
			}
		}
	}
	return nil
}
