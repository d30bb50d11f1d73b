package hostdev

import "math"

// The functions of OpenCL C that package math does not have, or not with the
// precision that OpenCL requires for doubles (OpenCL C, "Relative error as
// ULPs").

type float interface{ float32 | float64 }

// mad rounds twice, as the conversion forbids Go to fuse (Go specification,
// "Floating-point operators"); so every processor gives the same bits.
func mad[T float](x, y, z T) T { return T(x*y) + z }

// mix is x + (y - x) a as OpenCL C defines it, the product rounded for the same
// reason.
func mix[T float](x, y, a T) T { return x + T((y-x)*a) }

func fdim[T float](x, y T) T {
	if x <= y {
		return 0
	}
	return x - y // NaN too
}

// maxmag and minmag of equal magnitudes are fmax and fmin (OpenCL C, "Math
// Functions").
func maxmag(x, y float64) float64 {
	switch {
	case math.Abs(x) > math.Abs(y):
		return x
	case math.Abs(y) > math.Abs(x):
		return y
	}
	return maxNumber(x, y)
}

func minmag(x, y float64) float64 {
	switch {
	case math.Abs(x) < math.Abs(y):
		return x
	case math.Abs(y) < math.Abs(x):
		return y
	}
	return minNumber(x, y)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return x
	}
	return 0 // NaN
}

func step(edge, x float64) float64 {
	if x < edge {
		return 0
	}
	return 1
}

func smoothstep(low, high, x float64) float64 {
	t := minNumber(maxNumber((x-low)/(high-low), 0), 1)
	return t * t * (3 - 2*t)
}

// nextafter is a row by width: the next number has the next pattern of bits.
var nextafter = binaryFloat{
	func(a, b uint64) uint64 { return nextPattern(a, b, float64(half32of(a)), float64(half32of(b)), 1<<15) },
	func(a, b uint64) uint64 {
		return nextPattern(a, b, float64(float32of(a)), float64(float32of(b)), 1<<31)
	},
	func(a, b uint64) uint64 { return nextPattern(a, b, float64of(a), float64of(b), 1<<63) },
}

// nextPattern works on the bits of x and y, a and b: without the sign, the patterns of
// floats are in the order of their magnitudes.
func nextPattern(a, b uint64, x, y float64, signBit uint64) uint64 {
	switch {
	case x != x:
		return a
	case y != y || x == y:
		return b
	case x == 0:
		return b&signBit | 1
	case (x < y) == (x > 0):
		return a + 1
	}
	return a - 1
}

// sinpi is sin(pi x): the argument is reduced exactly before it is multiplied
// by pi.
func sinpi(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	r := math.Mod(x, 2)
	if r == 0 || math.Abs(r) == 1 {
		return math.Copysign(0, x)
	}
	if r > 1 {
		r -= 2
	} else if r < -1 {
		r += 2
	}
	if math.Abs(r) > 0.5 { // sin(pi r) = sin(pi (1 - r))
		r = math.Copysign(1, r) - r
	}
	if math.Abs(r) > 0.25 {
		return math.Copysign(math.Cos(math.Pi*(0.5-math.Abs(r))), r)
	}
	return math.Sin(math.Pi * r)
}

// cospi is cos(pi x). It takes the sine where the cosine is small, which has
// more correct bits there.
func cospi(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	r := math.Mod(math.Abs(x), 2)
	if r > 1 {
		r = 2 - r
	}
	switch {
	case r == 0.5:
		return 0
	case r > 0.5:
		return -cospi(1 - r)
	case r > 0.25:
		return math.Sin(math.Pi * (0.5 - r))
	}
	return math.Cos(math.Pi * r)
}

// tanpi has a pole of alternating sign between integers.
func tanpi(x float64) float64 {
	s, c := sinpi(x), cospi(x)
	if c == 0 {
		return math.Inf(int(s))
	}
	return s / c
}

// sinh and cosh do not overflow before their result does.
func sinh(x float64) float64 {
	if math.Abs(x) > 700 {
		half := math.Exp(math.Abs(x) / 2)
		return math.Copysign(half/2*half, x)
	}
	return math.Sinh(x)
}

func cosh(x float64) float64 {
	if math.Abs(x) > 700 {
		half := math.Exp(math.Abs(x) / 2)
		return half / 2 * half
	}
	return math.Cosh(x)
}

// ldexp limits the exponent, which is a number of the kernel: twice the range
// of doubles is far enough, and an int may have 32 bits.
func ldexp(x float64, n int64) float64 {
	return math.Ldexp(x, int(max(-1<<20, min(1<<20, n))))
}

func fract(x float64) (result, floor float64) {
	floor = math.Floor(x)
	switch {
	case math.IsInf(x, 0):
		return math.Copysign(0, x), x
	case x != x:
		return x, x
	}
	return x - floor, floor
}

// modf gives a fraction with the sign of the number, also where it is zero, as
// C does.
func modf(x float64) (fraction, whole float64) {
	whole = math.Trunc(x)
	if math.IsInf(x, 0) {
		return math.Copysign(0, x), x
	}
	return math.Copysign(x-whole, x), whole
}

// remquo is the remainder of x / y and the low 7 bits of the quotient, with
// its sign.
func remquo(x, y float64) (float64, int) {
	r := math.Remainder(x, y)
	if r != r || math.IsInf(y, 0) {
		return r, 0
	}
	rest := math.Abs(x) // OpenCL requires only the low 7 bits of the quotient
	// The product below would overflow otherwise; a quotient by so large a
	// number is small already.
	if math.Abs(y) < math.MaxFloat64/256 {
		rest = math.Mod(rest, 128*math.Abs(y))
	}
	magnitude := r
	if math.Signbit(x) {
		magnitude = -r
	}
	q := int(math.RoundToEven((rest-magnitude)/math.Abs(y))) & 127
	if math.Signbit(x) != math.Signbit(y) {
		return r, -q
	}
	return r, q
}

// rootn is the n-th root: a power, corrected by a step of Newton's method.
func rootn(x float64, n int64) float64 {
	odd := n&1 == 1
	switch {
	case n == 0 || x != x || x < 0 && !odd:
		return math.NaN()
	case x == 0 && !odd:
		x = 0
	case x < 0:
		return -rootn(-x, n)
	}
	if x == 0 || math.IsInf(x, 0) {
		if (n < 0) == (x == 0) {
			return math.Copysign(math.Inf(1), x)
		}
		return math.Copysign(0, x)
	}
	if x < 0x1p-1000 && -1000 <= n && n <= 1000 {
		return denormalRoot(x, n)
	}
	// 1/n is rounded, and the error grows with the logarithm of x; one step of
	// Newton's method on r^n - x takes it back.
	r := pow(x, 1/float64(n))
	back := pow(r, float64(n))
	if back == 0 || math.IsInf(back, 0) {
		return r
	}
	return r + r*((x-back)/back)/float64(n)
}

// denormalRoot is rootn of a number that has too few bits to compare a power with:
// it is scaled by a power of two whose root is one too.
func denormalRoot(x float64, n int64) float64 {
	size := int(max(n, -n))
	steps := (100 + size - 1) / size
	root := rootn(math.Ldexp(x, steps*size), n)
	if n < 0 {
		return math.Ldexp(root, steps)
	}
	return math.Ldexp(root, -steps)
}

// powr is pow for x >= 0, with the results that follow from exp(y log x).
func powr(x, y float64) float64 {
	switch {
	case x < 0 || x != x || y != y,
		x == 0 && y == 0, math.IsInf(x, 1) && y == 0, x == 1 && math.IsInf(y, 0):
		return math.NaN()
	}
	return pow(math.Abs(x), y)
}

// Numbers of two doubles: high + low, where low is below the last bit of high.

type dd struct{ high, low float64 }

func fastTwoSum(x, y float64) dd {
	sum := x + y
	return dd{sum, y - (sum - x)}
}

func (a dd) add(b dd) dd {
	high, rest := twoSum(a.high, b.high)
	return fastTwoSum(high, rest+a.low+b.low)
}

// mul converts the products explicitly: without the conversion Go may fuse one with
// a later sum, and each processor would have bits of its own.
func (a dd) mul(b dd) dd {
	high := float64(a.high * b.high)
	rest := math.FMA(a.high, b.high, -high)
	cross := float64(a.high*b.low) + float64(a.low*b.high)
	return fastTwoSum(high, rest+cross)
}

func (a dd) div(b dd) dd {
	q := a.high / b.high
	rest := a.add(b.mul(dd{-q, 0}))
	return fastTwoSum(q, (rest.high+rest.low)/b.high)
}

// Constants to 106 bits.
var (
	ln2dd    = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	ln10dd   = dd{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}
	log2e    = dd{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}
	log10e   = dd{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}
	sqrtHalf = 0x1.6a09e667f3bcdp-1
)

// logDD is the natural logarithm of a positive finite number, to about 100
// bits: log m = 2 atanh((m - 1) / (m + 1)) for a significand m near 1.
func logDD(x float64) dd {
	m, e := math.Frexp(x)
	if m < sqrtHalf {
		m, e = 2*m, e-1
	}
	s := dd{m - 1, 0}.div(fastTwoSum(1, m)) // m - 1 is exact
	square := s.mul(s)
	sum := dd{}
	// The series of atanh: s is at most 0.172, so that the first term that is
	// left out is below 2^-100.
	for k := 37; k >= 3; k -= 2 {
		sum = square.mul(sum.add(dd{1, 0}.div(dd{float64(k), 0})))
	}
	log := s.add(s.mul(sum))
	log = log.add(log)
	return ln2dd.mul(dd{float64(e), 0}).add(log)
}

// expDD is e to a number of two doubles.
func expDD(a dd) float64 {
	e := math.Exp(a.high)
	if e == 0 || math.IsInf(e, 0) {
		return e
	}
	return e + float64(e*a.low)
}

// tgamma uses package math for small arguments only: its results for others
// have too few correct bits.
func tgamma(x float64) float64 {
	switch {
	case x > 20 && x < 200:
		return expDD(logGammaDD(x))
	case x < -20 && x > -200 && x != math.Trunc(x):
		log := logGammaDD(-x)
		return expDD(dd{-log.high, -log.low}) * (math.Pi / (-x * sinpi(x)))
	}
	return math.Gamma(x)
}

var halfLogTau = dd{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55} // log(2 pi) / 2

// logGammaDD is the logarithm of the gamma function for x > 20, by Stirling's
// series.
func logGammaDD(x float64) dd {
	log := logDD(x).mul(dd{x - 0.5, 0}).add(dd{-x, 0}).add(halfLogTau)
	r := 1 / (x * x)
	series := 691.0/360360 - r/156
	for _, term := range [...]float64{1.0 / 1188, 1.0 / 1680, 1.0 / 1260, 1.0 / 360, 1.0 / 12} {
		series = term - float64(r*series)
	}
	return log.add(dd{series / x, 0})
}

func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// log is math.Log, which takes denormal numbers for others on amd64.
func log(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		return logDD(x).high
	}
	return math.Log(x)
}

// lgamma is math.Lgamma, which takes the logarithm of a small number itself.
func lgamma(x float64) (float64, int) {
	v, sign := math.Lgamma(x)
	if -0x1p-1022 < x && x < 0x1p-1022 && x != 0 {
		v = -log(math.Abs(x))
	}
	return v, sign
}

// log2of is exact for powers of two, whose fraction is 1/2.
func log2of(x float64) float64 {
	if frac, e := math.Frexp(x); frac == 0.5 {
		return float64(e - 1)
	}
	if !isPositive(x) {
		return math.Log(x)
	}
	return logDD(x).mul(log2e).high
}

func log10(x float64) float64 {
	if !isPositive(x) {
		return math.Log(x)
	}
	return logDD(x).mul(log10e).high
}

// exp10 is exact for integers. Beyond 400 the result is infinite or zero, and
// ln 10 x would make infinities in the arithmetic of two doubles.
func exp10(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 400:
		return math.Inf(1)
	case x < -400:
		return 0
	case x == math.Trunc(x):
		return math.Pow10(int(x))
	}
	return expDD(ln10dd.mul(dd{x, 0}))
}

// pow uses package math for the special cases and for small powers that are
// exact: its other results have too few correct bits.
func pow(x, y float64) float64 {
	special := x == 0 || x == 1 || x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0)
	if special || y == math.Trunc(y) && math.Abs(y) <= 3 || x < 0 && y != math.Trunc(y) {
		return math.Pow(x, y)
	}
	power := logDD(math.Abs(x)).mul(dd{y, 0})
	// e^800 overflows and e^-800 is zero; larger numbers would make infinities
	// in the arithmetic of two doubles.
	if math.Abs(power.high) > 800 || power.high != power.high {
		power = dd{math.Copysign(800, power.high), 0}
	}
	result := expDD(power)
	if x < 0 && math.Mod(y, 2) != 0 {
		return -result
	}
	return result
}
