package hostdev

import (
	"errors"
	"fmt"
	"sync/atomic"

	"offlink/lazy"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/imageformat"
)

// Images are memory of the device with a format. The formats and the filters are
// the package imageformat's; all executors call it, so that they agree on every bit.
// In a kernel an image is its number among the images of the launch, plus one: a
// number that code has made up leads nowhere else.

// The greatest sizes of images, in texels.
const (
	MaxImageWidth  = imageformat.MaxWidth  // and height
	MaxImageDepth  = imageformat.MaxDepth  // all sizes of an image of three dimensions
	MaxImageLayers = imageformat.MaxLayers // of an array
	MaxImageBuffer = imageformat.MaxBuffer // of an image that is a buffer
)

// imageMemory is an image.
type imageMemory struct {
	memory *memory // its own, or that of the buffer that it shares
	image  *imageformat.Image
	shared bool
	left   atomic.Bool // Close was called, and the buffer stays
}

// Size is the bytes of the image.
func (m *imageMemory) Size() int64 { return int64(len(m.image.Data)) }

// Kind is DeviceMemory, or that of the buffer.
func (m *imageMemory) Kind() driver.MemoryKind { return m.memory.kind }

// Desc describes the image with its pitches.
func (m *imageMemory) Desc() driver.ImageDesc { return m.image.Desc }

// Close frees the memory, unless it is a buffer's.
func (m *imageMemory) Close() error {
	if m.shared {
		m.left.Store(true)
		return nil
	}
	return m.memory.Close()
}

// closed tells whether the image or its buffer was closed. Launches from before go on
// until the texels are gone.
func (m *imageMemory) closed() bool { return m.left.Load() || m.memory.closed.Load() }

// ImageFormats lists the formats of images, all of which kernels may read and write.
func (d *Device) ImageFormats(kind driver.ImageKind) []driver.ImageFormat {
	return imageformat.Formats(kind)
}

// NewImage makes an image of zeros, or of the memory of a buffer.
func (d *Device) NewImage(desc driver.ImageDesc) (driver.ImageMemory, error) {
	if err := d.injectedFailure("NewImage"); err != nil {
		return nil, err
	}
	image, err := imageformat.New(desc)
	if err != nil {
		return nil, fmt.Errorf("NewImage: %w", err)
	}
	own := &imageMemory{image: image}
	if desc.Buffer == nil {
		desc.Offset = 0
	}
	switch {
	case desc.Buffer != nil:
		err = own.shareBuffer(d, desc)
	case desc.Kind == driver.Image1DBuffer:
		err = errors.New("it has no buffer")
	default:
		own.memory, err = d.heap.allocate(d, driver.DeviceMemory, image.Bytes(), 0)
	}
	if err != nil {
		return nil, fmt.Errorf("NewImage: %w", err)
	}
	if !own.shared {
		d.noteAllocation(own.memory)
	}
	image.Data = own.memory.data[desc.Offset:][:image.Bytes()]
	return own, nil
}

// shareBuffer puts the texels into a buffer, or into the memory of another image, which stays
// its owner's: closing the image does not free it.
func (m *imageMemory) shareBuffer(d *Device, desc driver.ImageDesc) (err error) {
	if desc.Kind != driver.Image1DBuffer && desc.Kind != driver.Image2D {
		return errors.New("only images of one or two dimensions share a buffer")
	}
	if m.memory, err = d.memoryUnder(desc.Buffer, m.image); err != nil {
		return err
	}
	if size := m.image.Bytes(); desc.Offset < 0 || desc.Offset > m.memory.Size() || size > m.memory.Size()-desc.Offset {
		return fmt.Errorf("the image takes %d bytes from offset %d on, and its buffer has %d", size, desc.Offset, m.memory.Size())
	}
	m.shared = true
	return nil
}

// memoryUnder is the memory that an image is to share.
func (d *Device) memoryUnder(m driver.Memory, image *imageformat.Image) (*memory, error) {
	of, ok := m.(*imageMemory)
	if !ok {
		return d.ownMemory(m)
	}
	if of, err := d.ownImage(of); err != nil {
		return nil, err
	} else if of.image.Size != image.Size {
		return nil, fmt.Errorf("texels of %d bytes cannot share those of %d", image.Size, of.image.Size)
	}
	return of.memory, nil
}

// Texels is the memory of an image, for hosts in this process.
type Texels struct {
	Data []byte
	Size int // bytes of a texel
}

// TexelsOf is the memory of an image of the embedded device. It is valid until the image, or the
// buffer that it shares, is closed; commands change it without a lock.
func TexelsOf(m driver.ImageMemory) (Texels, bool) {
	own, ok := m.(*imageMemory)
	if !ok {
		return Texels{}, false
	}
	return Texels{own.image.Data, own.image.Size}, true
}

func (d *Device) ownImage(m driver.Memory) (*imageMemory, error) {
	own, ok := m.(*imageMemory)
	if !ok || own.memory.device != d {
		return nil, errors.New("it is not an image of this device")
	}
	if own.closed() {
		return nil, errors.New("the image, or its buffer, was closed")
	}
	return own, nil
}

// CheckImageBox returns an error unless the box lies inside the image, which is one of the
// embedded device.
func CheckImageBox(m driver.ImageMemory, box driver.ImageBox) error {
	own, ok := m.(*imageMemory)
	if !ok {
		return errors.New("it is not an image of this device")
	}
	return own.image.CheckBox(box)
}

// Arguments.

// imageShape is the part of an image's type that arguments must have.
type imageShape struct {
	dimension uint32 // Dim of SPIR-V
	arrayed   bool
	depth     bool
}

// imageKinds are the kinds of images that a type takes.
var imageKinds = lazy.Map[imageShape, driver.ImageKind]{New: func() map[imageShape]driver.ImageKind {
	return map[imageShape]driver.ImageKind{
		{dimension: dim1D}: driver.Image1D, {dimension: dimBuffer}: driver.Image1DBuffer,
		{dimension: dim1D, arrayed: true}: driver.Image1DArray,
		{dimension: dim2D}:                driver.Image2D, {dimension: dim2D, arrayed: true}: driver.Image2DArray,
		{dimension: dim2D, depth: true}: driver.Image2D, {dimension: dim2D, arrayed: true, depth: true}: driver.Image2DArray,
		{dimension: dim3D}: driver.Image3D,
	}
}}

// setImage takes an image of the shape that the parameter has.
func (l *launch) setImage(p *param, arg *driver.Arg) error {
	if arg.Memory == nil || len(arg.Value) != 0 || arg.LocalSize != 0 || arg.Sampler != nil {
		return errors.New("the parameter is an image; the argument must be one")
	}
	m, err := l.device.ownImage(arg.Memory)
	if err != nil {
		return fmt.Errorf("the parameter is an image: %w", err)
	}
	if want := imageKinds.Get()[p.t.shape]; m.image.Desc.Kind != want {
		return fmt.Errorf("the image is %v, and the parameter %v", m.image.Desc.Kind, want)
	}
	if (m.image.Desc.Format.Order == driver.OrderDepth) != p.t.shape.depth {
		return errors.New("depth images and others are not of the same type")
	}
	l.images = append(l.images, m)
	l.args = append(l.args, uint64(len(l.images)))
	return nil
}

func (l *launch) setSampler(arg *driver.Arg) error {
	if arg.Sampler == nil || arg.Memory != nil || len(arg.Value) != 0 || arg.LocalSize != 0 {
		return errors.New("the parameter is a sampler; the argument must be one")
	}
	s := *arg.Sampler
	if s.Addressing < driver.AddressNone || s.Addressing > driver.AddressMirroredRepeat {
		return fmt.Errorf("%#x is not an addressing mode", uint32(s.Addressing))
	}
	if !s.Normalized && s.Addressing >= driver.AddressRepeat {
		return errors.New("a sampler that repeats has normalized coordinates")
	}
	l.args = append(l.args, samplerWord(s))
	return nil
}

// A sampler is a word: the addressing mode less the least one, and two flags.
const (
	samplerMode       = 7
	samplerNormalized = 1 << 3
	samplerLinear     = 1 << 4
)

func samplerWord(s driver.Sampler) uint64 {
	w := uint64(s.Addressing - driver.AddressNone)
	if s.Normalized {
		w |= samplerNormalized
	}
	if s.Linear {
		w |= samplerLinear
	}
	return w
}

func samplerOf(word uint64) driver.Sampler {
	mode := min(driver.AddressNone+driver.AddressingMode(word&samplerMode), driver.AddressMirroredRepeat)
	return driver.Sampler{Normalized: word&samplerNormalized != 0, Linear: word&samplerLinear != 0, Addressing: mode}
}
