package hostdev

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"offlink/runtime/driver"
)

// arguments are numbers of all sizes and signs, most of them of a size that functions are
// called with.
func arguments(n int) []float64 {
	random := rand.New(rand.NewPCG(1, 2))
	return counted(n, func(i int) float64 {
		switch i % 8 {
		case 0:
			return math.Float64frombits(random.Uint64())
		case 1, 2:
			return random.Float64()*2 - 1
		case 3:
			return math.Ldexp(random.Float64(), random.IntN(40)-20)
		}
		return random.NormFloat64() * 8
	})
}

// TestMathWidths: each function of math.cl gives the same bits for steps of any number of
// work-items as the interpreter gives.
func TestMathWidths(t *testing.T) {
	l := levels[2]
	code := translate(t, bitcode(t, "testdata/kernels/math.cl", l), l)
	const n = 1003 // with a rest of less than a step
	results := map[string][]byte{}
	for _, width := range []int{0, 1, 4, 8, 16} {
		p := buildModules(t, Options{Lanes: width, Interpret: width == 0}, driver.BuildOptions{}, module("math", code))
		for _, r := range readReferences(t) {
			name := r.name + "_" + r.kind
			var bits []byte
			switch r.kind {
			case "double":
				bits = argumentsThrough[float64](p, name, n)
			case "float":
				bits = argumentsThrough[float32](p, name, n)
			default:
				continue
			}
			if results[name] == nil {
				results[name] = bits
			}
			if !bytes.Equal(bits, results[name]) {
				t.Errorf("%s: %d lanes give other results than the interpreter", name, width)
			}
		}
	}
}

func argumentsThrough[T float32 | float64](p *testProgram, kernel string, n int) []byte {
	a := arguments(2 * n)
	x := p.buffer(counted(n, func(i int) T { return T(a[i]) }))
	y := p.buffer(counted(n, func(i int) T { return T(a[n+i]) }))
	out := p.buffer(make([]T, n))
	p.launch(kernel, items(n), x, y, out)
	return readBuffer[byte](p, out)
}
