package opencl

import (
	"errors"
	"fmt"
	"math/bits"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// Write copies data to a memory.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.transferData("Write", m, offset, data, s, q.device.writeMemory)
}

// Read copies a memory to data.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	return q.transferData("Read", m, offset, data, s, q.device.readMemory)
}

type transferFunction func(queue cl.Handle, m driver.Memory, offset int64, data []byte, o *cl.Order) error

// transferData queues a transfer by Write or Read. It checks the range itself, as some
// drivers crash on a range beyond an allocation.
func (q *queue) transferData(call string, m driver.Memory, offset int64, data []byte, s driver.Sync, enqueue transferFunction) error {
	if err := driver.CheckRange(m, offset, int64(len(data))); err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	if len(data) == 0 {
		return q.enqueueMarker(s)
	}
	if v, ok := asVariable(m); ok {
		if v.program.device != q.device {
			return fmt.Errorf("%s: the variable is not of this device", call)
		}
		switch {
		case v.kernels != nil && call == "Write":
			return v.kernels.Write(q.device, q, offset, data, s)
		case v.kernels != nil:
			return v.kernels.Read(q.device, q, offset, data, s)
		}
	}
	// The driver's own blocking call saves an event and a wait.
	if s.Block && q.isPlain(s) {
		before := q.submittedCommands()
		err := enqueue(q.handle, m, offset, data, &cl.Order{Block: true})
		if err == nil {
			q.noteEnded(before)
			err = q.failureBefore(before + 1)
		}
		return err
	}
	return q.submitCommand(cl.EnqueueMemcpyINTEL, s, data, func(queue cl.Handle, o *cl.Order) error {
		return enqueue(queue, m, offset, data, o)
	})
}

// enqueueMarker queues a command without work, in place of a transfer of no bytes, which
// OpenCL refuses. The event of such a transfer must still complete after the commands
// before it.
func (q *queue) enqueueMarker(s driver.Sync) error {
	return q.submitCommand(cl.EnqueueMarkerWithWaitList, s, nil, func(queue cl.Handle, o *cl.Order) error {
		return q.device.api.Marker(cl.EnqueueMarkerWithWaitList, queue, o)
	})
}

// writeMemory writes to one of three kinds of memory: a variable, a cl_mem on devices
// that have nothing else, or an address of unified or fine-grained shared memory.
func (d *Device) writeMemory(queue cl.Handle, m driver.Memory, offset int64, data []byte, o *cl.Order) error {
	if v, ok := asVariable(m); ok {
		return v.writeVariable(queue, offset, data, o)
	}
	own, err := d.ownMemory(m)
	switch {
	case err != nil:
		return err
	case own.buffer != 0:
		return d.api.WriteBuffer(queue, own.buffer, offset, data, o)
	}
	return d.api.WriteAddress(d.copyFunction(), queue, own.address+uintptr(offset), data, o)
}

func (d *Device) readMemory(queue cl.Handle, m driver.Memory, offset int64, data []byte, o *cl.Order) error {
	if v, ok := asVariable(m); ok {
		return v.readVariable(queue, offset, data, o)
	}
	own, err := d.ownMemory(m)
	switch {
	case err != nil:
		return err
	case own.buffer != 0:
		return d.api.ReadBuffer(queue, own.buffer, offset, data, o)
	}
	return d.api.ReadAddress(d.copyFunction(), queue, data, own.address+uintptr(offset), o)
}

// Copy copies between memories.
func (q *queue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	if err := errors.Join(driver.CheckRange(to, toOffset, size), driver.CheckRange(from, fromOffset, size)); err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	if size == 0 {
		return q.enqueueMarker(s)
	}
	_, toVariable := asVariable(to)
	_, fromVariable := asVariable(from)
	if toVariable || fromVariable {
		return q.copyByHost(to, toOffset, from, fromOffset, size, s)
	}
	target, err := q.device.ownMemory(to)
	if err != nil {
		return err
	}
	source, err := q.device.ownMemory(from)
	if err != nil {
		return err
	}
	if target.buffer != 0 {
		return q.submitCommand(cl.EnqueueCopyBuffer, s, nil, func(queue cl.Handle, o *cl.Order) error {
			return q.device.api.CopyBuffer(queue, source.buffer, target.buffer, fromOffset, toOffset, size, o)
		})
	}
	f := q.device.copyFunction()
	return q.submitCommand(f, s, nil, func(queue cl.Handle, o *cl.Order) error {
		return q.device.api.CopyAddress(f, queue, target.address+uintptr(toOffset), source.address+uintptr(fromOffset), size, o)
	})
}

// copyByHost copies to or from a variable, which has no address that a copy
// can be given.
func (q *queue) copyByHost(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	data := make([]byte, size)
	var read driver.Event
	if err := q.Read(from, fromOffset, data, driver.Sync{After: s.After, Done: &read}); err != nil {
		return err
	}
	err := q.Write(to, toOffset, data, driver.Sync{After: []driver.Event{read}, Done: s.Done, Block: s.Block})
	return errors.Join(err, read.Close())
}

// maxPattern is the length of the longest pattern in bytes, the size of the largest type
// of OpenCL C, long16 (clEnqueueFillBuffer).
const maxPattern = 128

// Fill repeats a pattern.
func (q *queue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	if err := driver.CheckRange(m, offset, size); err != nil {
		return fmt.Errorf("Fill: %w", err)
	}
	n := len(pattern)
	if n > maxPattern || bits.OnesCount(uint(n)) != 1 {
		return fmt.Errorf("Fill: a pattern of %d bytes; it has 1 to %d, a power of two", n, maxPattern)
	}
	if size%int64(n) != 0 {
		return fmt.Errorf("Fill: %d bytes are not a multiple of the pattern's %d", size, n)
	}
	if size == 0 {
		return q.enqueueMarker(s)
	}
	if _, ok := asVariable(m); ok {
		return q.Write(m, offset, repeatPattern(pattern, size), s)
	}
	own, err := q.device.ownMemory(m)
	if err != nil {
		return err
	}
	// clEnqueueMemFillINTEL and clEnqueueFillBuffer both ask for an offset that is a
	// multiple of the pattern.
	if (int64(own.address)+offset)%int64(n) != 0 {
		return q.fillUnaligned(m, offset, size, pattern, s)
	}
	return q.submitCommand(cl.EnqueueMemFillINTEL, s, nil, func(queue cl.Handle, o *cl.Order) error {
		return q.device.fillMemory(queue, own, offset, size, pattern, o)
	})
}

// repeatPattern returns the pattern repeated to that size. It doubles the bytes so far,
// which copies large blocks at the speed of memory.
func repeatPattern(pattern []byte, size int64) []byte {
	data := make([]byte, size)
	for done := copy(data, pattern); done < len(data); done *= 2 {
		copy(data[done:], data[:done])
	}
	return data
}

// fillBlock is the most bytes of an unaligned fill that the host writes. The rest is
// copied from those on the device.
const fillBlock = 64 << 10

// fillUnaligned fills at an offset that OpenCL refuses: it writes a block and
// doubles it.
func (q *queue) fillUnaligned(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	done := min(size, fillBlock)
	var last driver.Event
	step := driver.Sync{After: s.After}
	// Each step waits for the event of the one before. Only the last gets the caller's
	// event and blocks if the caller does.
	run := func(final bool, enqueue func(driver.Sync) error) error {
		if final {
			step.Done, step.Block = s.Done, s.Block
		} else {
			step.Done = &last
		}
		before := last
		err := enqueue(step)
		if before != nil {
			err = errors.Join(err, before.Close())
		}
		step.After = []driver.Event{last}
		return err
	}
	if err := run(done == size, func(s driver.Sync) error { return q.Write(m, offset, repeatPattern(pattern, done), s) }); err != nil {
		return err
	}
	for done < size {
		n := min(done, size-done)
		from, to := offset, offset+done
		done += n
		if err := run(done == size, func(s driver.Sync) error { return q.Copy(m, to, m, from, n, s) }); err != nil {
			return err
		}
	}
	return nil
}
