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

var roundingModes = map[string]big.RoundingMode{
	"rd": big.ToNegativeInf, "rn": big.ToNearestEven, "ru": big.ToPositiveInf, "rz": big.ToZero,
}

// TestRoundedDoubles: sums, products, quotients, fused products and roots of doubles
// in each rounding mode are those of math/big, which rounds the exact result once.
// Normal numbers far apart and near are taken; the results are normal too.
func TestRoundedDoubles(t *testing.T) {
	const count = 2000
	random := rand.New(rand.NewPCG(1, 2))
	var input []byte
	var values [][3]float64
	for range count {
		var v [3]float64
		for i := range v {
			v[i] = math.Ldexp(random.Float64()+1, random.IntN(120)-60)
			if random.IntN(4) == 0 {
				v[i] = float64(random.IntN(4096) + 1)
			}
			if random.IntN(2) == 0 {
				v[i] = -v[i]
			}
			input = binary.LittleEndian.AppendUint64(input, math.Float64bits(v[i]))
		}
		values = append(values, v)
	}
	exact := func(f func(z, x, y, w *big.Float)) func(v [3]float64, mode big.RoundingMode) float64 {
		return func(v [3]float64, mode big.RoundingMode) float64 {
			const enough = 1000 // bits for every exact sum and product here
			z := new(big.Float).SetPrec(enough).SetMode(mode)
			f(z, big.NewFloat(v[0]), big.NewFloat(v[1]), big.NewFloat(v[2]))
			r, _ := new(big.Float).SetMode(mode).SetPrec(53).Set(z).Float64()
			return r
		}
	}
	functions := []struct {
		name, parameters, arguments string
		value                       func(v [3]float64, mode big.RoundingMode) float64
	}{
		{"dadd", "double, double", "in[3 * i], in[3 * i + 1]", exact(func(z, x, y, _ *big.Float) { z.Add(x, y) })},
		{"dsub", "double, double", "in[3 * i], in[3 * i + 1]", exact(func(z, x, y, _ *big.Float) { z.Sub(x, y) })},
		{"dmul", "double, double", "in[3 * i], in[3 * i + 1]", exact(func(z, x, y, _ *big.Float) { z.Mul(x, y) })},
		{"ddiv", "double, double", "in[3 * i], in[3 * i + 1]", exact(func(z, x, y, _ *big.Float) { z.Quo(x, y) })},
		{"drcp", "double", "in[3 * i]", exact(func(z, x, _, _ *big.Float) { z.Quo(big.NewFloat(1), x) })},
		{
			"fma", "double, double, double", "in[3 * i], in[3 * i + 1], in[3 * i + 2]",
			exact(func(z, x, y, w *big.Float) { z.Add(new(big.Float).SetPrec(200).Mul(x, y), w) }),
		},
		{"sqrt", "double", "fabs(in[3 * i])", exact(func(z, x, _, _ *big.Float) { z.Sqrt(new(big.Float).Abs(x)) })},
	}
	var source strings.Builder
	source.WriteString("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n")
	for _, f := range functions {
		for mode := range roundingModes {
			fmt.Fprintf(&source, "double %[1]s(%[2]s) __asm(\"__imf_%[1]s\");\nkernel void k_%[1]s(global double *out, global const double *in) { size_t i = get_global_id(0); out[i] = %[1]s(%[3]s); }\n",
				f.name+"_"+mode, f.parameters, f.arguments)
		}
	}
	p := compile(t, source.String())
	for _, f := range functions {
		for name, mode := range roundingModes {
			out := p.launch("k_"+f.name+"_"+name, input, 24)
			for i, v := range values {
				got, want := math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:])), f.value(v, mode)
				if got != want && (got != 0 || want != 0) {
					t.Fatalf("%s_%s(%x) = %x; want %x", f.name, name, v, got, want)
				}
			}
		}
	}
}

// TestPackedIntegers: functions of packed words are those of their parts, and halves of
// averages are rounded away from zero, as the library of DPC++ has it.
func TestPackedIntegers(t *testing.T) {
	clamp := func(x, least, greatest int) int { return max(least, min(x, greatest)) }
	functions := map[string]func(x, y, least, greatest int) int{
		"vadds":   func(x, y, _, _ int) int { return x + y },
		"vaddsss": func(x, y, least, greatest int) int { return clamp(x+y, least, greatest) },
		"vsubsss": func(x, y, least, greatest int) int { return clamp(x-y, least, greatest) },
		"vavgss": func(x, y, _, _ int) int {
			if x+y < 0 {
				return (x + y - 1) / 2
			}
			return (x + y + 1) / 2
		},
		"vmaxss": func(x, y, _, _ int) int { return max(x, y) },
		"vminss": func(x, y, _, _ int) int { return min(x, y) },
		"vcmpgtss": func(x, y, _, _ int) int {
			if x > y {
				return -1
			}
			return 0
		},
		"vsetless": func(x, y, _, _ int) int {
			if x <= y {
				return 1
			}
			return 0
		},
		"vabsdiffss": func(x, y, _, _ int) int { return max(x-y, y-x) },
	}
	random := rand.New(rand.NewPCG(3, 4))
	var input []byte
	for range 4000 {
		word := random.Uint32()
		if random.IntN(4) == 0 {
			word = word&0x01010101 ^ 0x7fff8000
		}
		input = binary.LittleEndian.AppendUint32(input, word)
	}
	var source strings.Builder
	for name := range functions {
		for _, parts := range []string{"2", "4"} {
			symbol := strings.TrimSuffix(name, "s") + parts
			fmt.Fprintf(&source, "uint %[1]s(uint, uint) __asm(\"__imf_%[1]s\");\nkernel void k_%[1]s(global uint *out, global const uint *in) { size_t i = get_global_id(0); out[i] = %[1]s(in[2 * i], in[2 * i + 1]); }\n", symbol)
		}
	}
	p := compile(t, source.String())
	for name, value := range functions {
		for _, bits := range []int{16, 8} {
			symbol := fmt.Sprintf("%s%d", strings.TrimSuffix(name, "s"), 32/bits)
			out := p.launch("k_"+symbol, input, 8)
			for i := 0; 8*i < len(input); i++ {
				x, y := binary.LittleEndian.Uint32(input[8*i:]), binary.LittleEndian.Uint32(input[8*i+4:])
				var want uint32
				for at := 0; at < 32; at += bits {
					part := func(w uint32) int { return int(int32(w<<(32-bits-at)) >> (32 - bits)) }
					want |= uint32(value(part(x), part(y), -1<<(bits-1), 1<<(bits-1)-1)) & (1<<bits - 1) << at
				}
				if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
					t.Fatalf("%s(%#x, %#x) = %#x; want %#x", symbol, x, y, got, want)
				}
			}
		}
	}
}
