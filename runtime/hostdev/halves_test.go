package hostdev

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// halfValue is the number that a half stands for.
func halfValue(h uint16) float64 {
	sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// finiteHalves are the finite halves that are not negative, in order.
var finiteHalves = func() []float64 {
	var list []float64
	for h := range uint16(0x7c00) {
		list = append(list, halfValue(h))
	}
	return list
}()

// nearestHalf finds a half by search.
func nearestHalf(f float64, mode rounding) uint16 {
	sign := uint16(0)
	if math.Signbit(f) {
		sign = 0x8000
	}
	size := math.Abs(f)
	switch {
	case f != f:
		return 0x7e00
	case math.IsInf(f, 0):
		return sign | 0x7c00
	}
	at, exact := slices.BinarySearch(finiteHalves, size)
	if exact {
		return sign | uint16(at)
	}
	up := mode == roundUp && sign == 0 || mode == roundDown && sign != 0
	if mode == roundEven {
		above := 65536.0 // the number after the largest half, if halves went on
		if at < len(finiteHalves) {
			above = finiteHalves[at]
		}
		middle := new(big.Float).SetPrec(200).SetFloat64(finiteHalves[at-1])
		middle.Add(middle, big.NewFloat(above)).Quo(middle, big.NewFloat(2))
		c := new(big.Float).SetPrec(200).SetFloat64(size).Cmp(middle)
		up = c > 0 || c == 0 && at%2 == 0
	}
	if !up {
		at--
	}
	return sign | uint16(at) // after the largest half comes infinity
}

func sameHalf(a, b uint16) bool {
	return a == b || halfValue(a) != halfValue(a) && halfValue(b) != halfValue(b)
}

func TestHalfConversions(t *testing.T) {
	for h := range 1 << 16 {
		if got, want := float64(halfToFloat(uint16(h))), halfValue(uint16(h)); got != want && want == want {
			t.Errorf("halfToFloat(%#x) = %v; want %v", h, got, want)
		}
	}
	for _, f := range halfInputs() {
		for mode := roundEven; mode <= roundDown; mode++ {
			if got, want := doubleToHalf(f, mode), nearestHalf(f, mode); !sameHalf(got, want) {
				t.Errorf("doubleToHalf(%v, %d) = %#x; want %#x", f, mode, got, want)
			}
		}
	}
}

// halfInputs are numbers at and around halves and the middles between them.
func halfInputs() []float64 {
	list := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e300, 65519.999, 65520, 70000, 5e-324}
	for h := 0; h < len(finiteHalves)-1; h += 97 {
		x, y := finiteHalves[h], finiteHalves[h+1]
		middle := (x + y) / 2
		for _, f := range []float64{x, middle, math.Nextafter(middle, 0), math.Nextafter(middle, 1e9), math.Nextafter(x, 1e9)} {
			list = append(list, f, -f)
		}
	}
	return append(list, 65504, 65503.9)
}

func TestHalves(t *testing.T) {
	eachLevel(t, "halves.cl", func(t *testing.T, p *testProgram) {
		testLoadHalves(t, p)
		testStoreHalves(t, p)
		testHalfVectors(t, p)
		testHalfArithmetic(t, p)
		testHalfPlaces(t, p)
		testHalfSums(t, p)
		if o := p.options; !o.Interpret && !o.Check {
			testHalvesCompiled(t, p)
		}
	})
}

// testHalvesCompiled: no kernel with halves needs the interpreter.
func testHalvesCompiled(t *testing.T, p *testProgram) {
	for _, name := range []string{"load_halves", "store_halves", "half_vectors", "half_arithmetic", "half_places", "half_sums"} {
		k, err := p.program.Kernel(name)
		if err == nil {
			err = Interpreted(k)
		}
		if err != nil {
			t.Errorf("%s is interpreted: %v", name, err)
		}
	}
}

func testHalfPlaces(t *testing.T, p *testProgram) {
	in := counted(16, func(i int) uint16 { return nearestHalf(float64(i*i)-7.75, roundEven) })
	table := []float32{0.5, -1.25, 3, 8}
	out, quotients := p.buffer(make([]uint16, 32)), p.buffer(make([]float32, 32))
	p.launch("half_places", groups(16, 16), p.buffer(in), out, quotients)
	wantOut, want := make([]uint16, 32), []float32(nil)
	for i := range in {
		at := i + 2*(i&1)
		x, y := float32(halfValue(in[at%16])), float32(halfValue(in[(at+1)%16]))
		wantOut[i] = nearestHalf(float64(x*table[i&3]+y), roundEven)
		wantOut[16+i] = nearestHalf(halfValue(in[i])+1, roundEven)
		whole := math.Floor(halfValue(in[i]))
		want = append(want, float32(halfValue(in[i])-whole), float32(whole))
	}
	check(t, p, "halves of private and local memory", out, wantOut)
	check(t, p, "fractions and whole numbers", quotients, want)
}

func testHalfSums(t *testing.T, p *testProgram) {
	in := counted(16, func(i int) uint16 { return nearestHalf(float64(i*5%16)+0.25, roundEven) })
	out := p.buffer(make([]uint16, 32))
	p.launch("half_sums", groups(16, 16), p.buffer(in), out)
	sum, most, want := 0.0, 0.0, make([]uint16, 32)
	for i, h := range in {
		sum += halfValue(h) // exact in halves too
		most = max(most, halfValue(h))
		want[16+i] = nearestHalf(most, roundEven)
	}
	for i := range in {
		want[i] = nearestHalf(sum, roundEven)
	}
	check(t, p, "sums and greatest of halves", out, want)
}

func testLoadHalves(t *testing.T, p *testProgram) {
	in := counted(1<<12, func(i int) uint16 { return uint16(i * 17) })
	out := p.buffer(make([]float32, len(in)))
	p.launch("load_halves", items(len(in)), p.buffer(in), out)
	for i, got := range readBuffer[float32](p, out) {
		if want := float32(halfValue(in[i])); got != want && want == want {
			t.Errorf("load of %#x = %v; want %v", in[i], got, want)
		}
	}
}

func testStoreHalves(t *testing.T, p *testProgram) {
	din := halfInputs()
	in := counted(len(din), func(i int) float32 { return float32(din[i]) })
	out, dout := p.buffer(make([]uint16, 5*len(in))), p.buffer(make([]uint16, 4*len(in)))
	p.launch("store_halves", items(len(in)), p.buffer(in), out, p.buffer(din), dout)
	got, dgot := readBuffer[uint16](p, out), readBuffer[uint16](p, dout)
	for i := range in {
		for k, mode := range []rounding{roundEven, roundEven, roundZero, roundUp, roundDown} {
			if want := nearestHalf(float64(in[i]), mode); !sameHalf(got[5*i+k], want) {
				t.Errorf("store of %v, row %d = %#x; want %#x", in[i], k, got[5*i+k], want)
			}
		}
		for k, mode := range []rounding{roundEven, roundZero, roundUp, roundDown} {
			if want := nearestHalf(din[i], mode); !sameHalf(dgot[4*i+k], want) {
				t.Errorf("store of %v, row %d = %#x; want %#x", din[i], k, dgot[4*i+k], want)
			}
		}
	}
}

func testHalfVectors(t *testing.T, p *testProgram) {
	const n = 2
	in := counted(4*n, func(i int) uint16 { return nearestHalf(float64(i)+0.5, roundEven) })
	out, wide := p.buffer(make([]uint16, 40)), p.buffer(make([]float32, 8*n))
	p.launch("half_vectors", items(n), p.buffer(in), out, wide)
	var want []float32
	wantOut := make([]uint16, 40)
	for i := range n {
		for c := range 4 {
			want = append(want, float32(halfValue(in[4*i+c])))
			wantOut[4*(i+8)+c] = nearestHalf(3*halfValue(in[4*i+c]), roundEven)
		}
		for c := range 3 {
			want = append(want, float32(halfValue(in[4*i+c])))
			wantOut[3*i+c] = nearestHalf(2*halfValue(in[3*i+c]), roundEven)
		}
		want = append(want, 1)
	}
	check(t, p, "loaded", wide, want)
	check(t, p, "stored", out, wantOut)
}

func testHalfArithmetic(t *testing.T, p *testProgram) {
	a := counted(300, func(i int) uint16 { return uint16(i * 219) })
	b := counted(300, func(i int) uint16 { return uint16(i*i*7 + 0x3c00) })
	out, iout := p.buffer(make([]uint16, 6*len(a))), p.buffer(make([]int32, 2*len(a)))
	p.launch("half_arithmetic", items(len(a)), p.buffer(a), p.buffer(b), out, iout)
	got, igot := readBuffer[uint16](p, out), readBuffer[int32](p, iout)
	for i := range a {
		x, y := halfValue(a[i]), halfValue(b[i])
		// Sums and products are exact in double, and so is their sum here.
		for k, exact := range []float64{x + y, x * y, x / y, x*y + 1, -x, x + 0.5} {
			if want := nearestHalf(exact, roundEven); !sameHalf(got[6*i+k], want) {
				t.Errorf("operation %d of %v and %v = %#x; want %#x", k, x, y, got[6*i+k], want)
			}
		}
		if want := bitsOf(x < y, x == y, x != x); igot[2*i] != want {
			t.Errorf("tests of %v and %v = %#b; want %#b", x, y, igot[2*i], want)
		}
		want := int32(0)
		switch {
		case math.IsInf(x, 0):
			want = int32(map[bool]int64{true: math.MaxInt32, false: math.MinInt32}[x > 0])
		case x == x:
			want = int32(x)
		}
		if igot[2*i+1] != want {
			t.Errorf("convert_int_sat(%v) = %d; want %d", x, igot[2*i+1], want)
		}
	}
}
