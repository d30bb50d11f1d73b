package hostdev

import (
	"math"
	"math/big"
	"testing"
)

// floatType is how the tests of floats see one of the types.
type floatType[T float32 | float64] struct {
	name      string
	precision uint // bits of a significand
	bits      func(T) uint64
	from      func(uint64) T
	fma       func(x, y, z T) T
}

var singles = floatType[float32]{
	"float", 24,
	func(f float32) uint64 { return uint64(math.Float32bits(f)) },
	func(v uint64) float32 { return math.Float32frombits(uint32(v)) },
	exactFMA[float32],
}

var doubles = floatType[float64]{"double", 53, math.Float64bits, math.Float64frombits, exactFMA[float64]}

// exactFMA computes with big numbers and rounds once.
func exactFMA[T float32 | float64](x, y, z T) T {
	a, b, c := float64(x), float64(y), float64(z)
	if a != a || b != b || c != c || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) || a == 0 || b == 0 {
		return T(math.FMA(a, b, c))
	}
	exact := func(f float64) *big.Float { return new(big.Float).SetPrec(3000).SetFloat64(f) }
	sum := exact(a)
	sum.Mul(sum, exact(b)).Add(sum, exact(c))
	if sum.Sign() == 0 {
		return T(math.FMA(a, b, c)) // for the sign of zero
	}
	if single, _ := sum.Float32(); T(0.1) == T(float32(0.1)) {
		return T(single)
	}
	double, _ := sum.Float64()
	return T(double)
}

// specials are numbers at the ends of ranges, ties, infinities and NaNs.
func specials[T float32 | float64](ft floatType[T]) []T {
	inf, nan := math.Inf(1), math.NaN()
	list := []T{
		0, T(math.Copysign(0, -1)), 1, -1, 0.5, 1.5, -1.5, 2.5, -2.5, 3, 7.25, 1e-3, -123.456, 1e6,
		T(inf), T(-inf), T(nan), ft.from(1), ft.from(5), T(1) / 3,
	}
	largest := ft.from(ft.bits(T(inf)) - 1)
	smallest := ft.from(uint64(1) << (ft.precision - 1)) // the least normal number
	return append(list, largest, -largest, smallest, -smallest, T(1)+ft.from(ft.bits(1)+1)-1)
}

func pairs[T any](list []T) (a, b []T) {
	for _, x := range list {
		for _, y := range list {
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b
}

func arithmetic[T float32 | float64](ft floatType[T], x, y T) []T {
	a, b := float64(x), float64(y)
	one := func(f float64) T { return T(f) }
	least, most := T(math.Min(a, b)), T(math.Max(a, b))
	if a != a {
		least, most = y, y
	} else if b != b {
		least, most = x, x
	}
	fdim := T(0)
	if !(x <= y) {
		fdim = x - y
	}
	clamped := x
	if clamped < -1 || a != a {
		clamped = -1
	}
	if clamped > 2 {
		clamped = 2
	}
	maxmag := most
	if math.Abs(a) > math.Abs(b) {
		maxmag = x
	} else if math.Abs(b) > math.Abs(a) {
		maxmag = y
	}
	return []T{
		x + y, x - y, x * y, x / y, -x, ft.fma(x, y, 1.5), T(x*y) + 1.5, least, most,
		one(math.Abs(a)), T(math.Sqrt(a)), one(math.Floor(a)), one(math.Ceil(a)), one(math.Trunc(a)),
		one(math.RoundToEven(a)), one(math.Round(a)), one(math.Copysign(a, b)), one(math.Mod(a, b)),
		one(math.Remainder(a, b)), fdim, clamped, next(ft, x, y), maxmag, x * 8,
	}
}

func next[T float32 | float64](ft floatType[T], x, y T) T {
	if ft.precision == 24 {
		return T(math.Nextafter32(float32(x), float32(y)))
	}
	return T(math.Nextafter(float64(x), float64(y)))
}

// sameFloat takes all NaNs for one, and the zeros apart unless either may
// come out.
func sameFloat[T float32 | float64](ft floatType[T], x, y T, anyZero bool) bool {
	switch {
	case x != x || y != y:
		return x != x && y != y
	case anyZero && x == 0 && y == 0:
		return true
	}
	return ft.bits(x) == ft.bits(y)
}

func testArithmetic[T float32 | float64](t *testing.T, p *testProgram, ft floatType[T]) {
	a, b := pairs(specials(ft))
	var want []T
	for i := range a {
		want = append(want, arithmetic(ft, a[i], b[i])...)
	}
	out := p.buffer(make([]T, len(want)))
	p.launch("arithmetic_"+ft.name, items(len(a)), p.buffer(a), p.buffer(b), out)
	got, row := readBuffer[T](p, out), len(want)/len(a)
	for i := range want {
		op := i % row
		anyZero := op == 7 || op == 8 || op == 21 || op == 22
		if op == 20 && a[i/row] != a[i/row] {
			continue // clamp of NaN is not defined
		}
		if !sameFloat(ft, got[i], want[i], anyZero) {
			t.Errorf("%s: operation %d of %v and %v = %v (%#x); want %v (%#x)", ft.name, op, a[i/row], b[i/row],
				got[i], ft.bits(got[i]), want[i], ft.bits(want[i]))
		}
	}
}

func bitsOf(tests ...bool) int32 {
	v := int32(0)
	for i, holds := range tests {
		if holds {
			v |= 1 << i
		}
	}
	return v
}

func testComparisons[T float32 | float64](t *testing.T, p *testProgram, ft floatType[T]) {
	a, b := pairs(specials(ft))
	var want []int32
	smallest := ft.from(uint64(1) << (ft.precision - 1))
	for i := range a {
		x, y := a[i], b[i]
		f := float64(x)
		nan, inf := x != x, math.IsInf(f, 0)
		size := x
		if size < 0 {
			size = -size
		}
		ordered := x == x && y == y
		want = append(want,
			bitsOf(x == y, x != y, x < y, x <= y, x > y, x >= y, !(x < y), !(x <= y), !(x > y), !(x >= y), !(x == y)),
			bitsOf(nan, inf, !nan && !inf, !nan && !inf && size >= smallest, math.Signbit(f), ordered, !ordered,
				x < y || x > y, x == y, x != y, x > y, x >= y, x < y, x <= y))
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("comparisons_"+ft.name, items(len(a)), p.buffer(a), p.buffer(b), out)
	for i, got := range readBuffer[int32](p, out) {
		if got != want[i] {
			t.Errorf("%s: tests %d of %v and %v = %#b; want %#b", ft.name, i%2, a[i/2], b[i/2], got, want[i])
		}
	}
}

func testSplits[T float32 | float64](t *testing.T, p *testProgram, ft floatType[T]) {
	var in []T
	for _, v := range append(specials(ft), T(-1)*ft.from(ft.bits(T(math.Ldexp(1, -40))))) {
		if f := float64(v); f == f && !math.IsInf(f, 0) {
			in = append(in, v)
		}
	}
	out, iout := p.buffer(make([]T, 5*len(in))), p.buffer(make([]int32, 4*len(in)))
	p.launch("splits_"+ft.name, items(len(in)), p.buffer(in), out, iout)
	got, igot := readBuffer[T](p, out), readBuffer[int32](p, iout)
	for i, v := range in {
		f := float64(v)
		whole, fraction := math.Modf(f)
		significand, exponent := math.Frexp(f)
		below := ft.from(ft.bits(1) - 1)
		fract := min(T(f-math.Floor(f)), below)
		want := []T{fract, T(math.Floor(f)), T(fraction), T(whole), T(significand)}
		for k := range want {
			if !sameFloat(ft, got[5*i+k], want[k], true) {
				t.Errorf("%s: part %d of %v = %v; want %v", ft.name, k, v, got[5*i+k], want[k])
			}
		}
		if igot[4*i] != int32(exponent) {
			t.Errorf("%s: frexp of %v gives exponent %d; want %d", ft.name, v, igot[4*i], exponent)
		}
		if v != 0 && (igot[4*i+1] != int32(exponent-1) || igot[4*i+3] != int32(exponent-1)) {
			t.Errorf("%s: ilogb and logb of %v = %d and %d; want %d", ft.name, v, igot[4*i+1], igot[4*i+3], exponent-1)
		}
		if q := lowQuotient(f, 0.75); igot[4*i+2] != q {
			t.Errorf("%s: remquo(%v, 0.75) gives quotient %d; want %d", ft.name, v, igot[4*i+2], q)
		}
	}
}

// lowQuotient is the low 7 bits of the nearest integer to x / y, with its
// sign, computed exactly.
func lowQuotient(x, y float64) int32 {
	q := new(big.Rat).Quo(new(big.Rat).SetFloat64(math.Abs(x)), new(big.Rat).SetFloat64(y))
	twice := new(big.Int).Quo(new(big.Int).Mul(q.Num(), big.NewInt(2)), q.Denom())
	n := new(big.Int).Rsh(twice, 1)
	rest := new(big.Rat).Sub(q, new(big.Rat).SetInt(n))
	half := rest.Cmp(big.NewRat(1, 2))
	if half > 0 || half == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(1))
	}
	low := int32(new(big.Int).And(n, big.NewInt(127)).Int64())
	if x < 0 {
		return -low
	}
	return low
}

func TestFloats(t *testing.T) {
	eachLevel(t, "floats.cl", func(t *testing.T, p *testProgram) {
		testArithmetic(t, p, singles)
		testArithmetic(t, p, doubles)
		testComparisons(t, p, singles)
		testComparisons(t, p, doubles)
		testSplits(t, p, singles)
		testSplits(t, p, doubles)
		testVectorCompare(t, p)
	})
}

func testVectorCompare(t *testing.T, p *testProgram) {
	nan := float32(math.NaN())
	a, b := []float32{1, nan, 3, 4}, []float32{2, 1, 3, 3}
	out := p.buffer(make([]int32, 4))
	p.launch("vector_compare", items(1), p.buffer(a), p.buffer(b), out)
	check(t, p, "results", out, []int32{-1 - 4, -2 - 4, 0, -4})
}
