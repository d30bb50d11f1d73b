package main

import "C" // for the exports

import (
	"math/bits"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// place is a pi_buff_rect_offset or a pi_buff_rect_region: bytes, rows, slices.
type place struct{ bytes, rows, slices uintptr }

// side is one side of a copy of a rectangle: a buffer, or memory of the host.
type side struct {
	buffer *buffer
	host   uintptr
	origin *place
	row    uintptr // bytes from one row to the next; 0: the rows lie side by side
	slice  uintptr
}

// prepareSide fills in the pitches, and checks that the rectangle lies in the buffer.
func (d *side) prepareSide(region *place) error {
	if d.origin == nil || region == nil {
		return failure(invalidValue, "a rectangle without a place")
	}
	if d.row == 0 {
		d.row = region.bytes
	}
	if d.slice == 0 {
		d.slice = region.rows * d.row
	}
	if region.bytes == 0 || region.rows == 0 || region.slices == 0 || d.row < region.bytes || d.slice < (region.rows-1)*d.row+region.bytes {
		return failure(invalidValue, "a rectangle of %d bytes, %d rows and %d slices with %d bytes a row and %d a slice", region.bytes, region.rows, region.slices, d.row, d.slice)
	}
	if d.buffer == nil {
		return nil
	}
	end, fits := d.origin.bytes+region.bytes, true
	for _, part := range [][3]uintptr{{d.origin.rows, region.rows - 1, d.row}, {d.origin.slices, region.slices - 1, d.slice}} {
		high, low := bits.Mul64(uint64(part[0]+part[1]), uint64(part[2]))
		fits = fits && high == 0 && part[0] <= uintptr(d.buffer.size) && low <= uint64(d.buffer.size)
		end += uintptr(low)
	}
	if !fits || d.origin.bytes > uintptr(d.buffer.size) || end > uintptr(d.buffer.size) {
		return failure(invalidValue, "the rectangle ends beyond the %d bytes of the buffer", d.buffer.size)
	}
	return nil
}

// rowOffset is the offset of a row of the rectangle.
func (d *side) rowOffset(row, slice uintptr) uintptr {
	return d.origin.bytes + (d.origin.rows+row)*d.row + (d.origin.slices+slice)*d.slice
}

// copyRow queues the copy of one row.
func copyRow(q driver.Queue, to, from *side, toOffset, fromOffset, size uintptr, s driver.Sync) error {
	switch {
	case to.buffer == nil:
		return q.Read(from.buffer.memory, from.buffer.offset+int64(fromOffset), dl.Bytes(to.host+toOffset, int(size)), s)
	case from.buffer == nil:
		return q.Write(to.buffer.memory, to.buffer.offset+int64(toOffset), dl.Bytes(from.host+fromOffset, int(size)), s)
	}
	return q.Copy(to.buffer.memory, to.buffer.offset+int64(toOffset), from.buffer.memory, from.buffer.offset+int64(fromOffset), int64(size), s)
}

// copyRectangle copies row by row. The event is that of a barrier after the rows.
func copyRectangle(q driver.Queue, to, from *side, region *place, s driver.Sync) error {
	for _, d := range []*side{to, from} {
		if err := d.prepareSide(region); err != nil {
			return err
		}
	}
	for slice := range region.slices {
		for row := range region.rows {
			if err := copyRow(q, to, from, to.rowOffset(row, slice), from.rowOffset(row, slice), region.bytes, driver.Sync{After: s.After}); err != nil {
				return err
			}
		}
	}
	return q.Barrier(driver.Sync{Done: s.Done, Block: s.Block})
}

//export offlink_piEnqueueMemBufferReadRect
func offlink_piEnqueueMemBufferReadRect(queue, handle uintptr, block uint32, origin, hostOrigin, region unsafe.Pointer, row, slice, hostRow, hostSlice, host uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, block != 0}, func(q driver.Queue, s driver.Sync) error {
		b, err := objectOf[*buffer](handle)
		if err != nil {
			return err
		}
		return copyRectangle(q, &side{nil, host, (*place)(hostOrigin), hostRow, hostSlice}, &side{b, 0, (*place)(origin), row, slice}, (*place)(region), s)
	})
}

//export offlink_piEnqueueMemBufferWriteRect
func offlink_piEnqueueMemBufferWriteRect(queue, handle uintptr, block uint32, origin, hostOrigin, region unsafe.Pointer, row, slice, hostRow, hostSlice, host uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, block != 0}, func(q driver.Queue, s driver.Sync) error {
		b, err := objectOf[*buffer](handle)
		if err != nil {
			return err
		}
		return copyRectangle(q, &side{b, 0, (*place)(origin), row, slice}, &side{nil, host, (*place)(hostOrigin), hostRow, hostSlice}, (*place)(region), s)
	})
}

//export offlink_piEnqueueMemBufferCopyRect
func offlink_piEnqueueMemBufferCopyRect(queue, from, to uintptr, fromOrigin, toOrigin, region unsafe.Pointer, fromRow, fromSlice, toRow, toSlice uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		source, err := objectOf[*buffer](from)
		if err != nil {
			return err
		}
		target, err := objectOf[*buffer](to)
		if err != nil {
			return err
		}
		return copyRectangle(q, &side{target, 0, (*place)(toOrigin), toRow, toSlice}, &side{source, 0, (*place)(fromOrigin), fromRow, fromSlice}, (*place)(region), s)
	})
}
