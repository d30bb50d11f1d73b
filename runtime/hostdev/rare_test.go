package hostdev

import (
	"bytes"
	"math"
	"testing"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
)

// angles has large ones, small ones and no numbers at all side by side, several of them
// twice: the rare ones are computed one after the other.
func angles(n int) []float64 {
	some := []float64{
		1e10, 0.5, -1e10, 1e300, 1e10, math.Inf(1), 3, math.NaN(), -1e38, 1 << 19, 1<<19 - 1, -(1 << 19),
		math.Inf(-1), 1e22, math.Copysign(0, -1), math.MaxFloat64, 6381956970095103 * 0x1p797,
	}
	return counted(n, func(i int) float64 { return some[i*i%len(some)] })
}

// TestLargeAngles: the rare arguments give the same bits in every executor, and the right
// value.
func TestLargeAngles(t *testing.T) {
	l := levels[2]
	code := translate(t, bitcode(t, "testdata/kernels/math.cl", l), l)
	var executors []Options
	for _, width := range []int{0, 1, 4, 8, 16} {
		executors = append(executors, Options{Lanes: width, Interpret: width == 0})
	}
	if !testing.Short() { // which runs no C compiler
		executors = append(executors, nativeOptions(t, 8))
	}
	const n = 203 // with a rest of less than a step
	results := map[string][]byte{}
	for _, options := range executors {
		p := buildModules(t, options, driver.BuildOptions{}, module("math", code))
		for _, f := range []string{"sin", "cos", "tan"} {
			got := map[string][]byte{f + "_double": anglesThrough[float64](p, f+"_double", n), f + "_float": anglesThrough[float32](p, f+"_float", n)}
			for name, bits := range got {
				if results[name] == nil {
					results[name] = bits
				}
				if !bytes.Equal(bits, results[name]) {
					t.Errorf("%s: %d lanes (native %v) give other results than the interpreter", name, options.Lanes, options.Cache != nil)
				}
				compiled(t, p, name)
			}
		}
	}
	// The angle of a double that is the nearest to a multiple of pi/2.
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("math", code))
	out := p.buffer(make([]float64, 1))
	x := p.buffer([]float64{6381956970095103 * 0x1p797})
	p.launch("cos_double", items(1), x, x, out)
	if got := readBuffer[float64](p, out)[0]; math.Abs(got) > 4.7e-19 || math.Abs(got) < 4.6e-19 {
		t.Errorf("cos(6381956970095103 2^797) is %v", got)
	}
}

func anglesThrough[T float32 | float64](p *testProgram, kernel string, n int) []byte {
	in := angles(n)
	x, out := p.buffer(counted(n, func(i int) T { return T(in[i]) })), p.buffer(make([]T, n))
	p.launch(kernel, items(n), x, x, out)
	return readBuffer[byte](p, out)
}

// TestSineIsShort: the reduction of large angles is in the code once for a step of several
// work-items and once for one, without lanes; it was 3,000 instructions.
func TestSineIsShort(t *testing.T) {
	l := levels[2]
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("math", translate(t, bitcode(t, "testdata/kernels/math.cl", l), l)))
	for name, most := range map[string]int{"sin_float": 1500, "sin_double": 2000} {
		k, err := p.program.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		low, err := lowerKernel(k.(*kernel), &k.(*kernel).p.host)
		if err != nil {
			t.Fatal(err)
		}
		code, err := k.(*kernel).compileLanes(low.f, 0, lanes.AnyRows)
		if err != nil {
			t.Fatal(err)
		}
		if len(code.Insts) > most {
			t.Errorf("%s has %d instructions", name, len(code.Insts))
		}
		if n, err := k.(*kernel).narrowLanes(low.f, code, lanes.AnyRows); err != nil || n.Width < defaultLanes {
			t.Errorf("%s is code for %d lanes: %v", name, n.Width, err)
		}
	}
}
