package main

import "C" // for the exports

import (
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	"offlink/runtime/internal/dl"
)

// corner is an origin or a region of an image, of three numbers.
type corner = [3]uintptr

// boxOf is a box of an image, whose places the device checks.
func (m *image) boxOf(origin, region *corner) (box driver.ImageBox, err error) {
	if origin == nil || region == nil {
		return box, failure(invalidValue, "a part of an image without its origin or region")
	}
	for i := range box.Origin {
		if max(origin[i], region[i]) > mostTexels {
			return box, failure(invalidValue, "the box at %v of %v texels is not inside the image", *origin, *region)
		}
		box.Origin[i], box.Size[i] = int(origin[i]), int(region[i])
	}
	return box, m.checkBox(box)
}

func (m *image) checkBox(box driver.ImageBox) error {
	if err := hostdev.CheckImageBox(m.memory, box); err != nil {
		return failure(invalidValue, "%v", err)
	}
	return nil
}

// hostImage is the host's memory for a box, with its pitches.
func (m *image) hostImage(box driver.ImageBox, row, slice, at uintptr) (h driver.HostImage, err error) {
	size := uintptr(box.Size[0] * m.texels.Size)
	if at == 0 || row != 0 && row < size || max(row, slice) > mostPitch {
		return h, failure(invalidValue, "memory of the host at %#x with pitches of %d and %d bytes for rows of %d", at, row, slice, size)
	}
	h.RowPitch, h.SlicePitch = int64(row), int64(slice)
	if m.desc.Kind == driver.Image1DArray && slice != 0 {
		row = slice
	}
	if row == 0 {
		row = size
	}
	if rows := row * uintptr(box.Size[1]); slice == 0 || !hasSlices(m.desc.Kind) {
		slice = rows
	} else if m.desc.Kind != driver.Image1DArray && slice < rows {
		return h, failure(invalidValue, "a slice pitch of %d bytes for slices of %d", slice, rows)
	}
	h.Data = dl.Bytes(at, int(slice*uintptr(box.Size[2]-1)+row*uintptr(box.Size[1]-1)+size))
	return h, nil
}

// onImage has a command on an image queued.
func onImage(queue, handle uintptr, o order, command func(q driver.ImageQueue, m *image, s driver.Sync) error) int32 {
	return enqueue(queue, o, func(q driver.Queue, s driver.Sync) error {
		m, err := objectOf[*image](handle)
		if err != nil {
			return err
		}
		own, err := imageQueue(q)
		if err != nil {
			return err
		}
		return command(own, m, s)
	})
}

func imageQueue(q driver.Queue) (driver.ImageQueue, error) {
	if own, ok := q.(*deviceQueue); ok {
		q = own.Queue
	}
	own, ok := q.(driver.ImageQueue)
	if !ok {
		return nil, driver.ErrUnsupported
	}
	return own, nil
}

//export offlink_clReadImage
func offlink_clReadImage(queue, handle uintptr, block uint32, origin, region unsafe.Pointer, row, slice, to uintptr, count uint32, list, event *uintptr) int32 {
	return onImage(queue, handle, order{count, list, event, block != 0}, func(q driver.ImageQueue, m *image, s driver.Sync) error {
		box, host, err := m.hostBox(origin, region, row, slice, to, true)
		if err != nil {
			return err
		}
		return q.ReadImage(m.memory, box, host, s)
	})
}

//export offlink_clWriteImage
func offlink_clWriteImage(queue, handle uintptr, block uint32, origin, region unsafe.Pointer, row, slice, from uintptr, count uint32, list, event *uintptr) int32 {
	return onImage(queue, handle, order{count, list, event, block != 0}, func(q driver.ImageQueue, m *image, s driver.Sync) error {
		box, host, err := m.hostBox(origin, region, row, slice, from, false)
		if err != nil {
			return err
		}
		return q.WriteImage(m.memory, box, host, s)
	})
}

// hostBox is a box and the host's memory for it, which the host reads or writes.
func (m *image) hostBox(origin, region unsafe.Pointer, row, slice, host uintptr, reads bool) (driver.ImageBox, driver.HostImage, error) {
	box, err := m.boxOf((*corner)(origin), (*corner)(region))
	if err == nil {
		err = checkHostAccess(m.flags, reads, !reads)
	}
	if err != nil {
		return box, driver.HostImage{}, err
	}
	texels, err := m.hostImage(box, row, slice, host)
	return box, texels, err
}

//export offlink_clCopyImage
func offlink_clCopyImage(queue, from, to uintptr, fromOrigin, toOrigin, region unsafe.Pointer, count uint32, list, event *uintptr) int32 {
	return onImage(queue, from, order{count, list, event, false}, func(q driver.ImageQueue, source *image, s driver.Sync) error {
		target, err := objectOf[*image](to)
		if err != nil {
			return err
		}
		if source.desc.Format != target.desc.Format {
			return failure(formatMismatch, "a copy between images of different formats")
		}
		box, err := source.boxOf((*corner)(fromOrigin), (*corner)(region))
		if err != nil {
			return err
		}
		place, err := target.boxOf((*corner)(toOrigin), (*corner)(region))
		if err != nil {
			return err
		}
		if from == to && overlap(box, place) {
			return failure(overlappingCopy, "the boxes of a copy within an image overlap")
		}
		return q.CopyImage(target.memory, place.Origin, source.memory, box, s)
	})
}

// overlap tells whether two boxes of one size share texels.
func overlap(a, b driver.ImageBox) bool {
	for i, n := range a.Size {
		if a.Origin[i] >= b.Origin[i]+n || b.Origin[i] >= a.Origin[i]+n {
			return false
		}
	}
	return true
}

// bufferFor is a buffer with room for the texels of a box from an offset on.
func (m *image) bufferFor(handle, offset uintptr, box driver.ImageBox) (*buffer, error) {
	b, err := objectOf[*buffer](handle)
	if err != nil {
		return nil, err
	}
	_, err = b.bytes(offset, uintptr(box.Size[0]*box.Size[1]*box.Size[2]*m.texels.Size))
	return b, err
}

//export offlink_clCopyImageToBuffer
func offlink_clCopyImageToBuffer(queue, from, to uintptr, origin, region unsafe.Pointer, offset uintptr, count uint32, list, event *uintptr) int32 {
	return onImage(queue, from, order{count, list, event, false}, func(q driver.ImageQueue, m *image, s driver.Sync) error {
		box, err := m.boxOf((*corner)(origin), (*corner)(region))
		if err != nil {
			return err
		}
		b, err := m.bufferFor(to, offset, box)
		if err != nil {
			return err
		}
		return q.CopyFromImage(b.memory, b.offset+int64(offset), m.memory, box, s)
	})
}

//export offlink_clCopyBufferToImage
func offlink_clCopyBufferToImage(queue, from, to, offset uintptr, origin, region unsafe.Pointer, count uint32, list, event *uintptr) int32 {
	return onImage(queue, to, order{count, list, event, false}, func(q driver.ImageQueue, m *image, s driver.Sync) error {
		box, err := m.boxOf((*corner)(origin), (*corner)(region))
		if err != nil {
			return err
		}
		b, err := m.bufferFor(from, offset, box)
		if err != nil {
			return err
		}
		return q.CopyToImage(m.memory, box, b.memory, b.offset+int64(offset), s)
	})
}

// offlink_clFillImage takes four numbers of 32 bits, one for a depth image.
//
//export offlink_clFillImage
func offlink_clFillImage(queue, handle uintptr, color, origin, region unsafe.Pointer, count uint32, list, event *uintptr) int32 {
	return onImage(queue, handle, order{count, list, event, false}, func(q driver.ImageQueue, m *image, s driver.Sync) error {
		box, err := m.boxOf((*corner)(origin), (*corner)(region))
		if err != nil {
			return err
		}
		if color == nil {
			return failure(invalidValue, "a fill without a color")
		}
		var texel [4]uint32
		channels := len(texel)
		if m.desc.Format.Order == driver.OrderDepth {
			channels = 1
		}
		copy(texel[:], wordsAt((*uint32)(color), channels))
		return q.FillImage(m.memory, box, texel, s)
	})
}

// offlink_clMapImage returns where a box is for the host, in the image itself or in the memory
// that the image was made with, which get the box's texels; and the pitches there.
//
//export offlink_clMapImage
func offlink_clMapImage(queue, handle uintptr, block uint32, flags uint64, origin, region unsafe.Pointer, row, slice *uintptr, count uint32, list, event, out *uintptr) int32 {
	return onImage(queue, handle, order{count, list, event, block != 0}, func(q driver.ImageQueue, m *image, s driver.Sync) error {
		box, err := m.boxOf((*corner)(origin), (*corner)(region))
		if err == nil {
			err = checkMapFlags(flags, m.flags)
		}
		if err != nil {
			return err
		}
		if row == nil || slice == nil && hasSlices(m.desc.Kind) {
			return failure(invalidValue, "a map of an %v without a place for the pitches", m.desc.Kind)
		}
		if err := m.mapBox(q.(driver.Queue), s, box, flags, out); err != nil {
			return err
		}
		*row = uintptr(m.desc.RowPitch)
		if slice != nil {
			*slice = 0
			if hasSlices(m.desc.Kind) {
				*slice = uintptr(m.desc.SlicePitch)
			}
		}
		return nil
	})
}

func (m *image) mapBox(q driver.Queue, s driver.Sync, box driver.ImageBox, flags uint64, out *uintptr) error {
	offset := m.offsetOf(box.Origin)
	if m.host == 0 {
		*out = uintptr(unsafe.Pointer(unsafe.SliceData(m.texels.Data))) + offset
		return m.mapObject(q, s, *out, flags, nil, nil)
	}
	*out = m.host + offset
	host, err := m.hostImage(box, uintptr(m.desc.RowPitch), uintptr(m.desc.SlicePitch), *out)
	if err != nil {
		return err
	}
	read := func(q driver.Queue, s driver.Sync) error {
		return q.(driver.ImageQueue).ReadImage(m.memory, box, host, s)
	}
	write := func(q driver.Queue, s driver.Sync) error {
		own, err := imageQueue(q)
		if err != nil {
			return err
		}
		return own.WriteImage(m.memory, box, host, s)
	}
	return m.mapObject(q, s, *out, flags, read, write)
}
