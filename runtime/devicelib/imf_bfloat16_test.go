package devicelib_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// bfloat16 is the upper half of a float.
type bfloat16 uint16

func (b bfloat16) float() float64 { return float64(math.Float32frombits(uint32(b) << 16)) }

// roundBfloat16 rounds a finite number once.
func roundBfloat16(x *big.Float, mode big.RoundingMode) bfloat16 {
	if x.Sign() == 0 {
		if x.Signbit() {
			return 0x8000
		}
		return 0
	}
	// Of a number with the exponent e, 0.5 to 1 times 2^e, 8 bits are kept, fewer below 2^-126.
	precision := min(8, x.MantExp(nil)+133)
	rounded := new(big.Float).SetMode(mode)
	if precision >= 1 {
		rounded.SetPrec(uint(precision)).Set(x)
	} else {
		rounded = roundTiny(x, mode)
	}
	f, _ := rounded.Float32()
	if largest := float32(bfloat16(0x7f7f).float()); math.IsInf(float64(f), 0) &&
		(mode == big.ToZero || mode == big.ToNegativeInf && x.Sign() > 0 || mode == big.ToPositiveInf && x.Sign() < 0) {
		f = float32(math.Copysign(float64(largest), float64(f)))
	}
	return bfloat16(math.Float32bits(f) >> 16)
}

// roundTiny rounds a number below 2^-133, the smallest, to it or to 0.
func roundTiny(x *big.Float, mode big.RoundingMode) *big.Float {
	smallest := math.Copysign(math.Ldexp(1, -133), float64(x.Sign()))
	size := new(big.Float).Abs(x)
	away := mode == big.ToNearestEven && size.Cmp(big.NewFloat(math.Ldexp(1, -134))) > 0 ||
		mode == big.ToPositiveInf && x.Sign() > 0 || mode == big.ToNegativeInf && x.Sign() < 0
	if !away {
		smallest = math.Copysign(0, smallest)
	}
	return big.NewFloat(smallest)
}

// wordKernel compiles a kernel that computes words from words: a line of C for each result,
// which may use in[0] and those after it, and the declarations before it.
func wordKernel(t *testing.T, declarations string, results []string, words int) *program {
	var text strings.Builder
	text.WriteString("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + declarations)
	fmt.Fprintf(&text, "kernel void k(global ulong *all, global const ulong *from) {\nglobal ulong *out = all + %d * get_global_id(0);\nglobal const ulong *in = from + %d * get_global_id(0);\n", words, words)
	for i, r := range results {
		fmt.Fprintf(&text, "out[%d] = (ulong)(%s);\n", i, r)
	}
	return compile(t, text.String()+"}")
}

// launchWords runs it on inputs of up to words words each, and returns the results.
func launchWords(p *program, inputs [][]uint64, words int) [][]uint64 {
	var data []byte
	for _, in := range inputs {
		for i := range words {
			w := uint64(0)
			if i < len(in) {
				w = in[i]
			}
			data = binary.LittleEndian.AppendUint64(data, w)
		}
	}
	out := p.launch("k", data, 8*words)
	results := make([][]uint64, len(inputs))
	for i := range results {
		for j := range words {
			results[i] = append(results[i], binary.LittleEndian.Uint64(out[8*(i*words+j):]))
		}
	}
	return results
}

var bfloat16Integers = []struct {
	name, kind string
	bits       uint
	signed     bool
}{{"short", "short", 16, true}, {"ushort", "ushort", 16, false}, {"int", "int", 32, true}, {"uint", "uint", 32, false}, {"ll", "long", 64, true}, {"ull", "ulong", 64, false}}

var modeNames = []string{"rd", "rn", "ru", "rz"}

// TestToBfloat16: conversions to bfloat16 round the number once, whatever it is.
func TestToBfloat16(t *testing.T) {
	const words = 32
	declared := "ushort f(float) __asm(\"__imf_float2bfloat16\"); ushort d(double) __asm(\"__devicelib_imf_double2bfloat16\");\n"
	results, modes := []string{"f(as_float((uint)in[0]))", "d(as_double(in[0]))"}, []big.RoundingMode{big.ToNearestEven, big.ToNearestEven}
	for _, m := range modeNames {
		declared += fmt.Sprintf("ushort f_%s(float) __asm(\"__imf_float2bfloat16_%s\");\n", m, m)
		results, modes = append(results, fmt.Sprintf("f_%s(as_float((uint)in[0]))", m)), append(modes, roundingModes[m])
	}
	for _, k := range bfloat16Integers {
		for _, m := range modeNames {
			declared += fmt.Sprintf("ushort %s_%s(%s) __asm(\"__imf_%s2bfloat16_%s\");\n", k.name, m, k.kind, k.name, m)
			results, modes = append(results, fmt.Sprintf("%s_%s((%s)in[0])", k.name, m, k.kind)), append(modes, roundingModes[m])
		}
	}
	random, inputs := rand.New(rand.NewPCG(3, 4)), [][]uint64{{0}, {1}, {1 << 63}, {math.MaxUint64}, {0x80000000}, {0x7f7fffff}, {0x477fefffffffffff}, {0x36a0000000000001}}
	for range 4000 {
		x := random.Uint64()
		if random.IntN(2) == 0 {
			x >>= random.IntN(64) // small integers, small and denormal floats
		}
		if random.IntN(4) == 0 {
			x = math.Float64bits(math.Ldexp(float64(int(x)|1<<20), random.IntN(300)-170)) // doubles near those of bfloat16
		}
		inputs = append(inputs, []uint64{x})
	}
	for i, out := range launchWords(wordKernel(t, declared, results, words), inputs, words) {
		x := inputs[i][0]
		numbers := []float64{float64(math.Float32frombits(uint32(x))), math.Float64frombits(x)}
		for j := range results {
			var exact *big.Float
			switch {
			case j != 1 && j < 6 && (math.IsNaN(numbers[0]) || math.IsInf(numbers[0], 0)), j == 1 && (math.IsNaN(numbers[1]) || math.IsInf(numbers[1], 0)):
				if n := numbers[btoi(j == 1)]; math.IsNaN(n) != math.IsNaN(bfloat16(out[j]).float()) || math.IsInf(n, 0) && bfloat16(out[j]).float() != n {
					t.Errorf("%s of %#x is %#x", results[j], x, out[j])
				}
				continue
			case j == 1:
				exact = big.NewFloat(numbers[1])
			case j < 6:
				exact = big.NewFloat(numbers[0])
			default:
				k := bfloat16Integers[(j-6)/4]
				n := new(big.Int).SetUint64(x & (1<<(k.bits-1)<<1 - 1))
				if k.signed && n.Bit(int(k.bits)-1) == 1 {
					n.Sub(n, new(big.Int).Lsh(big.NewInt(1), k.bits))
				}
				exact = new(big.Float).SetInt(n)
			}
			if want := roundBfloat16(exact, modes[j]); want != bfloat16(out[j]) {
				t.Errorf("%s of %#x is %#x; want %#x", results[j], x, out[j], want)
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestFromBfloat16: each of the 65,536 values as integers in each mode, as float, and its
// parts.
func TestFromBfloat16(t *testing.T) {
	const words = 32
	declared, results := "float number(ushort) __asm(\"__imf_bfloat162float\");\n", []string{"as_uint(number((ushort)in[0]))"}
	for _, k := range bfloat16Integers {
		for _, m := range modeNames {
			declared += fmt.Sprintf("%s %s_%s(ushort) __asm(\"__imf_bfloat162%s_%s\");\n", k.kind, k.name, m, k.name, m)
			results = append(results, fmt.Sprintf("%s_%s((ushort)in[0])", k.name, m))
		}
	}
	for _, name := range []string{"ceil", "floor", "rint", "trunc", "fabs"} {
		declared += fmt.Sprintf("ushort b_%s(ushort) __asm(\"__imf_%sbf16\");\n", name, name)
		results = append(results, fmt.Sprintf("b_%s((ushort)in[0])", name))
	}
	var inputs [][]uint64
	for x := range uint64(1 << 16) {
		inputs = append(inputs, []uint64{x})
	}
	parts := []func(float64) float64{math.Ceil, math.Floor, math.RoundToEven, math.Trunc, math.Abs}
	rounds := map[string]func(float64) float64{"rd": math.Floor, "rn": math.RoundToEven, "ru": math.Ceil, "rz": math.Trunc}
	for i, out := range launchWords(wordKernel(t, declared, results, words), inputs, words) {
		x := bfloat16(i).float()
		if out[0] != uint64(i)<<16 {
			t.Errorf("%#x is %#x", i, out[0])
		}
		for j, k := range bfloat16Integers {
			for n, m := range modeNames {
				if got, want := out[1+4*j+n], saturate(rounds[m](x), k.bits, k.signed); got != want {
					t.Errorf("%s_%s of %v is %#x; want %#x", k.name, m, x, got, want)
				}
			}
		}
		for j, f := range parts {
			if got, want := bfloat16(out[25+j]).float(), f(x); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s of %v is %v; want %v", results[25+j], x, got, want)
			}
		}
	}
}

// saturate returns a whole number as an integer in 64 bits, or its nearest.
func saturate(x float64, bits uint, signed bool) uint64 {
	low, high := 0.0, math.Ldexp(1, int(bits))
	if signed {
		low, high = -high/2, high/2
	}
	switch {
	case math.IsNaN(x):
		return 0
	case x <= low:
		return uint64(int64(low))
	case x >= high && signed:
		return 1<<(bits-1) - 1
	case x >= high:
		return math.MaxUint64 >> (64 - bits)
	case x < 0:
		return uint64(int64(x))
	}
	return uint64(x)
}

// TestBfloat16Arithmetic: fused products and roots are the exact results, rounded once,
// and the logistic function is within half a unit in the last place and a little.
func TestBfloat16Arithmetic(t *testing.T) {
	const words = 8
	declared := `ushort fused(ushort, ushort, ushort) __asm("__imf_fmabf16"); ushort root(ushort) __asm("__imf_sqrtbf16"); ushort inverse(ushort) __asm("__imf_rsqrtbf16");
ushort larger(ushort, ushort) __asm("__imf_fmaxbf16"); ushort smaller(ushort, ushort) __asm("__imf_fminbf16"); ushort sign(ushort, ushort) __asm("__imf_copysignbf16");
ushort logistic(ushort) __asm("__imf_fsigmbf16");
`
	results := []string{"fused((ushort)in[0], (ushort)in[1], (ushort)in[2])", "root((ushort)in[0])", "inverse((ushort)in[0])", "larger((ushort)in[0], (ushort)in[1])", "smaller((ushort)in[0], (ushort)in[1])", "sign((ushort)in[0], (ushort)in[1])", "logistic((ushort)in[0])"}
	random, inputs := rand.New(rand.NewPCG(5, 6)), [][]uint64{}
	for range 20000 {
		x, y := random.Uint64N(1<<16), random.Uint64N(1<<16)
		product := bfloat16(x).float() * bfloat16(y).float()
		z := uint64(math.Float32bits(float32(-product))>>16) + random.Uint64N(5) - 2 // near it: bits cancel
		if random.IntN(3) == 0 {
			z = random.Uint64N(1 << 16)
		}
		inputs = append(inputs, []uint64{x, y, z & 0xffff})
	}
	for i, out := range launchWords(wordKernel(t, declared, results, words), inputs, words) {
		x, y, z := bfloat16(inputs[i][0]), bfloat16(inputs[i][1]), bfloat16(inputs[i][2])
		check := func(at int, want bfloat16) {
			if got := bfloat16(out[at]); got != want && !(math.IsNaN(got.float()) && math.IsNaN(want.float())) {
				t.Errorf("%s of %v, %v, %v is %#x (%v); want %#x (%v)", results[at], x.float(), y.float(), z.float(), got, got.float(), want, want.float())
			}
		}
		check(5, x&0x7fff|y&0x8000)
		if f := x.float(); f > -80 { // beyond it, results are smaller than normal numbers
			if got, want := bfloat16(out[6]).float(), 1/(1+math.Exp(-f)); math.Abs(got-want) > want*0x1.01p-8 {
				t.Errorf("%s of %v is %v; want %v", results[6], f, got, want)
			}
		}
		if a, b := x.float(), y.float(); !math.IsNaN(a) && !math.IsNaN(b) && a != b {
			wants := []bfloat16{x, y}
			check(3, wants[btoi(a < b)])
			check(4, wants[btoi(a > b)])
		}
		if f := x.float(); f > 0 && !math.IsInf(f, 0) {
			root := new(big.Float).SetPrec(200).SetFloat64(f)
			root.Sqrt(root)
			check(1, roundBfloat16(root, big.ToNearestEven))
			check(2, roundBfloat16(new(big.Float).SetPrec(200).Quo(big.NewFloat(1), root), big.ToNearestEven))
		}
		if f := x.float()*y.float() + z.float(); math.IsNaN(f) || math.IsInf(f, 0) {
			check(0, bfloat16(math.Float32bits(float32(f))>>16))
			continue
		}
		exact := new(big.Float).SetPrec(1000).SetFloat64(x.float() * y.float())
		exact.Add(exact, big.NewFloat(z.float()))
		check(0, roundBfloat16(exact, big.ToNearestEven))
	}
}
