package main

import (
	"encoding/binary"
	"math"
	"regexp"
	"strings"
)

// signature is a kernel as its source declares it: SPIR-V has the types of
// values, but not the elements of a pointer that was opaque.
type signature struct {
	name       string
	parameters []parameter
}

// parameter is one of a kernel's: memory or a value.
type parameter struct {
	space   string // "global", "constant", "local", or "" for a value
	element string // the scalar type
	output  bool   // the kernel may write it: it begins as zeros
}

var (
	kernelHead = regexp.MustCompile(`(?s)\b(?:kernel|OFFLINK_KERNEL)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)*void\s+(\w+)\s*\(([^)]*)\)`)
	scalarType = regexp.MustCompile(`\b(uchar|char|ushort|short|uint|int|ulong|long|half|float|double|size_t)`)
)

// parseSignatures finds the kernels of a source.
func parseSignatures(source string) (list []signature) {
	for _, m := range kernelHead.FindAllStringSubmatch(source, -1) {
		s := signature{name: m[1]}
		for text := range strings.SplitSeq(m[2], ",") {
			if strings.TrimSpace(text) != "" && strings.TrimSpace(text) != "void" {
				s.parameters = append(s.parameters, parseParameter(text))
			}
		}
		list = append(list, s)
	}
	return list
}

func parseParameter(text string) parameter {
	p := parameter{element: scalarType.FindString(text)}
	if p.element == "" {
		p.element = "uint" // structs, whose members are made of words
	}
	lower := strings.ToLower(text)
	for _, space := range []string{"global", "constant", "local"} {
		if strings.Contains(text, "*") && strings.Contains(lower, space) {
			p.space = space
		}
	}
	p.output = p.space == "global" && !strings.Contains(text, "const")
	return p
}

// The first elements of buffers are at the edges of conversions and of overflow. Those after
// them have no pattern.
var (
	edgeIntegers = []uint64{0, 1, 2, 3, ^uint64(0), 7, 100, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0x7fffffffffffffff, 1 << 63, 31, 33}
	edgeFloats   = []float64{0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3.75, -0.25, 100.25, -1000.5, 127.5, 255.5, 65000, 0.1, -7, 30000.75, 2}
)

// number returns element i of a buffer of a scalar type, as bits.
func number(element string, i int) (bits uint64, size int) {
	hash := (uint64(i)*0x9e3779b97f4a7c15 + 0x1234567) ^ uint64(i)<<17
	hash ^= hash >> 29
	f := edgeFloats[i%len(edgeFloats)]
	if i >= len(edgeFloats) {
		f = float64(int64(hash%200001)-100000) / 128
	}
	n := edgeIntegers[i%len(edgeIntegers)]
	if i >= len(edgeIntegers) {
		n = hash
	}
	switch element {
	case "uchar", "char":
		return n & 0xff, 1
	case "ushort", "short":
		return n & 0xffff, 2
	case "ulong", "long", "size_t":
		return n, 8
	case "half":
		return uint64(halfBits(float32(f))), 2
	case "float":
		return uint64(math.Float32bits(float32(f))), 4
	case "double":
		return math.Float64bits(f), 8
	}
	return n & 0xffffffff, 4
}

// halfBits converts to a half, rounding towards zero: an exact conversion is not needed.
func halfBits(f float32) uint16 {
	bits := math.Float32bits(f)
	exponent := int(bits>>23&0xff) - 127 + 15
	if exponent <= 0 {
		return uint16(bits >> 16 & 0x8000)
	}
	return uint16(bits>>16&0x8000) | uint16(min(exponent, 30))<<10 | uint16(bits>>13&0x3ff)
}

// fillBuffer returns the content of a buffer.
func (p *parameter) fillBuffer(size int) []byte {
	data := make([]byte, size)
	if p.output {
		return data
	}
	for at, i := 0, 0; at < size; i++ {
		bits, n := number(p.element, i)
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		at += copy(data[at:], word[:n])
	}
	return data
}

// fillValue returns an argument by value: small numbers, so that loops by it end.
func (p *parameter) fillValue(size int) []byte {
	data := make([]byte, size)
	for at, i := 0, 0; at < size; i++ {
		_, n := number(p.element, 0)
		bits := uint64(i + 3)
		switch p.element {
		case "half":
			bits = uint64(halfBits(float32(i) + 2.5))
		case "float":
			bits = uint64(math.Float32bits(float32(i) + 2.5))
		case "double":
			bits = math.Float64bits(float64(i) + 2.5)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		at += copy(data[at:], word[:n])
	}
	return data
}
