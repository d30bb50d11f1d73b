package trace

import "offlink/runtime/driver"

// tracedImageQueue is a tracedQueue of a driver.ImageDevice.
type tracedImageQueue struct {
	*tracedQueue
	images driver.ImageQueue // the queue
}

// boxArg is the texels of a copy.
func boxArg(box driver.ImageBox) Arg { return Arg{"texels", spellSizes(box.Size[:])} }

func (q *tracedImageQueue) WriteImage(to driver.ImageMemory, box driver.ImageBox, from driver.HostImage, s driver.Sync) error {
	return q.recordCommand("copy", "write image", s, func(s driver.Sync) error { return q.images.WriteImage(to, box, from, s) }, boxArg(box))
}

func (q *tracedImageQueue) ReadImage(from driver.ImageMemory, box driver.ImageBox, to driver.HostImage, s driver.Sync) error {
	return q.recordCommand("copy", "read image", s, func(s driver.Sync) error { return q.images.ReadImage(from, box, to, s) }, boxArg(box))
}

func (q *tracedImageQueue) CopyImage(to driver.ImageMemory, toOrigin [3]int, from driver.ImageMemory, box driver.ImageBox, s driver.Sync) error {
	return q.recordCommand("copy", "copy image", s, func(s driver.Sync) error { return q.images.CopyImage(to, toOrigin, from, box, s) }, boxArg(box))
}

func (q *tracedImageQueue) CopyFromImage(to driver.Memory, toOffset int64, from driver.ImageMemory, box driver.ImageBox, s driver.Sync) error {
	return q.recordCommand("copy", "copy image to memory", s, func(s driver.Sync) error { return q.images.CopyFromImage(to, toOffset, from, box, s) }, boxArg(box))
}

func (q *tracedImageQueue) CopyToImage(to driver.ImageMemory, box driver.ImageBox, from driver.Memory, fromOffset int64, s driver.Sync) error {
	return q.recordCommand("copy", "copy memory to image", s, func(s driver.Sync) error { return q.images.CopyToImage(to, box, from, fromOffset, s) }, boxArg(box))
}

func (q *tracedImageQueue) FillImage(to driver.ImageMemory, box driver.ImageBox, color [4]uint32, s driver.Sync) error {
	return q.recordCommand("copy", "fill image", s, func(s driver.Sync) error { return q.images.FillImage(to, box, color, s) }, boxArg(box))
}
