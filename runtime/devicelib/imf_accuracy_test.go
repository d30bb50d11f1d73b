package devicelib_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// accuracyFunctions are the functions with a choice of accuracy, without those that store
// two results.
var accuracyFunctions = []struct {
	name string
	one  func(x float64) float64    // nil: it has two parameters
	two  func(x, y float64) float64 // nil: it has one
}{
	{"acos", math.Acos, nil},
	{"acosh", math.Acosh, nil},
	{"asin", math.Asin, nil},
	{"asinh", math.Asinh, nil},
	{"atan", math.Atan, nil},
	{"atanh", math.Atanh, nil},
	{"cos", math.Cos, nil},
	{"cosh", math.Cosh, nil},
	{"erf", math.Erf, nil},
	{"erfc", math.Erfc, nil},
	{"exp", math.Exp, nil},
	{"exp2", math.Exp2, nil},
	{"exp10", func(x float64) float64 { return math.Pow(10, x) }, nil},
	{"expm1", math.Expm1, nil},
	{"log", math.Log, nil},
	{"log10", math.Log10, nil},
	{"log1p", math.Log1p, nil},
	{"log2", math.Log2, nil},
	{"sin", math.Sin, nil},
	{"sinh", math.Sinh, nil},
	{"tan", math.Tan, nil},
	{"tanh", math.Tanh, nil},
	{"atan2", nil, math.Atan2},
	{"hypot", nil, math.Hypot},
	{"pow", nil, math.Pow},
}

// TestAccuracyVariants: each variant of each function, by each of its two names, has the
// function's value.
func TestAccuracyVariants(t *testing.T) {
	for _, c := range []struct {
		kind, suffix string
		size         int
		bound        float64 // of the relative error: 8 units in the last place
	}{{"float", "f", 4, 8.0 / (1 << 23)}, {"double", "", 8, 8.0 / (1 << 52)}} {
		var declared, calls strings.Builder
		var names []string
		var want []float64
		add := func(name, parameters, arguments string, value float64) {
			fmt.Fprintf(&declared, "%s f%d(%s) __asm(%q);\n", c.kind, len(names), parameters, name)
			fmt.Fprintf(&calls, "out[%d] = f%d(%s);\n", len(names), len(names), arguments)
			names, want = append(names, name), append(want, value)
		}
		for _, f := range accuracyFunctions {
			for _, accuracy := range []string{"_ha", "_la", "_ep"} {
				for _, prefix := range []string{"__imf_", "__devicelib_imf_"} {
					name := prefix + f.name + c.suffix + accuracy
					switch {
					case f.two != nil:
						add(name, c.kind+", "+c.kind, "in[0], in[1]", f.two(0.75, 1.75))
					case f.name == "acosh":
						add(name, c.kind, "in[1]", f.one(1.75))
					default:
						add(name, c.kind, "in[0]", f.one(0.75))
					}
				}
			}
		}
		for _, name := range []string{"sincos", "sincospi"} {
			for _, accuracy := range []string{"", "_ha", "_la", "_ep"} {
				if name == "sincospi" && accuracy != "" {
					continue
				}
				full, i := "__imf_"+name+c.suffix+accuracy, len(names)
				fmt.Fprintf(&declared, "void f%d(%s, %s *, %s *) __asm(%q);\n", i, c.kind, c.kind, c.kind, full)
				fmt.Fprintf(&calls, "{ %s s, c; f%d(in[0], &s, &c); out[%d] = s; out[%d] = c; }\n", c.kind, i, i, i+1)
				x := 0.75
				if name == "sincospi" {
					x *= math.Pi
				}
				names, want = append(names, full, full+" (cosine)"), append(want, math.Sin(x), math.Cos(x))
			}
		}
		p := compile(t, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"+declared.String()+
			fmt.Sprintf("kernel void k(global %s *out, global const %s *in) {\n%s}", c.kind, c.kind, calls.String()))
		in := append([]float64{0.75, 1.75}, make([]float64, len(names)-2)...) // as long as the results
		out := p.launch("k", encodeReals(in, c.size), c.size*len(names))
		for i, got := range decodeReals(out, c.size) {
			if !(math.Abs(got-want[i]) <= c.bound*math.Abs(want[i])) {
				t.Errorf("%s = %v; want %v", names[i], got, want[i])
			}
		}
	}
}

// TestHalfFunctions: functions of half are those of the numbers, rounded to half.
func TestHalfFunctions(t *testing.T) {
	p := compile(t, `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half f_cos(half) __asm("__imf_cosf16"); half f_sin(half) __asm("__imf_sinf16"); half f_exp(half) __asm("__imf_expf16"); half f_exp2(half) __asm("__imf_exp2f16");
half f_exp10(half) __asm("__imf_exp10f16"); half f_log(half) __asm("__imf_logf16"); half f_log2(half) __asm("__imf_log2f16"); half f_log10(half) __asm("__imf_log10f16");
half f_ha(half) __asm("__imf_expf16_ha"); half f_la(half) __asm("__devicelib_imf_expf16_la"); half f_ep(half) __asm("__imf_logf16_ep");
kernel void k(global float *out, global const float *in) {
  half x = (half)in[0];
  out[0] = f_cos(x); out[1] = f_sin(x); out[2] = f_exp(x); out[3] = f_exp2(x); out[4] = f_exp10(x); out[5] = f_log(x); out[6] = f_log2(x); out[7] = f_log10(x);
  out[8] = f_ha(x); out[9] = f_la(x); out[10] = f_ep(x);
}`)
	const x = 1.75
	out := decodeReals(p.launch("k", encodeReals(append([]float64{x}, make([]float64, 10)...), 4), 4*11), 4)
	for i, want := range []float64{
		math.Cos(x), math.Sin(x), math.Exp(x), math.Exp2(x), math.Pow(10, x), math.Log(x), math.Log2(x), math.Log10(x),
		math.Exp(x), math.Exp(x), math.Log(x),
	} {
		if got := out[i]; !(math.Abs(got-want) <= math.Abs(want)/(1<<11)) {
			t.Errorf("out[%d] = %v; want %v", i, got, want)
		}
	}
}

func encodeReals(list []float64, size int) (data []byte) {
	for _, x := range list {
		if size == 4 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
		} else {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
	}
	return data
}

func decodeReals(data []byte, size int) (list []float64) {
	for ; len(data) >= size; data = data[size:] {
		if size == 4 {
			list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
		} else {
			list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
	}
	return list
}
