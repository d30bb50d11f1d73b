package hostdev

import (
	"math"
	"math/bits"
)

// The circular functions of doubles. Package math loses bits where arguments
// are large or near a multiple of pi/2; here every argument is reduced with as
// many bits of 2/pi as it needs (Payne and Hanek, "Radian reduction for
// trigonometric functions", 1983).

// twoOverPi has the bits of 2/pi; the highest bit of the first word is 1/2.
var twoOverPi = [20]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// halfPi and other constants to 106 bits.
var (
	halfPi    = dd{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}
	piDD      = dd{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}
	inversePi = dd{0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56}
)

// quarterPi is the bound below which an argument is not reduced.
const quarterPi = math.Pi / 4

// reduceAngle splits x into a multiple of pi/2, of which it returns the number modulo
// 4, and the rest, which is at most pi/4 in magnitude. x is finite.
func reduceAngle(x float64) (quadrant int, rest dd) {
	if math.Abs(x) < quarterPi {
		return 0, dd{x, 0}
	}
	exponent := int(math.Float64bits(x)>>52&0x7ff) - 1075
	significand := math.Float64bits(x)&(1<<52-1) | 1<<52
	// Multiples of 4 in 2/pi * 2^exponent leave the quadrant as it is.
	start := max(1, exponent-1)
	product := multiply(significand, bitsOfTwoOverPi(start))
	below := 191 + start - exponent // bits of the product after the point
	quadrant, fraction := splitQuadrant(product, below)
	rest = halfPi.mul(fraction)
	if math.Signbit(x) {
		return -quadrant & 3, dd{-rest.high, -rest.low}
	}
	return quadrant, rest
}

// bitsOfTwoOverPi is 192 bits from bit number i on, highest word first. Bit 1
// is the first.
func bitsOfTwoOverPi(i int) (w [3]uint64) {
	word, shift := (i-1)/64, (i-1)%64
	for j := range w {
		w[j] = twoOverPi[word+j]<<shift | twoOverPi[word+j+1]>>1>>(63-shift)
	}
	return w
}

// multiply is the product of 53 bits and 192, highest word first.
func multiply(a uint64, b [3]uint64) (p [4]uint64) {
	var carry, high uint64
	for j := 2; j >= 0; j-- {
		next, low := bits.Mul64(a, b[j])
		p[j+1], carry = bits.Add64(low, high, 0)
		high = next + carry
	}
	p[0] = high
	return p
}

// splitQuadrant rounds a number with below bits after the point to an integer,
// and returns its last two bits and the rest.
func splitQuadrant(p [4]uint64, below int) (quadrant int, fraction dd) {
	p = shiftLeft(p, 256-2-below)
	quadrant = int(p[0] >> 62)
	p = shiftLeft(p, 2)
	negative := p[0]>>63 == 1
	if negative {
		quadrant = (quadrant + 1) & 3
		p = negate(p)
	}
	fraction = fromBits(p)
	if negative {
		fraction.high, fraction.low = -fraction.high, -fraction.low
	}
	return quadrant, fraction
}

func shiftLeft(p [4]uint64, n int) [4]uint64 {
	for ; n >= 64; n -= 64 {
		p = [4]uint64{p[1], p[2], p[3], 0}
	}
	for j := range p {
		p[j] <<= n
		if j < 3 {
			p[j] |= p[j+1] >> 1 >> (63 - n)
		}
	}
	return p
}

func negate(p [4]uint64) [4]uint64 {
	carry := uint64(1)
	for j := 3; j >= 0; j-- {
		p[j], carry = bits.Add64(^p[j], 0, carry)
	}
	return p
}

// fromBits makes a number of a fraction of 256 bits.
func fromBits(p [4]uint64) dd {
	zeros := 0
	for p[0] == 0 && zeros < 256 {
		p, zeros = shiftLeft(p, 64), zeros+64
	}
	n := bits.LeadingZeros64(p[0])
	p, zeros = shiftLeft(p, n%64), zeros+n
	high := math.Ldexp(float64(p[0]>>11), -zeros-53)
	low := math.Ldexp(float64(p[0]<<53>>11|p[1]>>11), -zeros-53-53)
	return fastTwoSum(high, low)
}

// sinCos are the sine and the cosine of a number of two doubles of at most
// pi/4.
func sinCos(r dd) (sin, cos float64) {
	s, c := math.Sincos(r.high)
	return s + float64(r.low*c), c - float64(r.low*s)
}

// sincos has an error of less than 2 units in the last place for every argument.
func sincos(x float64) (sin, cos float64) {
	if math.IsInf(x, 0) || x != x {
		return math.NaN(), math.NaN()
	}
	quadrant, rest := reduceAngle(x)
	s, c := sinCos(rest)
	switch quadrant {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}

func sin(x float64) float64 {
	s, _ := sincos(x)
	return s
}

func cos(x float64) float64 {
	_, c := sincos(x)
	return c
}

func tan(x float64) float64 {
	s, c := sincos(x)
	return s / c
}

// halfAcos is half the arc cosine of 1 - 2z for z up to 1/4: the arc sine of
// the root of z, without the bits that 1 - z would lose.
func halfAcos(z float64) float64 {
	s := math.Sqrt(z)
	return math.Atan(s / math.Sqrt(1-z))
}

// asin computes, as acos does, with the distance of arguments near 1 from 1, which is
// exact.
func asin(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a > 1 || a != a:
		return math.NaN()
	case a > 0.5:
		return math.Copysign(halfPi.high-(2*halfAcos((1-a)/2)-halfPi.low), x)
	case a < 0x1p-27:
		return x
	}
	return math.Atan(x / math.Sqrt((1-x)*(1+x)))
}

func acos(x float64) float64 {
	switch {
	case math.Abs(x) > 1 || x != x:
		return math.NaN()
	case x > 0.5:
		return 2 * halfAcos((1-x)/2)
	case x < -0.5:
		return piDD.high - (2*halfAcos((1+x)/2) - piDD.low)
	}
	return halfPi.high - (asin(x) - halfPi.low)
}

// overPi divides by pi.
func overPi(x float64) float64 {
	return float64(x*inversePi.high) + float64(x*inversePi.low)
}
