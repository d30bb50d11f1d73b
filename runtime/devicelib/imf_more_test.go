package devicelib_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestNorms: norms and their reciprocals are within 4 units in the last place of the exact
// ones, also where squares overflow or vanish; an infinity counts more than a NaN.
func TestNorms(t *testing.T) {
	const words = 16
	for _, c := range []struct {
		kind, suffix, as, word string
		precision, exponents   int
	}{{"float", "f", "as_float((uint)in[%d])", "as_uint(%s)", 24, 120}, {"double", "", "as_double(in[%d])", "as_ulong(%s)", 53, 1000}} {
		declared, results := "", []string{}
		add := function(&declared, &results, c.kind, c.suffix, c.word)
		arg := func(i int) string { return fmt.Sprintf(c.as, i) }
		list := ""
		for i := range 4 {
			list += ", " + arg(i)
		}
		for _, name := range []string{"", "r"} {
			k := c.kind
			add("__imf_"+name+"norm3d", k+", "+k+", "+k, arg(0)+", "+arg(1)+", "+arg(2))
			add("__devicelib_imf_"+name+"norm4d", k+", "+k+", "+k+", "+k, list[2:])
			add("__imf_"+name+"norm", "int, const "+k+" *", "4, numbers")
			add("__imf_"+name+"hypot", k+", "+k, arg(0)+", "+arg(1))
		}
		declared += fmt.Sprintf("#define numbers ((const %s[]){%s})\n", c.kind, list[2:])
		bits := func(x float64) uint64 {
			if c.precision == 24 {
				return uint64(math.Float32bits(float32(x)))
			}
			return math.Float64bits(x)
		}
		value := func(w uint64) float64 {
			if c.precision == 24 {
				return float64(math.Float32frombits(uint32(w)))
			}
			return math.Float64frombits(w)
		}
		random := rand.New(rand.NewPCG(7, 8))
		inputs := [][]uint64{
			{bits(math.Inf(-1)), bits(math.NaN()), bits(1), bits(1)},
			{bits(math.NaN()), bits(1), bits(2), bits(3)},
			{0, 0, 0, 0},
		}
		for range 3000 {
			var in []uint64
			at := random.IntN(2*c.exponents) - c.exponents
			for range 4 {
				in = append(in, bits(math.Ldexp(random.Float64()*2-1, at+random.IntN(20)-10)))
			}
			inputs = append(inputs, in)
		}
		for i, out := range launchWords(wordKernel(t, declared, results, words), inputs, words) {
			for j, n := range []int{3, 4, 4, 2, 3, 4, 4, 2} {
				got := value(out[j])
				switch {
				case i == 0 && j < 4 && !math.IsInf(got, 1), i == 0 && j >= 4 && got != 0, i == 1 && !math.IsNaN(got),
					i == 2 && j < 4 && got != 0, i == 2 && j >= 4 && !math.IsInf(got, 1):
					t.Errorf("%s of case %d is %v", results[j], i, got)
				}
				if i < 3 {
					continue
				}
				sum := new(big.Float).SetPrec(300)
				for _, w := range inputs[i][:n] {
					x := new(big.Float).SetPrec(300).SetFloat64(value(w))
					sum.Add(sum, x.Mul(x, x))
				}
				sum.Sqrt(sum)
				if j >= 4 {
					sum.Quo(big.NewFloat(1), sum)
				}
				want, _ := sum.Float64()
				if largest := math.Ldexp(1, c.exponents); want > largest || want < 1/largest {
					continue // results beyond the normal numbers
				}
				if math.Abs(got-want) > 4*want*math.Ldexp(1, -c.precision+1) {
					t.Errorf("%s of %v is %v; want %v", results[j], inputs[i], got, want)
				}
			}
		}
	}
}

// function returns a function that declares one more, and has its result computed.
func function(declared *string, results *[]string, kind, suffix, word string) func(name, parameters, arguments string) {
	return func(name, parameters, arguments string) {
		own := fmt.Sprintf("f%d", len(*results))
		*declared += fmt.Sprintf("%s %s(%s) __asm(%q);\n", kind, own, parameters, name+suffix)
		*results = append(*results, fmt.Sprintf(word, own+"("+arguments+")"))
	}
}

// TestFurtherFunctions: functions of one and two numbers, within 8 units in the last place.
func TestFurtherFunctions(t *testing.T) {
	const words = 16
	declared, results := "", []string{}
	add := function(&declared, &results, "float", "", "as_uint(%s)")
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	x, y := "as_float((uint)in[0])", "as_float((uint)in[1])"
	var wants []func(x, y float64) float64
	for _, f := range []struct {
		name string
		want func(x float64) float64
	}{
		{"__imf_fast_expf", math.Exp},
		{"__imf_fast_exp10f", func(x float64) float64 { return math.Pow(10, x) }},
		{"__imf_fast_logf", math.Log},
		{"__imf_fast_log2f", math.Log2},
		{"__devicelib_imf_fast_log10f", math.Log10},
		{"__imf_rcbrtf", func(x float64) float64 { return 1 / math.Cbrt(x) }},
		{"__imf_fsigmf", sigmoid},
	} {
		add(f.name, "float", x)
		wants = append(wants, func(x, _ float64) float64 { return f.want(x) })
	}
	add("__imf_fast_powf", "float, float", x+", "+y)
	add("__imf_fast_fdividef", "float, float", x+", "+y)
	wants = append(wants, math.Pow, func(x, y float64) float64 { return x / y })
	declared += "double third(double) __asm(\"__imf_rcbrt\"); int log_f(float) __asm(\"__imf_ilogbf\"); int log_d(double) __asm(\"__imf_ilogb\"); half sigmoid(half) __asm(\"__imf_fsigmf16\");\n"
	results = append(results, "as_ulong(third((double)"+x+"))", "(uint)log_f("+x+")", "(uint)log_d((double)"+x+")", "as_uint((float)sigmoid((half)"+x+"))")
	random, inputs := rand.New(rand.NewPCG(9, 10)), [][]uint64{}
	for range 3000 {
		inputs = append(inputs, []uint64{uint64(math.Float32bits(float32(random.ExpFloat64() * 4))), uint64(math.Float32bits(float32(random.NormFloat64() * 4)))})
	}
	near := func(name string, got, want, bound float64) {
		if !(math.Abs(got-want) <= bound*math.Abs(want)) {
			t.Errorf("%s is %v; want %v", name, got, want)
		}
	}
	for i, out := range launchWords(wordKernel(t, declared, results, words), inputs, words) {
		x, y := float64(math.Float32frombits(uint32(inputs[i][0]))), float64(math.Float32frombits(uint32(inputs[i][1])))
		for j, f := range wants {
			want := f(x, y)
			if math.Abs(want) > 1e37 || math.Abs(want) < 1e-37 || math.Abs(want) < 1e-3 && j >= 2 && j < 5 {
				continue // beyond the normal numbers, or logarithms near 1, whose bound is absolute
			}
			near(fmt.Sprintf("%s of %v, %v", results[j], x, y), float64(math.Float32frombits(uint32(out[j]))), want, 8.0/(1<<23))
		}
		near("rcbrt", math.Float64frombits(out[9]), 1/math.Cbrt(x), 8.0/(1<<52))
		_, exponent := math.Frexp(x)
		if int32(out[10]) != int32(exponent-1) || int32(out[11]) != int32(exponent-1) {
			t.Errorf("ilogb of %v is %d, %d; want %d", x, int32(out[10]), int32(out[11]), exponent-1)
		}
		near("fsigmf16", float64(math.Float32frombits(uint32(out[12]))), sigmoid(x), 1.0/(1<<9))
	}
}

// TestChoices: maxima and minima tell whether they are the first operand.
func TestChoices(t *testing.T) {
	const words = 24
	declared, results := "", []string{}
	for i, name := range []string{"max_s32", "min_s32", "max_u32", "min_u32"} {
		kind := []string{"int", "uint"}[i/2]
		declared += fmt.Sprintf("%s %s(%s, %s, bool *) __asm(\"__imf_vib%s\");\nulong of_%s(uint x, uint y) { bool p; uint r = (uint)%s((%s)x, (%s)y, &p); return r | (ulong)p << 32; }\n", kind, name, kind, kind, name, name, name, kind, kind)
		results = append(results, fmt.Sprintf("of_%s((uint)in[0], (uint)in[1])", name))
	}
	for _, name := range []string{"max_s16x2", "min_s16x2", "max_u16x2", "min_u16x2"} {
		declared += fmt.Sprintf("uint %s(uint, uint, bool *, bool *) __asm(\"__devicelib_imf_vib%s\");\nulong of_%s(uint x, uint y) { bool h, l; uint r = %s(x, y, &h, &l); return r | (ulong)h << 33 | (ulong)l << 32; }\n", name, name, name, name)
		results = append(results, fmt.Sprintf("of_%s((uint)in[0], (uint)in[1])", name))
	}
	random, inputs := rand.New(rand.NewPCG(11, 12)), [][]uint64{{5, 5}, {0x80000000, 0x7fffffff}, {0x8000ffff, 0x80000001}}
	for range 3000 {
		inputs = append(inputs, []uint64{uint64(random.Uint32()), uint64(random.Uint32())})
	}
	choose := func(x, y int64, larger bool) (int64, uint64) {
		if larger == (x >= y) || x == y {
			return x, 1
		}
		return y, 0
	}
	for i, out := range launchWords(wordKernel(t, declared, results, words), inputs, words) {
		x, y := uint32(inputs[i][0]), uint32(inputs[i][1])
		for j := range 4 {
			a, b := int64(int32(x)), int64(int32(y))
			if j >= 2 {
				a, b = int64(x), int64(y)
			}
			r, first := choose(a, b, j%2 == 0)
			if want := uint64(uint32(r)) | first<<32; out[j] != want {
				t.Errorf("%s of %#x, %#x is %#x; want %#x", results[j], x, y, out[j], want)
			}
			part := func(shift int) (uint64, uint64) {
				a, b := int64(int16(x>>shift)), int64(int16(y>>shift))
				if j >= 2 {
					a, b = int64(uint16(x>>shift)), int64(uint16(y>>shift))
				}
				r, first := choose(a, b, j%2 == 0)
				return uint64(uint16(r)), first
			}
			high, firstHigh := part(16)
			low, firstLow := part(0)
			if want := high<<16 | low | firstHigh<<33 | firstLow<<32; out[4+j] != want {
				t.Errorf("%s of %#x, %#x is %#x; want %#x", results[4+j], x, y, out[4+j], want)
			}
		}
	}
}
