package main

import (
	"math"

	"offlink/spirv"
)

// field is a scalar in memory, or a pointer.
type field struct {
	offset, size int
	float        bool
	pointer      spirv.ID // the type that it points to, 0 of other fields
}

// layout is the memory of a type as OpenCL C lays it out.
type layout struct {
	size, align int
	fields      []field
}

// maxFields bounds the layout of large arrays.
const maxFields = 1 << 12

func layoutOf(m *spirv.Module, id spirv.ID) layout {
	in := m.Def(id)
	switch in.Op {
	case spirv.OpTypeBool:
		return scalarLayout(1, false)
	case spirv.OpTypeInt:
		return scalarLayout(max(1, int(in.Words[1])/8), false)
	case spirv.OpTypeFloat:
		return scalarLayout(int(in.Words[1])/8, true)
	case spirv.OpTypePointer:
		l := scalarLayout(8, false)
		l.fields[0].pointer = spirv.ID(in.Words[2])
		return l
	case spirv.OpTypeVector:
		l := repeatLayout(layoutOf(m, spirv.ID(in.Words[1])), int(in.Words[2]))
		if in.Words[2] == 3 {
			l.size = l.size / 3 * 4
		}
		l.align = l.size
		return l
	case spirv.OpTypeArray:
		n, _ := m.ConstantInt(spirv.ID(in.Words[2]))
		return repeatLayout(layoutOf(m, spirv.ID(in.Words[1])), int(n))
	case spirv.OpTypeStruct:
		return structLayout(m, in)
	}
	return layout{size: 1, align: 1}
}

func scalarLayout(size int, float bool) layout {
	return layout{size, size, []field{{size: size, float: float}}}
}

func repeatLayout(l layout, n int) layout {
	out := layout{align: l.align}
	for range n {
		out.appendPart(l, out.size)
	}
	return out
}

func (l *layout) appendPart(part layout, at int) {
	for _, f := range part.fields {
		if len(l.fields) < maxFields {
			f.offset += at
			l.fields = append(l.fields, f)
		}
	}
	l.size = at + part.size
}

func structLayout(m *spirv.Module, in *spirv.Instruction) layout {
	_, packed := m.Decoration(in.Result(), spirv.DecorationCPacked)
	l := layout{align: 1}
	for _, id := range in.Words[1:] {
		part := layoutOf(m, spirv.ID(id))
		if packed {
			part.align = 1
		}
		l.align = max(l.align, part.align)
		l.appendPart(part, alignUp(l.size, part.align))
	}
	l.size = alignUp(l.size, l.align)
	return l
}

func alignUp(n, align int) int { return (n + align - 1) / max(align, 1) * align }

// plan is the numbers that arguments are made of.
type plan struct{ small, large uint64 }

// plans are tried one after the other until the kernel runs and changes memory. Numbers of
// up to 32 bits often are dimensions, and those of 64 bits sizes and offsets.
var plans = []plan{{1, 4}, {1, 1}, {1, 16}, {2, 8}, {4, 64}, {1, 0}, {0, 0}, {3, 2}}

// fieldValue is a field of an argument.
func (p plan) fieldValue(f field) uint64 {
	switch {
	case f.float && f.size == 8:
		return math.Float64bits(1.5)
	case f.float && f.size == 4:
		return uint64(math.Float32bits(1.5))
	case f.float:
		return 0x3e00
	case f.size == 8:
		return p.large
	}
	return p.small
}

// elementValue returns the bits of field number n of a buffer: numbers from a small range
// that a half can represent exactly.
func elementValue(f field, n int) uint64 {
	v := float64(n*7%23-5) * 0.375
	if seed != 0 && f.float {
		v = randomElement(uint64(n))
	}
	switch {
	case f.float && f.size == 8:
		return math.Float64bits(v)
	case f.float && f.size == 4:
		return uint64(math.Float32bits(float32(v)))
	case f.float:
		return halfBits(v)
	case f.size == 8:
		return uint64(n%4) + 1
	case seed != 0 && f.size < 8:
		return randomBits(uint64(n))%13 + 1 // many are indexes and counts
	}
	return uint64(n*5%13) + 1
}

// seed makes the elements of buffers random; -seed sets it.
var seed uint64

// randomElement returns a number of a range in which few functions overflow, and that a half
// can represent exactly.
func randomElement(n uint64) float64 { return float64(int64(randomBits(n)%2048)-1024) / 128 }

// randomBits hashes the number of an element with the seed (SplitMix64).
func randomBits(n uint64) uint64 {
	z := (n + seed) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return (z ^ z>>31) >> 1
}

// halfBits converts a number that a half has exactly.
func halfBits(v float64) uint64 {
	if v == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(math.Abs(v))
	bits := uint64(exponent+14)<<10 + uint64((fraction*2-1)*1024)
	if v < 0 {
		bits |= 1 << 15
	}
	return bits
}
