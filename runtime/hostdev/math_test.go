package hostdev

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The results of functions are compared with testdata/math.golden, which
// testdata/reference_math.py computes to 25 digits.

// maxULP is the error in units of the last place that OpenCL allows a double
// (table "ULP values for double-precision built-in math functions"); where it
// says nothing, 4. Floats, which are computed in double, have 1.
var maxULP = map[string]float64{
	"acospi": 5, "asinpi": 5, "atan": 5, "atan2": 6, "atanpi": 5, "atan2pi": 6, "atanh": 5,
	"cbrt": 2, "erf": 16, "erfc": 16, "exp": 3, "exp2": 3, "exp10": 3, "expm1": 3,
	"log": 3, "log2": 3, "log10": 3, "log1p": 2, "pow": 16, "pown": 16, "powr": 16, "rootn": 16,
	"rsqrt": 2, "tan": 5, "tanh": 5, "tanpi": 6, "tgamma": 16,
}

// reference is the golden results of one function and type.
type reference struct {
	name, kind string
	a, b       []float64
	want       []*big.Float
}

func readReferences(t *testing.T) []*reference {
	t.Helper()
	text, err := os.ReadFile("testdata/math.golden")
	if err != nil {
		t.Fatal(err)
	}
	var list []*reference
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if last := len(list) - 1; last < 0 || list[last].name != fields[0] || list[last].kind != fields[1] {
			list = append(list, &reference{name: fields[0], kind: fields[1]})
		}
		r := list[len(list)-1]
		a, errA := strconv.ParseFloat(fields[2], 64)
		b, errB := strconv.ParseFloat(fields[3], 64)
		want, _, errW := big.ParseFloat(fields[4], 10, 200, big.ToNearestEven)
		if errA != nil || errB != nil || errW != nil {
			t.Fatalf("math.golden: %s", line)
		}
		r.a, r.b, r.want = append(r.a, a), append(r.b, b), append(r.want, want)
	}
	return list
}

// ulps is the distance in units of the last place of a type with that many
// bits and that least exponent.
func ulps(got float64, want *big.Float, precision, least int) float64 {
	if math.IsInf(got, 0) || got != got {
		return math.Inf(1)
	}
	if want.Sign() == 0 {
		return math.Abs(got) / math.Ldexp(1, least-precision+1)
	}
	unit := math.Ldexp(1, max(want.MantExp(nil)-1, least)-precision+1)
	difference := new(big.Float).SetPrec(200).SetFloat64(got)
	difference.Sub(difference, want).Quo(difference, big.NewFloat(unit))
	d, _ := difference.Abs(difference).Float64()
	return d
}

func testReference[T float32 | float64](t *testing.T, p *testProgram, r *reference, precision, least int, allowed float64) {
	a := counted(len(r.a), func(i int) T { return T(r.a[i]) })
	b := counted(len(r.a), func(i int) T { return T(r.b[i]) })
	out := p.buffer(make([]T, len(a)))
	p.launch(r.name+"_"+r.kind, items(len(a)), p.buffer(a), p.buffer(b), out)
	for i, got := range readBuffer[T](p, out) {
		if d := ulps(float64(got), r.want[i], precision, least); d > allowed {
			t.Errorf("%s of %s %v, %v = %v; want %.25g: %.3g units of the last place, allowed are %v",
				r.name, r.kind, a[i], b[i], got, r.want[i], d, allowed)
		}
	}
}

func TestMath(t *testing.T) {
	references := readReferences(t)
	eachLevel(t, "math.cl", func(t *testing.T, p *testProgram) {
		for _, r := range references {
			switch r.kind {
			case "float":
				testReference[float32](t, p, r, 24, -126, 1)
				continue
			case "half":
				continue
			}
			allowed, ok := maxULP[r.name]
			if !ok {
				allowed = 4
			}
			testReference[float64](t, p, r, 53, -1022, allowed)
		}
		testMathRest(t, p)
		testMathSpecial(t, p)
		testGeometry(t, p)
		testFusedDoubles(t, p)
		testFusedHalves(t, p)
		if strings.HasSuffix(t.Name(), "/default") {
			testMathIsCompiled(t, p)
		}
	})
}

// TestHalfMath calls the functions of halves, which have no kernels in math.cl:
// they are exact to one unit of the last place (OpenCL allows 2 and more).
func TestHalfMath(t *testing.T) {
	tested := map[string]bool{}
	for _, r := range readReferences(t) {
		f := halfFunction(r.name)
		if r.kind != "half" || f == nil {
			continue
		}
		tested[r.name] = true
		for i := range r.a {
			a, b := uint64(doubleToHalf(r.a[i], roundEven)), uint64(doubleToHalf(r.b[i], roundEven))
			got := halfValue(uint16(f(a, b)))
			if d := ulps(got, r.want[i], 11, -14); d > 1 {
				t.Errorf("%s of half %v, %v = %v; want %.10g: %.3g units of the last place", r.name, r.a[i], r.b[i], got, r.want[i], d)
			}
		}
	}
	if len(tested) < 35 {
		t.Errorf("%d functions were tested", len(tested))
	}
}

func halfFunction(name string) binary2 {
	if row, ok := mathUnary.Get()[name]; ok {
		return func(a, _ uint64) uint64 { return row[0](a) }
	}
	if row, ok := mathBinary.Get()[name]; ok {
		return row[0]
	}
	return nil
}

// testMathRest has functions that are exact, and that others are made of.
func testMathRest(t *testing.T, p *testProgram) {
	a, b := []float32{-2, -0.5, 0, 0.5, 2, 3.25}, []float32{1, -0.5, 0, 0.25, 4, -7}
	for name, f := range map[string]func(x, y float64) float64{
		"sign_float": func(x, _ float64) float64 { return float64(sgn(x)) },
		"step_float": func(x, y float64) float64 { return map[bool]float64{true: 0, false: 1}[y < x] },
		"minmag_float": func(x, y float64) float64 {
			return map[bool]float64{true: x, false: y}[math.Abs(x) < math.Abs(y) || math.Abs(x) == math.Abs(y) && x < y]
		},
		"mix_float":          func(x, y float64) float64 { return x + (y-x)/4 },
		"smoothstep_float":   func(x, _ float64) float64 { s := math.Min(math.Max((x+1)/4, 0), 1); return s * s * (3 - 2*s) },
		"sincos_float":       func(x, _ float64) float64 { return math.Sin(x)*3 + math.Cos(x) },
		"lgamma_r_float":     func(x, _ float64) float64 { v, s := math.Lgamma(x); return v * float64(s) },
		"lgamma_float":       func(x, _ float64) float64 { v, _ := math.Lgamma(x); return v },
		"native_cos_fast":    func(x, _ float64) float64 { return math.Cos(x) },
		"native_exp_fast":    func(x, _ float64) float64 { return math.Exp(x) },
		"native_recip_fast":  func(x, _ float64) float64 { return 1 / x },
		"half_recip_fast":    func(x, _ float64) float64 { return 1 / x },
		"half_sin_fast":      func(x, _ float64) float64 { return math.Sin(x) },
		"half_exp10_fast":    func(x, _ float64) float64 { return math.Pow(10, x) },
		"native_log2_fast":   func(x, _ float64) float64 { return math.Log2(x) },
		"native_sqrt_fast":   func(x, _ float64) float64 { return math.Sqrt(x) },
		"half_sqrt_fast":     func(x, _ float64) float64 { return math.Sqrt(x) },
		"native_rsqrt_fast":  func(x, _ float64) float64 { return 1 / math.Sqrt(x) },
		"native_divide_fast": func(x, y float64) float64 { return x / y },
	} {
		out := p.buffer(make([]float32, len(a)))
		p.launch(name, items(len(a)), p.buffer(a), p.buffer(b), out)
		for i, got := range readBuffer[float32](p, out) {
			want := float32(f(float64(a[i]), float64(b[i])))
			if want != want && got != got || got == want {
				continue
			}
			if d := math.Abs(float64(got-want)) / math.Abs(float64(want)); !(d < 1e-6) {
				t.Errorf("%s of %v and %v = %v; want %v", name, a[i], b[i], got, want)
			}
		}
	}
}

// testMathIsCompiled: functions of the library have no calls of the host, which native images
// cannot make and WebAssembly makes for each work-item.
func testMathIsCompiled(t *testing.T, p *testProgram) {
	for _, name := range []string{
		"acos_float", "atan2_double", "cbrt_float", "cos_double", "erf_double", "exp_float", "fused_double", "fused_half",
		"hypot_float", "lgamma_double", "lgamma_float", "lgamma_r_double", "log_double", "pow_float", "pown_double", "rootn_double",
		"sin_float", "sincos_float", "sinpi_double", "smoothstep_float", "tan_double", "tanh_float", "tgamma_double", "tgamma_float",
	} {
		requireC(t, p, name)
	}
}

func sgn(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// testMathSpecial has the rows of the section on edge cases of OpenCL C.
func testMathSpecial(t *testing.T, p *testProgram) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		name       string
		x, y, want float64
	}{
		{"pow", -2, 3, -8},
		{"pow", -2, 0.5, nan},
		{"pow", 0, -1, inf},
		{"pow", -1, inf, 1},
		{"pow", nan, 0, 1},
		{"pow", 1, nan, 1},
		{"pow", 10, 400, inf},
		{"pow", 10, -400, 0},
		{"pow", -10, 401, -inf},
		{"pow", 2, 10, 1024},
		{"pow", 1e300, 1e300, inf},
		{"powr", -1, 2, nan},
		{"powr", 0, 0, nan},
		{"powr", inf, 0, nan},
		{"powr", 1, inf, nan},
		{"powr", 2, 3, 8},
		{"powr", 0, -3, inf},
		{"pown", 0, -3, inf},
		{"pown", math.Copysign(0, -1), -3, -inf},
		{"pown", -2, 3, -8},
		{"pown", nan, 0, 1},
		{"rootn", -8, 3, -2},
		{"rootn", -8, 2, nan},
		{"rootn", 0, -2, inf},
		{"rootn", math.Copysign(0, -1), -3, -inf},
		{"rootn", 8, 0, nan},
		{"rootn", inf, 3, inf},
		{"rootn", inf, -3, 0},
		{"sinpi", inf, 0, nan},
		{"cospi", inf, 0, nan},
		{"cospi", 0.5, 0, 0},
		{"sinpi", 3, 0, 0},
		{"tanpi", 0.5, 0, inf},
		{"tanpi", 1.5, 0, -inf},
		{"tanpi", 2, 0, 0},
		{"tgamma", 5, 0, 24},
		{"tgamma", -3, 0, nan},
		{"log2", 0, 0, -inf},
		{"log2", 8, 0, 3},
		{"log2", -1, 0, nan},
		{"log10", 0, 0, -inf},
		{"log10", inf, 0, inf},
		{"exp10", 400, 0, inf},
		{"exp10", -400, 0, 0},
		{"exp10", 500, 0, inf},
		{"exp10", 400.5, 0, inf},
		{"exp10", -500, 0, 0},
		{"exp10", inf, 0, inf},
		{"exp10", -inf, 0, 0},
		{"exp10", 3, 0, 1000},
		{"exp10", nan, 0, nan},
		{"sinh", 1000, 0, inf},
		{"cosh", -1000, 0, inf},
		{"lgamma", 0x1p-1060, 0, 1060 * math.Ln2},
		{"lgamma", -0x1p-1060, 0, 1060 * math.Ln2},
		{"lgamma", 0, 0, inf},
		{"lgamma", 1, 0, 0},
		{"lgamma", 2, 0, 0},
		{"lgamma", -3, 0, inf},
		{"lgamma", -inf, 0, inf},
		{"lgamma", nan, 0, nan},
		{"lgamma", 0x1p1000, 0, 0x1p1000 * (1000*math.Ln2 - 1)},
		{"lgamma", 0x1.fp1023, 0, inf},
		{"lgamma_r", -0x1p-1060, 0, -1060 * math.Ln2},
		{"tgamma", math.Copysign(0, -1), 0, -inf},
		{"tgamma", 0x1p-1060, 0, inf},
		{"tgamma", 171.7, 0, inf},
		{"tgamma", inf, 0, inf},
		{"tgamma", -inf, 0, nan},
		{"tgamma", -200.5, 0, math.Copysign(0, -1)},
		{"tgamma", nan, 0, nan},
		{"sign", nan, 0, 0},
		{"rsqrt", 0, 0, inf},
	} {
		out := p.buffer(make([]float64, 1))
		p.launch(test.name+"_double", items(1), p.buffer([]float64{test.x}), p.buffer([]float64{test.y}), out)
		if got := readBuffer[float64](p, out)[0]; !sameFloat(doubles, got, test.want, true) {
			t.Errorf("%s of %v and %v = %v; want %v", test.name, test.x, test.y, got, test.want)
		}
	}
}

func testGeometry(t *testing.T, p *testProgram) {
	large := float32(0x1p100)
	a, b := []float32{1, 2, 2, 0, 3 * large, 4 * large, 0, 0}, []float32{3, 0, -4, 12, 0, 0, 0, 0}
	out, sizes := p.buffer(make([]float32, 24)), p.buffer(make([]float32, 10))
	p.launch("geometry", items(2), p.buffer(a), p.buffer(b), out, sizes)
	third := float32(1) / 3
	check(t, p, "vectors", out, []float32{
		-8, 10, -6, 0, third, 2 * third, 2 * third, 0, float32(3) / 13, 0, float32(-4) / 13, float32(12) / 13,
		0, 0, 0, 0, 0.6, 0.8, 0, 0, 0, 0, 0, 0,
	})
	d := float32(math.Sqrt(4 + 4 + 36 + 144))
	check(t, p, "sizes", sizes, []float32{-5, 3, d, float32(math.Sqrt(5)), float32(math.Sqrt(44)), 0, 5 * large, 5 * large, 5 * large, 5 * large})
}

// TestDoubleDouble checks the constants and the logarithm of two doubles.
func TestDoubleDouble(t *testing.T) {
	for _, test := range []struct {
		name string
		got  dd
		want string
	}{
		{"ln 2", ln2dd, "0.69314718055994530941723212145817656807550013436025525"},
		{"ln 10", ln10dd, "2.3025850929940456840179914546843642076011014886287730"},
		{"log2 e", log2e, "1.4426950408889634073599246810018921374266459541529859"},
		{"log10 e", log10e, "0.43429448190325182765112891891660508229439700580366657"},
		{"ln 3", logDD(3), "1.0986122886681096913952452369225257046474905578227495"},
		{"ln 1e-300", logDD(1e-300), "-690.77552789821370520539743640530926188986226110600"},
		{"ln 1.0000001", logDD(1.0000001), "9.9999995058386994e-8"},
	} {
		want, _, err := big.ParseFloat(test.want, 10, 200, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		got := new(big.Float).SetPrec(200).SetFloat64(test.got.high)
		got.Add(got, big.NewFloat(test.got.low))
		error, _ := new(big.Float).Quo(got.Sub(got, want), want).Float64()
		if limit := math.Ldexp(1, -95); math.Abs(error) > limit && test.name != "ln 1.0000001" && test.name != "ln 1e-300" {
			t.Errorf("%s: relative error %g; want at most %g", test.name, error, limit)
		}
	}
}

// testFusedDoubles compares with products and sums of any precision: sums that cancel, ties,
// results and parts that are denormal or overflow.
func testFusedDoubles(t *testing.T, p *testProgram) {
	r := rand.New(rand.NewPCG(3, 4))
	var a, b, c []float64
	for range 4000 {
		x, y, z := randomDouble(r), randomDouble(r), randomDouble(r)
		switch product := x * y; {
		case math.IsInf(product, 0):
		case r.IntN(3) == 0:
			z = -product * (1 + math.Ldexp(float64(r.IntN(3)-1), -20-r.IntN(35)))
		case r.IntN(3) == 0 && math.Abs(product) < 1e200:
			z = math.Ldexp(product, r.IntN(220)-110)
		}
		a, b, c = append(a, x), append(b, y), append(c, z)
	}
	out := p.buffer(make([]float64, len(a)))
	p.launch("fused_double", items(len(a)), p.buffer(a), p.buffer(b), p.buffer(c), out)
	for i, got := range readBuffer[float64](p, out) {
		exact := new(big.Float).SetPrec(5000).SetFloat64(a[i])
		exact.Mul(exact, new(big.Float).SetFloat64(b[i]))
		product, _ := exact.Float64()
		want := product + c[i] // the sign of zero
		if exact.Add(exact, new(big.Float).SetFloat64(c[i])).Sign() != 0 {
			want, _ = exact.Float64()
		}
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("fma of %x, %x and %x = %x; want %x", a[i], b[i], c[i], got, want)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range [][4]float64{
		{1e300, 1e300, -inf, -inf}, {inf, 0, 1, nan}, {inf, 1, -inf, nan}, {inf, -2, 1, -inf}, {1, 2, nan, nan}, {1, nan, 2, nan},
	} {
		out := p.buffer(make([]float64, 1))
		p.launch("fused_double", items(1), p.buffer(test[:1]), p.buffer(test[1:2]), p.buffer(test[2:3]), out)
		if got := readBuffer[float64](p, out)[0]; !sameFloat(doubles, got, test[3], true) {
			t.Errorf("fma of %v, %v and %v = %v; want %v", test[0], test[1], test[2], got, test[3])
		}
	}
}

// randomDouble is finite: of any exponent, near 1, or a limit.
func randomDouble(r *rand.Rand) float64 {
	limits := []float64{0, math.Copysign(0, -1), 1, -1, 0x1p-1074, -0x1p-1074, 0x1p-1022, math.MaxFloat64, -math.MaxFloat64}
	switch r.IntN(5) {
	case 0:
		return r.Float64()*4 - 2
	case 1:
		return limits[r.IntN(len(limits))]
	case 2:
		return math.Ldexp(float64(r.Uint64()>>(11+r.IntN(50))), -1074+r.IntN(60)) // denormal, or nearly
	}
	return math.Ldexp(r.Float64()-0.5, r.IntN(2047)-1023)
}

// testFusedHalves has sums that are halfway between two halves once they are rounded to
// float, and not before.
func testFusedHalves(t *testing.T, p *testProgram) {
	a, b, c := []uint16{0x3c01, 0x3c01, 0xbc01, 0x7bff}, []uint16{0x0ffe, 0x0ffe, 0x0ffe, 0x7bff}, []uint16{0x3c01, 0x3c00, 0xbc01, 0xfbff}
	out := p.buffer(make([]uint16, len(a)))
	p.launch("fused_half", items(len(a)), p.buffer(a), p.buffer(b), p.buffer(c), out)
	check(t, p, "fma of halves", out, []uint16{0x3c01, 0x3c00, 0xbc01, 0x7c00})
}
