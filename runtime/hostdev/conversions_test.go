package hostdev

import (
	"math"
	"math/big"
	"testing"
)

// Conversions are compared with conversions of big numbers.

type number interface {
	integer | float32 | float64
}

// modes are the roundings of a row of the kernels in conversions.cl, the
// first and the last one the default.
var (
	intModes   = []rounding{roundZero, roundEven, roundZero, roundUp, roundDown, roundZero}
	floatModes = []rounding{roundEven, roundEven, roundZero, roundUp, roundDown, roundEven}
)

// exactRat is the number, nil if it is none.
func exactRat[T number](v T) *big.Rat {
	if T(1)/2 != 0 {
		return new(big.Rat).SetFloat64(float64(v)) // nil for infinities and NaN
	}
	if v < 0 {
		return new(big.Rat).SetInt64(int64(v))
	}
	return new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(v)))
}

// toIntegral rounds to an integer.
func toIntegral(v *big.Rat, mode rounding) *big.Int {
	down := new(big.Int).Div(v.Num(), v.Denom()) // rounds down: the denominator is positive
	rest := new(big.Rat).Sub(v, new(big.Rat).SetInt(down))
	half := rest.Cmp(big.NewRat(1, 2))
	up := false
	switch mode {
	case roundEven:
		up = half > 0 || half == 0 && down.Bit(0) == 1
	case roundZero:
		up = v.Sign() < 0 && rest.Sign() != 0
	case roundUp:
		up = rest.Sign() != 0
	}
	if up {
		down.Add(down, big.NewInt(1))
	}
	return down
}

// truncated is the conversion of a float without saturation, which is not defined out of range:
// narrow integers are cut from one of 32 bits.
func truncated[T integer](v *big.Int) T {
	if width, _, _, _ := properties[T](); width >= 32 {
		return saturated[T](v)
	}
	return wrapped[T](toBig(saturated[int32](v)))
}

func testToInt[F number, T integer](t *testing.T, p *testProgram, in []F, from, to string) {
	out := p.buffer(make([]T, 6*len(in)))
	p.launch(from+"_to_"+to, items(len(in)), p.buffer(in), out)
	got := readBuffer[T](p, out)
	_, _, low, high := properties[T]()
	for i, v := range in {
		exact := exactRat(v)
		for k, mode := range intModes {
			var want T
			switch f := float64(v); {
			case exact != nil:
				n := toIntegral(exact, mode)
				if k == 5 && F(1)/2 == 0 { // between integers the low bits are kept
					want = wrapped[T](n)
					break
				}
				want = saturated[T](n)
				if k == 5 {
					want = truncated[T](n)
				}
			case k == 5 && math.IsInf(f, 0):
				want = truncated[T](new(big.Int).Lsh(big.NewInt(int64(math.Copysign(1, f))), 100))
			case math.IsInf(f, 1):
				want = wrapped[T](high)
			case math.IsInf(f, -1):
				want = wrapped[T](low)
			}
			if got[6*i+k] != want {
				t.Errorf("%s to %s, row %d: %v becomes %v; want %v", from, to, k, v, got[6*i+k], want)
			}
		}
	}
}

// toFloat rounds to a float of that precision, as a big one.
func toFloat[F number, T float32 | float64](v F, mode rounding, ft floatType[T]) T {
	exact := exactRat(v)
	if exact == nil || exact.Sign() == 0 {
		return T(v)
	}
	bigMode := map[rounding]big.RoundingMode{
		roundEven: big.ToNearestEven, roundZero: big.ToZero, roundUp: big.ToPositiveInf, roundDown: big.ToNegativeInf,
	}[mode]
	// A number below the least normal one has fewer bits.
	precision := int(ft.precision)
	one := new(big.Float).SetPrec(2000).SetRat(exact)
	least := map[uint]int{24: -126, 53: -1022}[ft.precision]
	if exponent := one.MantExp(nil) - 1; exponent < least {
		precision -= least - exponent
	}
	largest := float64(ft.from(ft.bits(T(math.Inf(1))) - 1))
	size := new(big.Float).Abs(one)
	negative := exact.Sign() < 0
	away := mode == roundUp && !negative || mode == roundDown && negative
	if precision < 1 {
		smallest := ft.from(1)
		if precision == 0 && mode == roundEven {
			away = size.Cmp(new(big.Float).SetFloat64(float64(smallest)/2)) > 0
		}
		return signedFloat(map[bool]T{true: smallest}[away], negative)
	}
	rounded := new(big.Float).SetMode(bigMode).SetPrec(uint(precision)).Set(one)
	if new(big.Float).Abs(rounded).Cmp(new(big.Float).SetFloat64(largest)) > 0 {
		if away || mode == roundEven {
			return signedFloat(T(math.Inf(1)), negative)
		}
		return signedFloat(T(largest), negative)
	}
	f, _ := rounded.Float64()
	return T(f)
}

func signedFloat[T float32 | float64](v T, negative bool) T {
	if negative {
		return -v
	}
	return v
}

func testToFloat[F number, T float32 | float64](t *testing.T, p *testProgram, in []F, from string, ft floatType[T]) {
	out := p.buffer(make([]T, 6*len(in)))
	p.launch(from+"_to_"+ft.name, items(len(in)), p.buffer(in), out)
	got := readBuffer[T](p, out)
	for i, v := range in {
		for k, mode := range floatModes {
			if want := toFloat(v, mode, ft); !sameFloat(ft, got[6*i+k], want, false) {
				t.Errorf("%s to %s, row %d: %v becomes %v; want %v", from, ft.name, k, v, got[6*i+k], want)
			}
		}
	}
}

func testFrom[F number](t *testing.T, p *testProgram, from string, in []F) {
	testToInt[F, int8](t, p, in, from, "char")
	testToInt[F, uint8](t, p, in, from, "uchar")
	testToInt[F, int16](t, p, in, from, "short")
	testToInt[F, uint16](t, p, in, from, "ushort")
	testToInt[F, int32](t, p, in, from, "int")
	testToInt[F, uint32](t, p, in, from, "uint")
	testToInt[F, int64](t, p, in, from, "long")
	testToInt[F, uint64](t, p, in, from, "ulong")
	testToFloat(t, p, in, from, singles)
	testToFloat(t, p, in, from, doubles)
}

// integersAround are the ends of the range of T and of narrower types, and
// the neighbours of numbers that a float can represent.
func integersAround[T integer]() []T {
	_, _, low, high := properties[T]()
	var list []T
	for _, shift := range []uint{0, 7, 8, 15, 16, 23, 24, 25, 31, 32, 53, 54, 63} {
		for delta := int64(-3); delta <= 3; delta++ {
			for _, sign := range []int64{1, -1} {
				v := new(big.Int).Lsh(big.NewInt(sign), shift)
				if v.Add(v, big.NewInt(delta)); v.Cmp(low) >= 0 && v.Cmp(high) <= 0 {
					list = append(list, wrapped[T](v))
				}
			}
		}
	}
	return append(list, wrapped[T](low), wrapped[T](high), wrapped[T](new(big.Int).Div(high, big.NewInt(3))))
}

func floatsAround[T float32 | float64](ft floatType[T]) []T {
	list := specials(ft)
	for _, shift := range []int{-150, -30, -1, 0, 7, 8, 15, 16, 24, 31, 32, 40, 62, 63, 64, 127} {
		for _, delta := range []int{-2, -1, 0, 1, 2} {
			v := ft.from(ft.bits(T(math.Ldexp(1, shift))) + uint64(delta))
			list = append(list, v, -v, v+0.5, -v-0.5)
		}
	}
	return list
}

func TestConversions(t *testing.T) {
	eachLevel(t, "conversions.cl", func(t *testing.T, p *testProgram) {
		testFrom(t, p, "char", integersAround[int8]())
		testFrom(t, p, "uchar", integersAround[uint8]())
		testFrom(t, p, "short", integersAround[int16]())
		testFrom(t, p, "ushort", integersAround[uint16]())
		testFrom(t, p, "int", integersAround[int32]())
		testFrom(t, p, "uint", integersAround[uint32]())
		testFrom(t, p, "long", integersAround[int64]())
		testFrom(t, p, "ulong", integersAround[uint64]())
		testFrom(t, p, "float", floatsAround(singles))
		testFrom(t, p, "double", floatsAround(doubles))
		testVectorConversions(t, p)
	})
}

func testVectorConversions(t *testing.T, p *testProgram) {
	in := []float32{0.5, 1.5, -2.5, 300}
	out, bytes := p.buffer(make([]int32, 4)), p.buffer(make([]uint8, 4))
	p.launch("vector_conversions", items(1), p.buffer(in), out, bytes)
	check(t, p, "integers", out, []int32{0, 2, -2, 300})
	check(t, p, "bytes", bytes, []uint8{0, 1, 0, 255})
}
