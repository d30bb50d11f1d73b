package hostdev

import (
	"math"
	"math/bits"
)

// integral has the functions that round to an integral number, by mode.
var integral = [...]func(float64) float64{
	roundEven: math.RoundToEven, roundZero: math.Trunc, roundUp: math.Ceil, roundDown: math.Floor,
}

// doubleToSigned converts an integral number, clamped to the range of a width.
func doubleToSigned(f float64, width int) uint64 {
	limit := math.Ldexp(1, width-1)
	switch {
	case f != f:
		return 0
	case f >= limit:
		return mask(width) >> 1
	case f < -limit:
		return 1 << (width - 1)
	}
	return uint64(int64(f)) & mask(width)
}

// doubleToUnsigned converts an integral number, clamped to the range of a width.
func doubleToUnsigned(f float64, width int) uint64 {
	switch {
	case f != f || f <= 0:
		return 0
	case f >= math.Ldexp(1, width):
		return mask(width)
	case f >= 1<<63:
		return uint64(int64(f-1<<63)) | 1<<63
	}
	return uint64(int64(f))
}

// integerToFloat converts an integer to a float of a width, rounding once.
func integerToFloat(negative bool, v uint64, width int, mode rounding) uint64 {
	// Keep 55 bits and whether any lower one is set: rounded to 53 bits or
	// fewer, in any mode, this gives the same float as the number itself.
	shift := max(0, bits.Len64(v)-55)
	kept := v >> shift
	if v != kept<<shift {
		kept |= 1
	}
	f, lost := exactDouble(kept)
	return assembleFloat(negative, f, lost, shift, width, mode)
}

// exactDouble splits 55 bits into a double with the upper 53 of them and the
// rest: both are exact.
func exactDouble(v uint64) (high, low float64) {
	return float64(v &^ 3), float64(v & 3)
}

// assembleFloat rounds (high + low) * 2^shift.
func assembleFloat(negative bool, high, low float64, shift, width int, mode rounding) uint64 {
	if negative {
		high, low = -high, -low
	}
	scale := math.Ldexp(1, shift)
	if width == 64 {
		return bits64(roundSum(high*scale, low*scale, mode))
	}
	// The low part is below the last bit of a narrower float: it only
	// decides ties and directions, which the nearest odd double keeps.
	return narrow(width, mode)(oddSum(high*scale, low*scale))
}

// roundSum adds two numbers, rounding by mode. The second is smaller.
func roundSum(x, y float64, mode rounding) float64 {
	sum, rest := twoSum(x, y)
	return adjustNearest(sum, rest, mode)
}

// twoSum returns the sum of two numbers and its exact rounding error (Knuth).
func twoSum(x, y float64) (sum, rest float64) {
	sum = x + y
	back := sum - x
	return sum, (x - (sum - back)) + (y - back)
}

// adjustNearest moves the nearest number in the direction of the mode; rest is
// the exact number minus the nearest one.
func adjustNearest(nearest, rest float64, mode rounding) float64 {
	switch {
	case rest == 0 || mode == roundEven:
		return nearest
	case rest > 0 && (mode == roundUp || mode == roundZero && nearest < 0):
		return math.Nextafter(nearest, math.Inf(1))
	case rest < 0 && (mode == roundDown || mode == roundZero && nearest > 0):
		return math.Nextafter(nearest, math.Inf(-1))
	}
	return nearest
}

// oddSum adds two numbers and rounds to odd: if the sum is not exact, its last
// bit is 1. Rounding that to a float of at most half as many bits gives the same
// result as rounding the exact sum (Boldo and Melquiond).
func oddSum(x, y float64) float64 {
	sum, rest := twoSum(x, y)
	if rest == 0 || math.IsInf(sum, 0) || sum != sum {
		return sum
	}
	if v := math.Float64bits(sum); v&1 == 0 {
		if (rest > 0) == (sum > 0) {
			return math.Float64frombits(v + 1)
		}
		return math.Float64frombits(v - 1)
	}
	return sum
}

// roundToFloat narrows a double to a float by mode.
func roundToFloat(f float64, mode rounding) float32 {
	nearest := float32(f)
	if mode == roundEven || math.IsInf(f, 0) || f != f {
		return nearest
	}
	exact := float64(nearest)
	up := mode == roundUp || mode == roundZero && f < 0
	switch {
	case exact < f && up:
		return math.Nextafter32(nearest, float32(math.Inf(1)))
	case exact > f && !up:
		return math.Nextafter32(nearest, float32(math.Inf(-1)))
	}
	return nearest
}
