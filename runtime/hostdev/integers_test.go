package hostdev

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/runtime/driver"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// properties are the width and the range of a type.
func properties[T integer]() (width uint, signed bool, low, high *big.Int) {
	signed = T(0)-1 < 0
	for v := T(1); v != 0; v <<= 1 {
		width++
	}
	low, high = new(big.Int), new(big.Int).Lsh(big.NewInt(1), width)
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	return width, signed, low, high.Sub(high, big.NewInt(1))
}

func toBig[T integer](v T) *big.Int {
	if v < 0 {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(uint64(v))
}

// wrapped keeps the low bits of a number.
func wrapped[T integer](v *big.Int) T {
	low := new(big.Int).And(v, new(big.Int).SetUint64(^uint64(0))) // And works on two's complement
	return T(low.Uint64())
}

func saturated[T integer](v *big.Int) T {
	_, _, low, high := properties[T]()
	switch {
	case v.Cmp(low) < 0:
		v = low
	case v.Cmp(high) > 0:
		v = high
	}
	return wrapped[T](v)
}

// shiftedDown divides by a power of two, rounding down.
func shiftedDown(v *big.Int, n uint) *big.Int { return new(big.Int).Rsh(v, n) }

// integerResults computes the expected row of the kernel in integers.cl.
func integerResults[T integer](x, y T) []T {
	w, _, _, _ := properties[T]()
	a, b := toBig(x), toBig(y)
	sum, difference := new(big.Int).Add(a, b), new(big.Int).Sub(a, b)
	product := new(big.Int).Mul(a, b)
	var quotient, remainder T
	if y != 0 {
		quotient = wrapped[T](new(big.Int).Quo(a, b))
		remainder = wrapped[T](new(big.Int).Rem(a, b))
	}
	pattern := uint64(x)
	if w < 64 {
		pattern &= 1<<w - 1
	}
	amount := uint(uint64(y) & uint64(w-1))
	rotated := T(pattern<<amount | pattern>>(w-amount))
	comparison := 0
	for i, holds := range []bool{x == y, x != y, x < y, x <= y, x > y, x >= y} {
		if holds {
			comparison |= 1 << i
		}
	}
	three, hundred, seven, five := big.NewInt(3), big.NewInt(100), big.NewInt(7), toBig(T(0)-5)
	clamped := a
	if clamped.Cmp(three) < 0 {
		clamped = three
	}
	if clamped.Cmp(hundred) > 0 {
		clamped = hundred
	}
	high := shiftedDown(product, w)
	return []T{
		wrapped[T](sum), wrapped[T](difference), wrapped[T](product), quotient, remainder,
		x << amount, x >> amount, x & y, x | y, x ^ y, ^x, -x, T(comparison),
		min(x, y), max(x, y), wrapped[T](clamped),
		wrapped[T](new(big.Int).Abs(a)), wrapped[T](new(big.Int).Abs(difference)),
		saturated[T](sum), saturated[T](difference),
		wrapped[T](shiftedDown(sum, 1)), wrapped[T](shiftedDown(new(big.Int).Add(sum, big.NewInt(1)), 1)),
		T(bits.LeadingZeros64(pattern) - (64 - int(w))), T(bits.OnesCount64(pattern)), rotated,
		wrapped[T](high), wrapped[T](new(big.Int).Add(high, seven)),
		saturated[T](new(big.Int).Add(product, five)), T(min(bits.TrailingZeros64(pattern), int(w))),
	}
}

// operands pairs the ends of the range and random numbers.
func operands[T integer]() (a, b []T) {
	_, _, low, high := properties[T]()
	random := rand.New(rand.NewPCG(1, 2))
	values := []T{0, 1, 2, 3, 7, T(0) - 1, T(0) - 2, 100, wrapped[T](low), wrapped[T](high)}
	for range 6 {
		values = append(values, T(random.Uint64()))
	}
	for _, x := range values {
		for _, y := range values {
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b
}

func testIntegers[T integer](t *testing.T, p *testProgram, name string) {
	a, b := operands[T]()
	var want []T
	for i := range a {
		want = append(want, integerResults(a[i], b[i])...)
	}
	out := p.buffer(make([]T, len(want)))
	p.launch("ints_"+name, driver.Range{Global: []int{len(a)}}, p.buffer(a), p.buffer(b), out)
	got := readBuffer[T](p, out)
	row := len(want) / len(a)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: operation %d of %v and %v = %v; want %v", name, i%row, a[i/row], b[i/row], got[i], want[i])
		}
	}
}

func TestIntegers(t *testing.T) {
	eachLevel(t, "integers.cl", func(t *testing.T, p *testProgram) {
		testIntegers[int8](t, p, "char")
		testIntegers[uint8](t, p, "uchar")
		testIntegers[int16](t, p, "short")
		testIntegers[uint16](t, p, "ushort")
		testIntegers[int32](t, p, "int")
		testIntegers[uint32](t, p, "uint")
		testIntegers[int64](t, p, "long")
		testIntegers[uint64](t, p, "ulong")
		testMoreIntegers(t, p)
	})
}

func testMoreIntegers(t *testing.T, p *testProgram) {
	a, b := []int32{5, -7, 0x7fffff, -0x800000, 300}, []int32{9, 11, -3, 2, -400}
	low24 := func(v int32) int64 { return int64(v) & 0xffffff }
	var want []int32
	var wide []int64
	for i := range a {
		product := int32(int64(a[i]) * int64(b[i]))
		unsigned := int32(low24(a[i]) * low24(b[i]))
		want = append(want, product, product+9, unsigned, unsigned+9)
		wide = append(wide,
			int64(a[i])<<32|int64(uint32(b[i])),
			int64(int32(int16(a[i]))<<16|int32(uint16(b[i]))),
			int64(uint16(uint8(a[i]))<<8|uint16(uint8(b[i]))))
	}
	out, wideOut := p.buffer(make([]int32, len(want))), p.buffer(make([]int64, len(wide)))
	p.launch("more_ints", driver.Range{Global: []int{len(a)}}, p.buffer(a), p.buffer(b), out, wideOut)
	if diff := cmp.Diff(want, readBuffer[int32](p, out)); diff != "" {
		t.Errorf("mul24 and mad24 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wide, readBuffer[int64](p, wideOut)); diff != "" {
		t.Errorf("upsample (-want +got):\n%s", diff)
	}
}
