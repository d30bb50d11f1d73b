// Package imageformat reads and writes the texels of images as OpenCL defines it
// (The OpenCL Specification, 5.3, and the OpenCL C Specification, 8): formats,
// coordinates, filters. Memory is a slice; concurrent use is up to the caller.
package imageformat

import (
	"fmt"
	"slices"

	"offlink/lazy"
	"offlink/runtime/driver"
)

// Class is how a kernel reads texels of a format: read_imagef, read_imagei or
// read_imageui.
type Class uint8

// The classes.
const (
	ClassFloat Class = iota
	ClassSigned
	ClassUnsigned
)

// Format is a supported format, ready for use.
type Format struct {
	driver.ImageFormat
	Class  Class
	Size   int // bytes of a texel
	stored []channel
	order  *order
	srgb   bool
}

// channel is one stored channel: its place in the texel, and the component of the
// color.
type channel struct {
	at, bits  int // in bits
	component int // 0 to 3, or unused
}

const unused = -1

// order is a channel order: the component of each stored channel, and how the
// others are filled.
type order struct {
	components []int
	replicate  bool // the first channel is every component
	luminance  bool // the first channel is red, green and blue
	opaque     bool // alpha of the border is 1
	srgb       bool
	types      []driver.ChannelType
}

var (
	normals   = []driver.ChannelType{driver.SnormInt8, driver.SnormInt16, driver.UnormInt8, driver.UnormInt16, driver.HalfFloat, driver.Float}
	bytesOnly = []driver.ChannelType{driver.SnormInt8, driver.UnormInt8, driver.SignedInt8, driver.UnsignedInt8}
	packed    = []driver.ChannelType{driver.UnormShort565, driver.UnormShort555, driver.UnormInt101010}
	srgbOnly  = []driver.ChannelType{driver.UnormInt8}
	general   = []driver.ChannelType{
		driver.SnormInt8, driver.SnormInt16, driver.UnormInt8, driver.UnormInt16,
		driver.SignedInt8, driver.SignedInt16, driver.SignedInt32,
		driver.UnsignedInt8, driver.UnsignedInt16, driver.UnsignedInt32, driver.HalfFloat, driver.Float,
	}
)

// orders is the table "List of supported image channel orders" with the rules of
// "List of supported image channel data types".
var orders = lazy.Map[driver.ChannelOrder, *order]{New: func() map[driver.ChannelOrder]*order {
	return map[driver.ChannelOrder]*order{
		driver.OrderR:         {components: []int{0}, opaque: true, types: general},
		driver.OrderA:         {components: []int{3}, types: general},
		driver.OrderRG:        {components: []int{0, 1}, opaque: true, types: general},
		driver.OrderRA:        {components: []int{0, 3}, types: general},
		driver.OrderRGB:       {components: []int{0, 1, 2}, opaque: true, types: packed},
		driver.OrderRGBA:      {components: []int{0, 1, 2, 3}, types: append(slices.Clone(general), driver.UnormInt101010Two)},
		driver.OrderBGRA:      {components: []int{2, 1, 0, 3}, types: bytesOnly},
		driver.OrderARGB:      {components: []int{3, 0, 1, 2}, types: bytesOnly},
		driver.OrderABGR:      {components: []int{3, 2, 1, 0}, types: bytesOnly},
		driver.OrderIntensity: {components: []int{0}, replicate: true, types: normals},
		driver.OrderLuminance: {components: []int{0}, luminance: true, opaque: true, types: normals},
		driver.OrderRx:        {components: []int{0, unused}, types: general},
		driver.OrderRGx:       {components: []int{0, 1, unused}, types: general},
		driver.OrderRGBx:      {components: []int{0, 1, 2}, types: packed},
		driver.OrderDepth:     {components: []int{0}, opaque: true, types: []driver.ChannelType{driver.UnormInt16, driver.Float}},
		driver.OrderSRGB:      {components: []int{0, 1, 2}, srgb: true, opaque: true, types: srgbOnly},
		driver.OrderSRGBx:     {components: []int{0, 1, 2, unused}, srgb: true, types: srgbOnly},
		driver.OrderSRGBA:     {components: []int{0, 1, 2, 3}, srgb: true, types: srgbOnly},
		driver.OrderSBGRA:     {components: []int{2, 1, 0, 3}, srgb: true, types: srgbOnly},
	}
}}

// width is the bits of a channel of a type, 0 of types with channels of several
// widths.
func width(t driver.ChannelType) int {
	switch t {
	case driver.SnormInt8, driver.UnormInt8, driver.SignedInt8, driver.UnsignedInt8:
		return 8
	case driver.SnormInt16, driver.UnormInt16, driver.SignedInt16, driver.UnsignedInt16, driver.HalfFloat:
		return 16
	case driver.SignedInt32, driver.UnsignedInt32, driver.Float:
		return 32
	}
	return 0
}

// packedChannels are the bytes of a texel and its channels, red first.
func packedChannels(t driver.ChannelType) (size int, channels []channel) {
	switch t {
	case driver.UnormShort565:
		return 2, []channel{{11, 5, 0}, {5, 6, 1}, {0, 5, 2}}
	case driver.UnormShort555:
		return 2, []channel{{10, 5, 0}, {5, 5, 1}, {0, 5, 2}}
	case driver.UnormInt101010:
		return 4, []channel{{20, 10, 0}, {10, 10, 1}, {0, 10, 2}}
	case driver.UnormInt101010Two:
		return 4, []channel{{22, 10, 0}, {12, 10, 1}, {2, 10, 2}, {0, 2, 3}}
	}
	return 0, nil
}

// NewFormat prepares a format; it is an error if OpenCL does not have it.
func NewFormat(f driver.ImageFormat) (*Format, error) {
	o := orders.Get()[f.Order]
	if o == nil || !slices.Contains(o.types, f.Type) {
		return nil, fmt.Errorf("the image format of channel order %#x and type %#x is not one of OpenCL's that the embedded device has", uint32(f.Order), uint32(f.Type))
	}
	own := &Format{ImageFormat: f, order: o, srgb: o.srgb, Class: classOf(f.Type)}
	if bits := width(f.Type); bits > 0 {
		for i, component := range o.components {
			own.stored = append(own.stored, channel{i * bits, bits, component})
		}
		own.Size = len(o.components) * bits / 8
		return own, nil
	}
	own.Size, own.stored = packedChannels(f.Type)
	return own, nil
}

func classOf(t driver.ChannelType) Class {
	switch t {
	case driver.SignedInt8, driver.SignedInt16, driver.SignedInt32:
		return ClassSigned
	case driver.UnsignedInt8, driver.UnsignedInt16, driver.UnsignedInt32:
		return ClassUnsigned
	}
	return ClassFloat
}

// Formats lists the formats in order. Depth images have two dimensions.
func Formats(kind driver.ImageKind) (list []driver.ImageFormat) {
	for o := driver.OrderR; o <= driver.OrderABGR; o++ {
		if orders.Get()[o] == nil || o == driver.OrderDepth && kind != driver.Image2D && kind != driver.Image2DArray {
			continue
		}
		for _, t := range orders.Get()[o].types {
			list = append(list, driver.ImageFormat{Order: o, Type: t})
		}
	}
	return list
}
