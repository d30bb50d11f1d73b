// Package half converts the 16-bit floats of OpenCL.
package half

import "math"

// Rounding is the mode of rounding to a narrower type.
type Rounding int

// The rounding modes, in the numbers of FPRoundingMode.
const (
	Even Rounding = iota // to nearest, ties to even
	Zero
	Up
	Down
)

// ToFloat widens a half, exactly.
func ToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exponent == 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case exponent == 0: // zero, or a denormal: fraction * 2^-24
		v := math.Float32bits(float32(fraction) * (1.0 / (1 << 24)))
		return math.Float32frombits(sign | v)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// FromFloat narrows a float.
func FromFloat(f float32, mode Rounding) uint16 { return FromDouble(float64(f), mode) }

// FromDouble narrows a double, rounding once.
func FromDouble(f float64, mode Rounding) uint16 {
	v := math.Float64bits(f)
	sign := uint16(v >> 63 << 15)
	exponent, fraction := int(v>>52&0x7ff)-1023, v&(1<<52-1)
	switch {
	case exponent == 1024 && fraction != 0:
		return sign | 0x7e00 | uint16(fraction>>42)
	case exponent == 1024:
		return sign | 0x7c00
	case exponent > 15:
		return sign | overflow(mode, sign != 0)
	}
	// The significand of 53 bits loses all but 11, and more below the least
	// normal exponent.
	significand, drop := fraction|1<<52, 42
	base := uint16(exponent+14) << 10 // the implicit bit adds one to it
	if exponent < -14 {
		drop, base = min(42-14-exponent, 63), 0
	}
	if v<<1 == 0 {
		return sign
	}
	return sign | base + uint16(RoundShift(significand, drop, mode, sign != 0))
}

// overflow is infinity, or the largest number if the mode rounds towards
// zero from this sign.
func overflow(mode Rounding, negative bool) uint16 {
	if mode == Zero || mode == Up && negative || mode == Down && !negative {
		return 0x7bff
	}
	return 0x7c00
}

// RoundShift drops the low bits of a significand, 1 to 63 of them, and rounds by the mode.
func RoundShift(v uint64, drop int, mode Rounding, negative bool) uint64 {
	kept, lost := v>>drop, v&(1<<drop-1)
	half := uint64(1) << (drop - 1)
	up := false
	switch mode {
	case Even:
		up = lost > half || lost == half && kept&1 == 1
	case Up:
		up = lost != 0 && !negative
	case Down:
		up = lost != 0 && negative
	}
	if up {
		kept++
	}
	return kept
}
