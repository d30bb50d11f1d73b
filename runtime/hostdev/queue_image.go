package hostdev

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/imageformat"
)

// Transfers of images.

// transferImage checks a box of an image, and its layout in memory of size bytes; commands
// without such memory give a size that fits every box.
func (q *queue) transferImage(call string, m driver.ImageMemory, box driver.ImageBox, rowPitch, slicePitch, size int64) (*imageformat.Image, imageformat.Host, error) {
	if err := q.device.injectedFailure(call); err != nil {
		return nil, imageformat.Host{}, err
	}
	own, err := q.device.ownImage(m)
	if err != nil {
		return nil, imageformat.Host{}, fmt.Errorf("%s: %w", call, err)
	}
	layout, err := own.image.HostLayout(box, rowPitch, slicePitch, size)
	if err != nil {
		return nil, layout, fmt.Errorf("%s: %w", call, err)
	}
	return own.image, layout, nil
}

// WriteImage copies texels to a part of an image.
func (q *queue) WriteImage(to driver.ImageMemory, box driver.ImageBox, from driver.HostImage, s driver.Sync) error {
	m, layout, err := q.transferImage("WriteImage", to, box, from.RowPitch, from.SlicePitch, int64(len(from.Data)))
	if err != nil {
		return err
	}
	return q.enqueueCommand(&command{do: func() error { m.Load(box, layout, from.Data); return nil }}, s)
}

// ReadImage copies texels from a part of an image.
func (q *queue) ReadImage(from driver.ImageMemory, box driver.ImageBox, to driver.HostImage, s driver.Sync) error {
	m, layout, err := q.transferImage("ReadImage", from, box, to.RowPitch, to.SlicePitch, int64(len(to.Data)))
	if err != nil {
		return err
	}
	return q.enqueueCommand(&command{do: func() error { m.Store(box, layout, to.Data); return nil }}, s)
}

// CopyToImage copies texels from memory.
func (q *queue) CopyToImage(to driver.ImageMemory, box driver.ImageBox, from driver.Memory, fromOffset int64, s driver.Sync) error {
	data, err := q.restOf("CopyToImage", from, fromOffset)
	if err != nil {
		return err
	}
	m, layout, err := q.transferImage("CopyToImage", to, box, 0, 0, int64(len(data)))
	if err != nil {
		return err
	}
	return q.enqueueCommand(&command{do: func() error { m.Load(box, layout, data); return nil }}, s)
}

// CopyFromImage copies texels to memory.
func (q *queue) CopyFromImage(to driver.Memory, toOffset int64, from driver.ImageMemory, box driver.ImageBox, s driver.Sync) error {
	data, err := q.restOf("CopyFromImage", to, toOffset)
	if err != nil {
		return err
	}
	m, layout, err := q.transferImage("CopyFromImage", from, box, 0, 0, int64(len(data)))
	if err != nil {
		return err
	}
	return q.enqueueCommand(&command{do: func() error { m.Store(box, layout, data); return nil }}, s)
}

// restOf is a memory from an offset on.
func (q *queue) restOf(call string, m driver.Memory, offset int64) ([]byte, error) {
	own, err := q.device.ownMemory(m)
	if err == nil && (offset < 0 || offset > own.Size()) {
		err = fmt.Errorf("offset %d is outside a memory of %d bytes", offset, own.Size())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", call, err)
	}
	return own.data[offset:], nil
}

// CopyImage copies a box between images of one format, or within one where the boxes
// do not overlap.
func (q *queue) CopyImage(to driver.ImageMemory, toOrigin [3]int, from driver.ImageMemory, box driver.ImageBox, s driver.Sync) error {
	source, _, err := q.transferImage("CopyImage", from, box, 0, 0, 1<<62)
	if err != nil {
		return err
	}
	target, _, err := q.transferImage("CopyImage", to, driver.ImageBox{Origin: toOrigin, Size: box.Size}, 0, 0, 1<<62)
	if err != nil {
		return err
	}
	if target.Desc.Format != source.Desc.Format {
		return errors.New("CopyImage: the images are of different formats")
	}
	return q.enqueueCommand(&command{do: func() error { target.Copy(toOrigin, source, box); return nil }}, s)
}

// FillImage sets the texels of a box.
func (q *queue) FillImage(to driver.ImageMemory, box driver.ImageBox, color [4]uint32, s driver.Sync) error {
	m, _, err := q.transferImage("FillImage", to, box, 0, 0, 1<<62)
	if err != nil {
		return err
	}
	return q.enqueueCommand(&command{do: func() error { m.Fill(box, color); return nil }}, s)
}
