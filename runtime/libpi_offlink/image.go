package main

import "C" // for the exports

import (
	"errors"
	"slices"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	"offlink/runtime/internal/dl"
)

// Images as objects of OpenCL: their creation and their queries. Commands on them are in
// image_transfer.go.

// image is memory with a format, which keeps in use the memory that it shares.
type image struct {
	memory driver.ImageMemory
	desc   driver.ImageDesc // with its pitches
	texels hostdev.Texels
	flags  uint64
	parent uintptr // the handle of the buffer or image whose memory it shares, 0 for none
	// host is the memory that the host gave for the image, with the pitches of desc, 0 if
	// none. A map returns it.
	host uintptr
	mapped
}

// Close releases the memory.
func (m *image) Close() error {
	err := m.memory.Close()
	if m.parent != 0 {
		releaseHandle(m.parent)
	}
	return err
}

// offsetOf is where a texel lies, in bytes.
func (m *image) offsetOf(at [3]int) uintptr {
	row := m.desc.RowPitch
	if m.desc.Kind == driver.Image1DArray {
		row = m.desc.SlicePitch
	}
	return uintptr(int64(at[0]*m.texels.Size) + int64(at[1])*row + int64(at[2])*m.desc.SlicePitch)
}

// hasSlices tells whether images of a kind have a slice pitch.
func hasSlices(kind driver.ImageKind) bool {
	return kind == driver.Image3D || hasLayers(kind)
}

func hasLayers(kind driver.ImageKind) bool {
	return kind == driver.Image1DArray || kind == driver.Image2DArray
}

// Types of images (cl.h).
var imageTypes = map[uint32]driver.ImageKind{
	0x10F1: driver.Image2D, 0x10F2: driver.Image3D, 0x10F3: driver.Image2DArray,
	0x10F4: driver.Image1D, 0x10F5: driver.Image1DArray, 0x10F6: driver.Image1DBuffer,
}

// imageTypeOf is the number of a kind.
func imageTypeOf(kind driver.ImageKind) uint32 {
	for number, of := range imageTypes {
		if of == kind {
			return number
		}
	}
	return 0
}

// imageDesc is a cl_image_desc.
type imageDesc struct {
	kind                 uint32
	width, height, depth uintptr
	layers               uintptr
	rowPitch, slicePitch uintptr
	levels, samples      uint32
	memory               uintptr // a native handle
}

// Codes of OpenCL for images.
const (
	overlappingCopy       = -8
	formatMismatch        = -9
	formatNotSupported    = -10
	invalidHostPointer    = -37
	invalidImageFormat    = -39
	invalidImageSize      = -40
	invalidImageDesc      = -65
	memoryFailure         = -4
	mostPitch             = 1 << 36 // of the device
	mostTexels            = 1 << 31 // of one dimension, beyond all that the device has
	kernelReadWriteMemory = 1 << 12
)

// descOf is the device's description for the host's. The memory to share is filled in later.
func descOf(format *driver.ImageFormat, d *imageDesc) (desc driver.ImageDesc, err error) {
	if format == nil {
		return desc, failure(invalidImageFormat, "an image without a format")
	}
	if d == nil || imageTypes[d.kind] == 0 || d.levels != 0 || d.samples != 0 {
		return desc, failure(invalidImageDesc, "an image without a description, of an unknown type, or with levels or samples")
	}
	if max(d.width, d.height, d.depth, d.layers) > mostTexels {
		return desc, failure(invalidImageSize, "an image of %d by %d by %d texels, %d layers", d.width, d.height, d.depth, d.layers)
	}
	if max(d.rowPitch, d.slicePitch) > mostPitch {
		return desc, failure(invalidImageDesc, "pitches of %d and %d bytes", d.rowPitch, d.slicePitch)
	}
	desc = driver.ImageDesc{
		Kind: imageTypes[d.kind], Format: *format, Width: int(d.width), Height: int(d.height), Depth: int(d.depth),
		Layers: int(d.layers), RowPitch: int64(d.rowPitch), SlicePitch: int64(d.slicePitch),
	}
	if !hasSlices(desc.Kind) {
		desc.SlicePitch = 0
	}
	if !slices.Contains(device().ImageFormats(desc.Kind), *format) {
		if format.Order < driver.OrderR || format.Order > driver.OrderABGR || format.Type < driver.SnormInt8 || format.Type > driver.UnormInt101010Two {
			return desc, failure(invalidImageFormat, "there is no image format of order %#x and type %#x", uint32(format.Order), uint32(format.Type))
		}
		return desc, failure(formatNotSupported, "the image format of order %#x and type %#x is not supported", uint32(format.Order), uint32(format.Type))
	}
	return desc, nil
}

// checkSize returns an error unless the device has images of the sizes.
func checkSize(d *driver.ImageDesc) error {
	for _, size := range sizesOf(d) {
		if size[0] < 1 || size[0] > size[1] {
			return failure(invalidImageSize, "an %v with a size of %d; the device has at most %d", d.Kind, size[0], size[1])
		}
	}
	return nil
}

// sizesOf are the sizes that an image has, each with its limit.
func sizesOf(d *driver.ImageDesc) [][2]int {
	switch d.Kind {
	case driver.Image1DBuffer:
		return [][2]int{{d.Width, hostdev.MaxImageBuffer}}
	case driver.Image1DArray:
		return [][2]int{{d.Width, hostdev.MaxImageWidth}, {d.Layers, hostdev.MaxImageLayers}}
	case driver.Image2D:
		return [][2]int{{d.Width, hostdev.MaxImageWidth}, {d.Height, hostdev.MaxImageWidth}}
	case driver.Image2DArray:
		return [][2]int{{d.Width, hostdev.MaxImageWidth}, {d.Height, hostdev.MaxImageWidth}, {d.Layers, hostdev.MaxImageLayers}}
	case driver.Image3D:
		return [][2]int{{d.Width, hostdev.MaxImageDepth}, {d.Height, hostdev.MaxImageDepth}, {d.Depth, hostdev.MaxImageDepth}}
	}
	return [][2]int{{d.Width, hostdev.MaxImageWidth}}
}

// offlink_clCreateImage makes an image. Pitches are for the host's memory; the image has them
// too, so that maps have them.
//
//export offlink_clCreateImage
func offlink_clCreateImage(contextHandle uintptr, flags uint64, format, description unsafe.Pointer, host uintptr, out *uintptr) int32 {
	return perform(func() error {
		if _, err := objectOf[*deviceContext](contextHandle); err != nil {
			return err
		}
		d := (*imageDesc)(description)
		desc, err := descOf((*driver.ImageFormat)(format), d)
		if err == nil {
			err = errors.Join(checkMemoryFlags(flags), checkSize(&desc), checkHost(flags, host, d))
		}
		if err != nil {
			return err
		}
		m := &image{flags: flags}
		if d.memory != 0 {
			if err := m.share(&desc, offlink_handle_of(d.memory)); err != nil {
				return err
			}
		}
		if err := m.allocate(desc); err != nil {
			return err
		}
		if err := m.takeHost(host); err != nil {
			return errors.Join(err, m.memory.Close())
		}
		if m.parent != 0 {
			retainHandle(m.parent)
		}
		*out = newHandle(m, contextHandle)
		return nil
	})
}

// checkHost returns an error unless the host gives memory where the flags say so. Pitches are
// those of that memory, or of a buffer's that the image shares.
func checkHost(flags uint64, host uintptr, d *imageDesc) error {
	if (host != 0) != (flags&(useHostMemory|copyHostMemory) != 0) {
		return failure(invalidHostPointer, "memory of the host for an image, and no flag for it, or the reverse")
	}
	if host == 0 && d.memory == 0 && (d.rowPitch != 0 || d.slicePitch != 0) {
		return failure(invalidImageDesc, "pitches for an image without memory of the host")
	}
	return nil
}

// share has the image take the memory of a buffer or of another image.
func (m *image) share(desc *driver.ImageDesc, handle uintptr) error {
	if b, err := objectOf[*buffer](handle); err == nil {
		desc.Buffer, desc.Offset = b.memory, b.offset
		m.parent, m.flags = handle, inheritedFlags(m.flags, b.flags)
		return nil
	}
	of, err := objectOf[*image](handle)
	if err != nil || desc.Kind != driver.Image2D || of.desc.Kind != driver.Image2D || desc.Width != of.desc.Width || desc.Height != of.desc.Height || desc.Format.Type != of.desc.Format.Type {
		return failure(invalidImageDesc, "the memory is neither a buffer nor an image2d of the size and channel type of this one")
	}
	desc.Buffer, desc.RowPitch = of.memory, of.desc.RowPitch
	if of.desc.Buffer != nil {
		desc.Offset = of.desc.Offset
	}
	m.parent, m.flags = handle, inheritedFlags(m.flags, of.flags)
	return nil
}

func (m *image) allocate(desc driver.ImageDesc) error {
	memory, err := device().NewImage(desc)
	if errors.Is(err, driver.ErrOutOfResources) {
		return failure(memoryFailure, "%v", err)
	}
	if err != nil {
		return failure(invalidImageDesc, "%v", err)
	}
	m.memory, m.desc = memory, memory.Desc()
	m.texels, _ = hostdev.TexelsOf(memory)
	if b, err := objectOf[*buffer](m.parent); err == nil && desc.Offset+int64(len(m.texels.Data)) > b.offset+b.size {
		return errors.Join(failure(invalidImageDesc, "the image takes %d bytes, and its buffer has %d", len(m.texels.Data), b.size), memory.Close())
	}
	return nil
}

// takeHost copies the memory that the host gives.
func (m *image) takeHost(host uintptr) error {
	if host == 0 {
		return nil
	}
	if m.parent != 0 {
		return failure(invalidHostPointer, "memory of the host for an image that shares memory")
	}
	copy(m.texels.Data, dl.Bytes(host, len(m.texels.Data)))
	if m.flags&useHostMemory != 0 {
		m.host = host
	}
	return nil
}

// Queries of images (cl.h).
const (
	imageFormatInfo = 0x1110 + iota
	imageElementSize
	imageRowPitch
	imageSlicePitch
	imageWidth
	imageHeight
	imageDepth
	imageArraySize
	imageBuffer
	imageLevels
	imageSamples
)

//export offlink_clGetImageInfo
func offlink_clGetImageInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error {
		m, err := objectOf[*image](handle)
		if err != nil {
			return err
		}
		return reply(m.imageAnswer(param), param, room, out, size)
	})
}

func (m *image) imageAnswer(param uint32) answer {
	d := &m.desc
	switch param {
	case imageFormatInfo:
		return append(word32(uint32(d.Format.Order)), word32(uint32(d.Format.Type))...)
	case imageBuffer:
		if _, err := objectOf[*buffer](m.parent); err != nil {
			return words64(0)
		}
		return words64(int(m.parent))
	case imageLevels, imageSamples:
		return word32(0)
	case imageElementSize:
		return words64(m.texels.Size)
	case imageRowPitch:
		return words64(int(d.RowPitch))
	}
	return m.extentAnswer(param)
}

// extentAnswer has 0 for sizes that the kind lacks.
func (m *image) extentAnswer(param uint32) answer {
	d := &m.desc
	n, has := 0, true
	switch param {
	case imageSlicePitch:
		n, has = int(d.SlicePitch), hasSlices(d.Kind)
	case imageWidth:
		n = d.Width
	case imageHeight:
		n, has = d.Height, d.Kind == driver.Image2D || d.Kind == driver.Image2DArray || d.Kind == driver.Image3D
	case imageDepth:
		n, has = d.Depth, d.Kind == driver.Image3D
	case imageArraySize:
		n, has = d.Layers, hasLayers(d.Kind)
	default:
		return nil
	}
	if !has {
		n = 0
	}
	return words64(n)
}

// memoryAnswer answers the queries of all memory objects.
func (m *image) memoryAnswer(handle uintptr, param uint32) answer {
	switch param {
	case memorySize:
		return words64(len(m.texels.Data))
	case memoryType:
		return word32(imageTypeOf(m.desc.Kind))
	case memoryOffset:
		return words64(0)
	}
	return commonAnswer(handle, param, m.flags, m.host, m.parent, m.count())
}

//export offlink_clGetSupportedImageFormats
func offlink_clGetSupportedImageFormats(contextHandle uintptr, flags uint64, kind, room uint32, out unsafe.Pointer, count *uint32) int32 {
	return perform(func() error {
		if _, err := objectOf[*deviceContext](contextHandle); err != nil {
			return err
		}
		if err := checkMemoryFlags(flags &^ kernelReadWriteMemory); err != nil {
			return err
		}
		if imageTypes[kind] == 0 || (room == 0 && out != nil) {
			return failure(invalidValue, "formats of the image type %#x, room for %d", kind, room)
		}
		list := device().ImageFormats(imageTypes[kind])
		if count != nil {
			*count = uint32(len(list))
		}
		copy(wordsAt((*driver.ImageFormat)(out), int(room)), list)
		return nil
	})
}
