package main

import "C" // for the exports

import (
	"slices"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// copyMemory copies between addresses of the device and of the host.
func copyMemory(q driver.Queue, to, from uintptr, size int64, s driver.Sync) error {
	target, toDevice := device().Pointer(uint64(to))
	source, fromDevice := device().Pointer(uint64(from))
	switch {
	case size == 0:
		return q.Barrier(s)
	case toDevice && fromDevice:
		return q.Copy(target.Memory, target.Offset, source.Memory, source.Offset, size, s)
	case toDevice:
		return q.Write(target.Memory, target.Offset, dl.Bytes(from, int(size)), s)
	case fromDevice:
		return q.Read(source.Memory, source.Offset, dl.Bytes(to, int(size)), s)
	}
	return afterBarrier(q, s, func() { copy(dl.Bytes(to, int(size)), dl.Bytes(from, int(size))) })
}

// afterBarrier has work on the host's memory done between the commands before it and those
// after it, which wait for an event of the work. The call does not wait: the commands before
// may wait for an event that the host sets later.
func afterBarrier(q driver.Queue, s driver.Sync, work func()) error {
	if r, ok := q.(*recorder); ok {
		return r.addStep(s, func(q driver.Queue, s driver.Sync) error { return afterBarrier(q, s, work) })
	}
	worked, err := device().NewEvent()
	if err != nil {
		return err
	}
	defer worked.Close()
	var before driver.Event
	if err := q.Barrier(driver.Sync{After: s.After, Done: &before}); err != nil {
		worked.Complete(err)
		return err
	}
	before.OnDone(func(err error) {
		if err == nil {
			work()
		}
		worked.Complete(err)
		before.Close()
	})
	return q.Barrier(driver.Sync{After: []driver.Event{worked}, Done: s.Done, Block: s.Block})
}

//export offlink_piextUSMEnqueueMemcpy
func offlink_piextUSMEnqueueMemcpy(queue uintptr, block uint32, to, from, size uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, block != 0}, func(q driver.Queue, s driver.Sync) error {
		return copyMemory(q, to, from, int64(size), s)
	})
}

//export offlink_piextUSMEnqueueMemset
func offlink_piextUSMEnqueueMemset(queue, to uintptr, value int32, size uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		pattern := []byte{byte(value)}
		if p, ok := device().Pointer(uint64(to)); ok {
			return q.Fill(p.Memory, p.Offset, int64(size), pattern, s)
		}
		return afterBarrier(q, s, func() {
			data := dl.Bytes(to, int(size))
			for i := range data {
				data[i] = pattern[0]
			}
		})
	})
}

// offlink_piextUSMEnqueuePrefetch only orders its event: memory does not move, so that
// there is nothing to prefetch.
//
//export offlink_piextUSMEnqueuePrefetch
func offlink_piextUSMEnqueuePrefetch(queue, unused1, unused2 uintptr, unused3 uint32, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, driver.Queue.Barrier)
}

//export offlink_piextUSMEnqueueMemAdvise
func offlink_piextUSMEnqueueMemAdvise(queue, unused1, unused2 uintptr, unused3 uint32, event *uintptr) int32 {
	return enqueue(queue, order{0, nil, event, false}, driver.Queue.Barrier)
}

//export offlink_piEnqueueMemBufferRead
func offlink_piEnqueueMemBufferRead(queue, handle uintptr, block uint32, offset, size, to uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, block != 0}, func(q driver.Queue, s driver.Sync) error {
		b, err := objectOf[*buffer](handle)
		if err == nil {
			_, err = b.bytes(offset, size)
		}
		if err != nil {
			return err
		}
		return q.Read(b.memory, b.offset+int64(offset), dl.Bytes(to, int(size)), s)
	})
}

//export offlink_piEnqueueMemBufferWrite
func offlink_piEnqueueMemBufferWrite(queue, handle uintptr, block uint32, offset, size, from uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, block != 0}, func(q driver.Queue, s driver.Sync) error {
		b, err := objectOf[*buffer](handle)
		if err == nil {
			_, err = b.bytes(offset, size)
		}
		if err != nil {
			return err
		}
		return q.Write(b.memory, b.offset+int64(offset), dl.Bytes(from, int(size)), s)
	})
}

//export offlink_piEnqueueMemBufferCopy
func offlink_piEnqueueMemBufferCopy(queue, from, to, fromOffset, toOffset, size uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		source, err := objectOf[*buffer](from)
		if err != nil {
			return err
		}
		target, err := objectOf[*buffer](to)
		if err == nil {
			_, err = source.bytes(fromOffset, size)
		}
		if err == nil {
			_, err = target.bytes(toOffset, size)
		}
		if err != nil {
			return err
		}
		return q.Copy(target.memory, target.offset+int64(toOffset), source.memory, source.offset+int64(fromOffset), int64(size), s)
	})
}

//export offlink_piEnqueueMemBufferFill
func offlink_piEnqueueMemBufferFill(queue, handle uintptr, pattern unsafe.Pointer, length, offset, size uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		b, err := objectOf[*buffer](handle)
		if err == nil {
			_, err = b.bytes(offset, size)
		}
		if err != nil {
			return err
		}
		return q.Fill(b.memory, b.offset+int64(offset), int64(size), slices.Clone(wordsAt((*byte)(pattern), int(length))), s)
	})
}

// offlink_piEnqueueMemBufferMap returns the buffer's contents in memory of the host: at
// the pointer that the buffer was made with, or its own memory, which the host can reach.
//
//export offlink_piEnqueueMemBufferMap
func offlink_piEnqueueMemBufferMap(queue, handle uintptr, block uint32, flags uint64, offset, size uintptr, count uint32, list, event, out *uintptr) int32 {
	return enqueue(queue, order{count, list, event, block != 0}, func(q driver.Queue, s driver.Sync) error {
		b, err := objectOf[*buffer](handle)
		if err == nil {
			_, err = b.bytes(offset, size)
		}
		if err == nil {
			err = checkMapFlags(flags, b.flags)
		}
		if err != nil {
			return err
		}
		if b.host == 0 || b.shared {
			*out = b.address() + offset
			return b.mapObject(q, s, *out, flags, nil, nil)
		}
		*out = b.host + offset
		at, data := b.offset+int64(offset), dl.Bytes(*out, int(size))
		read := func(q driver.Queue, s driver.Sync) error { return q.Read(b.memory, at, data, s) }
		write := func(q driver.Queue, s driver.Sync) error { return q.Write(b.memory, at, data, s) }
		return b.mapObject(q, s, *out, flags, read, write)
	})
}

// mappable is a memory object with maps.
type mappable interface {
	take(address uintptr) (mapping, error)
}

// offlink_piEnqueueMemUnmap writes back memory of the host's own that was mapped for writing.
//
//export offlink_piEnqueueMemUnmap
func offlink_piEnqueueMemUnmap(queue, handle, address uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		m, err := objectOf[mappable](handle)
		if err != nil {
			return err
		}
		at, err := m.take(address)
		if err != nil {
			return err
		}
		return at.end(q, s)
	})
}

// transferVariable copies to or from a program's variable.
func transferVariable(o order, queue, handle, name, size, offset uintptr, host []byte, write bool) int32 {
	return enqueue(queue, o, func(q driver.Queue, s driver.Sync) error {
		v, err := variableOf(handle, dl.String(name))
		if err != nil {
			return err
		}
		if offset > uintptr(v.Size()) || size > uintptr(v.Size())-offset {
			return failure(invalidValue, "%d bytes at offset %d are beyond the end of a variable of %d", size, offset, v.Size())
		}
		if write {
			return q.Write(v, int64(offset), host, s)
		}
		return q.Read(v, int64(offset), host, s)
	})
}

//export offlink_piextEnqueueDeviceGlobalVariableWrite
func offlink_piextEnqueueDeviceGlobalVariableWrite(queue, handle, name uintptr, block uint32, size, offset, from uintptr, count uint32, list, event *uintptr) int32 {
	return transferVariable(order{count, list, event, block != 0}, queue, handle, name, size, offset, dl.Bytes(from, int(size)), true)
}

//export offlink_piextEnqueueDeviceGlobalVariableRead
func offlink_piextEnqueueDeviceGlobalVariableRead(queue, handle, name uintptr, block uint32, size, offset, to uintptr, count uint32, list, event *uintptr) int32 {
	return transferVariable(order{count, list, event, block != 0}, queue, handle, name, size, offset, dl.Bytes(to, int(size)), false)
}
