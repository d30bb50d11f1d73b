package imageformat

import (
	"encoding/binary"
	"math"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/half"
)

// Texel is a color: red, green, blue, alpha. Each is the bits of a float, or an
// integer of 32 bits, by the class of the format.
type Texel [4]uint32

// Decode reads the texel at the start of data.
func (f *Format) Decode(data []byte) Texel {
	t := f.filler(true)
	for _, c := range f.stored {
		if c.component != unused {
			t[c.component] = f.decodeChannel(c, f.bitsOf(data, c))
		}
	}
	return f.spread(t)
}

// filler has the components that no channel sets: 0, and 1 for alpha.
func (f *Format) filler(opaque bool) (t Texel) {
	switch {
	case !opaque:
	case f.Class == ClassFloat:
		t[3] = math.Float32bits(1)
	default:
		t[3] = 1
	}
	return t
}

// spread copies the single channel of the orders that have it in several components.
func (f *Format) spread(t Texel) Texel {
	switch {
	case f.order.replicate:
		return Texel{t[0], t[0], t[0], t[0]}
	case f.order.luminance:
		t[1], t[2] = t[0], t[0]
	}
	return t
}

// Border is the color outside an image that is read with AddressClamp.
func (f *Format) Border() Texel { return f.filler(f.order.opaque) }

// bitsOf reads a channel. Those of packed types lie in one little-endian word.
func (f *Format) bitsOf(data []byte, c channel) uint32 {
	if width(f.Type) == 0 {
		return packedWord(data, f.Size) >> c.at & (1<<c.bits - 1)
	}
	switch data = data[c.at/8:]; c.bits {
	case 8:
		return uint32(data[0])
	case 16:
		return uint32(binary.LittleEndian.Uint16(data))
	}
	return binary.LittleEndian.Uint32(data)
}

func packedWord(data []byte, size int) uint32 {
	if size == 2 {
		return uint32(binary.LittleEndian.Uint16(data))
	}
	return binary.LittleEndian.Uint32(data)
}

// decodeChannel makes a component of the bits of a channel. The least number of a signed
// normalized channel would be less than -1, and is -1.
func (f *Format) decodeChannel(c channel, v uint32) uint32 {
	switch f.Type {
	case driver.SignedInt8:
		return uint32(int8(v))
	case driver.SignedInt16:
		return uint32(int16(v))
	case driver.SignedInt32, driver.UnsignedInt8, driver.UnsignedInt16, driver.UnsignedInt32, driver.Float:
		return v
	case driver.HalfFloat:
		return math.Float32bits(half.ToFloat(uint16(v)))
	case driver.SnormInt8:
		return math.Float32bits(max(-1, float32(int8(v))/127))
	case driver.SnormInt16:
		return math.Float32bits(max(-1, float32(int16(v))/32767))
	}
	x := float32(v) / float32(uint32(1)<<c.bits-1)
	if f.srgb && c.component != 3 {
		x = linearOf(x)
	}
	return math.Float32bits(x)
}

// Encode writes a texel at the start of data. Numbers out of the range of a channel
// become its least or greatest; floats are rounded to nearest even.
func (f *Format) Encode(data []byte, t Texel) {
	word := uint32(0)
	for _, c := range f.stored {
		v := uint32(0)
		if c.component != unused {
			v = f.encodeChannel(c, t[c.component])
		}
		switch {
		case width(f.Type) == 0:
			word |= v << c.at
		case c.bits == 8:
			data[c.at/8] = byte(v)
		case c.bits == 16:
			binary.LittleEndian.PutUint16(data[c.at/8:], uint16(v))
		default:
			binary.LittleEndian.PutUint32(data[c.at/8:], v)
		}
	}
	switch {
	case width(f.Type) != 0:
	case f.Size == 2:
		binary.LittleEndian.PutUint16(data, uint16(word))
	default:
		binary.LittleEndian.PutUint32(data, word)
	}
}

// encodeChannel is the reverse of decodeChannel, with saturation.
func (f *Format) encodeChannel(c channel, v uint32) uint32 {
	x := math.Float32frombits(v)
	switch f.Type {
	case driver.SignedInt8, driver.SignedInt16:
		limit := int32(1)<<(c.bits-1) - 1
		return uint32(min(max(int32(v), -limit-1), limit))
	case driver.UnsignedInt8, driver.UnsignedInt16:
		return min(v, 1<<c.bits-1)
	case driver.SignedInt32, driver.UnsignedInt32, driver.Float:
		return v
	case driver.HalfFloat:
		return uint32(half.FromFloat(x, half.Even))
	case driver.SnormInt8, driver.SnormInt16:
		limit := float32(int32(1)<<(c.bits-1) - 1)
		return uint32(roundClamped(x*limit, -limit-1, limit))
	}
	if f.srgb && c.component != 3 {
		x = srgbOf(x)
	}
	limit := float32(uint32(1)<<c.bits - 1)
	return uint32(roundClamped(x*limit, 0, limit))
}

// roundClamped is a saturating conversion, which makes 0 of a NaN.
func roundClamped(x, low, high float32) int32 {
	if x != x {
		return 0
	}
	return int32(math.RoundToEven(float64(min(max(x, low), high))))
}

// linearOf is the transfer function of sRGB, and srgbOf its inverse (OpenCL C
// Specification, 8.3.1.3).
func linearOf(x float32) float32 {
	if x <= 0.04045 {
		return float32(float64(x) / 12.92)
	}
	return float32(math.Pow((float64(x)+0.055)/1.055, 2.4))
}

func srgbOf(x float32) float32 {
	switch v := float64(x); {
	case v != v || v <= 0:
		return 0
	case v >= 1:
		return 1
	case v < 0.0031308:
		return float32(12.92 * v)
	default:
		return float32(float64(1.055*math.Pow(v, 1/2.4)) - 0.055) // not fused, on any processor
	}
}
