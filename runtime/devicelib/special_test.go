package devicelib_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"strconv"
	"strings"
	"testing"
)

// specialValue is a line of testdata/special.txt.
type specialValue struct {
	order   string // "" for functions without
	x, want float64
}

// readSpecialValues returns the lines by function.
func readSpecialValues(t *testing.T) map[string][]specialValue {
	t.Helper()
	text, err := os.ReadFile("testdata/special.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]specialValue)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		v := specialValue{}
		if len(fields) == 4 {
			v.order = fields[1]
		}
		for i, to := range []*float64{&v.x, &v.want} {
			if *to, err = strconv.ParseFloat(fields[len(fields)-2+i], 64); err != nil {
				t.Fatal(err)
			}
		}
		all[fields[0]] = append(all[fields[0]], v)
	}
	return all
}

// isWave reports whether the zeros of a function lie anywhere: near them, the error is compared
// with the height of the wave.
func isWave(name string) bool { return strings.ContainsAny(name[:1], "jy") }

// TestSpecialFunctions: values within 8 units in the last place of mpmath's, for Bessel functions
// of the size of the wave.
func TestSpecialFunctions(t *testing.T) {
	all := readSpecialValues(t)
	if len(all) != 26 {
		t.Fatalf("testdata/special.txt has %d functions", len(all))
	}
	for name, values := range all {
		t.Run(name, func(t *testing.T) {
			kind, size, unit := "double", 8, 0x1p-52
			if strings.HasSuffix(name, "f") {
				kind, size, unit = "float", 4, 0x1p-23
			}
			parameters, orders := kind, ""
			arguments := "in[get_global_id(0)]"
			if values[0].order != "" {
				var list []string
				for _, v := range values {
					list = append(list, v.order)
				}
				orders = "constant int orders[] = {" + strings.Join(list, ", ") + "};\n"
				parameters, arguments = "int, "+kind, "orders[get_global_id(0)], "+arguments
			}
			p := compile(t, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"+orders+fmt.Sprintf(
				"%s f(%s) __asm(\"__imf_%s\");\nkernel void k(global %s *out, global const %s *in) { out[get_global_id(0)] = f(%s); }",
				kind, parameters, name, kind, kind, arguments))
			var in []float64
			for _, v := range values {
				in = append(in, v.x)
			}
			worst := 0.0
			for i, got := range decodeReals(p.launch("k", encodeReals(in, size), size), size) {
				v := values[i]
				height := math.Abs(v.want)
				if isWave(name) {
					height = max(height, math.Sqrt(2/math.Pi/math.Abs(v.x)))
				}
				units := math.Abs(got-v.want) / (unit * height)
				worst = max(worst, units)
				if !(units <= 8) {
					t.Errorf("%s(%s %v) = %v; want %v (%.1f units)", name, v.order, v.x, got, v.want, units)
				}
			}
			t.Logf("%s: at most %.1f units", name, worst)
		})
	}
}

// TestSpecialCases: values at the ends of the ranges, and those of the functions of complex
// numbers and of <fenv.h> that go with them.
func TestSpecialCases(t *testing.T) {
	var declared, calls strings.Builder
	var names []string
	var want []float64
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name, parameters, arguments string
		want                        float64
	}{
		{"__imf_erfinv", "double", "1.0", inf},
		{"__imf_erfinv", "double", "-1.0", -inf},
		{"__imf_erfinv", "double", "1.5", nan},
		{"__imf_erfinv", "double", "0.0", 0},
		{"__imf_erfcinv", "double", "0.0", inf},
		{"__imf_erfcinv", "double", "2.0", -inf},
		{"__imf_erfcinv", "double", "-0.5", nan},
		{"__imf_cdfnorminv", "double", "0.0", -inf},
		{"__imf_cdfnorminv", "double", "0.5", 0},
		{"__imf_cdfnorm", "double", "INFINITY", 1},
		{"__imf_cdfnorm", "double", "-INFINITY", 0},
		{"__imf_erfcx", "double", "-30.0", inf},
		{"__imf_erfcx", "double", "INFINITY", 0},
		{"__imf_i0", "double", "-INFINITY", inf},
		{"__imf_i1", "double", "-INFINITY", -inf},
		{"__imf_i0", "double", "800.0", inf},
		{"__imf_j0", "double", "0.0", 1},
		{"__imf_j0", "double", "INFINITY", 0},
		{"__imf_j1", "double", "-INFINITY", 0},
		{"__imf_y0", "double", "0.0", -inf},
		{"__imf_y1", "double", "-1.0", nan},
		{"__imf_y1", "double", "1e-300", -2 / math.Pi * 1e300},
		{"__imf_jn", "int, double", "5, 0.0", 0},
		{"__imf_jn", "int, double", "1000000000, 2.0", 0},
		{"__imf_jn", "int, double", "-3, 2.0", -0.12894324947440205},
		{"__imf_jn", "int, double", "3, -2.0", -0.12894324947440205},
		{"__imf_jn", "int, double", "-3, -2.0", 0.12894324947440205},
		{"__imf_yn", "int, double", "2, 0.0", -inf},
		{"__imf_yn", "int, double", "100, 1e-9", -inf},
		{"__imf_j0", "double", "NAN", nan},
		{"__imf_rcp64h", "double", "3.0", math.Float64frombits(math.Float64bits(1.0/3) &^ (1<<32 - 1))},
		{"__imf_nan", "const char *", "0", nan},
	} {
		fmt.Fprintf(&declared, "double f%d(%s) __asm(%q);\n", len(names), c.parameters, c.name)
		fmt.Fprintf(&calls, "out[%d] = f%d(%s);\n", len(names), len(names), c.arguments)
		names, want = append(names, c.name+"("+c.arguments+")"), append(want, c.want)
	}
	p := compile(t, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"+declared.String()+`
typedef struct { double re, im; } complex;
void cexp10(complex *, complex) __asm("cexp10"); void clog10(complex *, complex) __asm("__devicelib_clog10");
int feclearexcept(int); int fetestexcept(int) __asm("__devicelib_fetestexcept"); int feenableexcept(int); int fedisableexcept(int);
kernel void k(global double *out, global const double *in) {
`+calls.String()+fmt.Sprintf(`out += %d; complex z; cexp10(&z, (complex){1.25, -7.5}); out[0] = z.re; out[1] = z.im; clog10(&z, (complex){-3, 4}); out[2] = z.re; out[3] = z.im;
out[4] = feclearexcept(1) * 1000 + fetestexcept(31) * 100 + feenableexcept(1) * 10 + fedisableexcept(2);
}`, len(names)))
	power, logarithm := complex(-0.1666471891446052, 17.78201323616615), cmplx.Log10(-3+4i) // the power by mpmath
	names = append(names, "cexp10", "cexp10 (imaginary)", "clog10", "clog10 (imaginary)", "<fenv.h>")
	want = append(want, real(power), imag(power), real(logarithm), imag(logarithm), -10)
	for i, got := range decodeReals(p.launch("k", encodeReals(make([]float64, len(names)), 8), 8*len(names)), 8) {
		same := got == want[i] || math.IsNaN(got) && math.IsNaN(want[i]) || math.Abs(got-want[i]) <= 1e-14*math.Abs(want[i])
		if !same {
			t.Errorf("%s = %v; want %v", names[i], got, want[i])
		}
	}
}
