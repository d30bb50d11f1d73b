package hostdev

import (
	"math"
	"testing"

	"offlink/runtime/driver"
)

// TestPressure: where registers are short, compiled code of each width has the interpreter's
// results. For v128.bitselect wazero 1.12 loses a change of a register that it spills.
func TestPressure(t *testing.T) {
	const size = 800
	l := levels[len(levels)-1]
	code := translate(t, bitcode(t, "testdata/kernels/pressure.cl", l), l)
	results := map[string][]float64{}
	for _, options := range []Options{{Interpret: true}, {Lanes: 1}, {Lanes: 4}, {Lanes: 8}, {Lanes: 16}} {
		p := buildModules(t, options, driver.BuildOptions{}, module("pressure", code))
		for name, items := range map[string]int{"tanh_of": size, "tanh_of_eight": size / 8} {
			x := p.buffer(counted(size, func(i int) float64 { return -6 + 12*float64(i)/size }))
			y := p.buffer(make([]float64, size))
			p.launch(name, groups(items, 100), x, y)
			compiled(t, p, name)
			got := readBuffer[float64](p, y)
			if results[name] == nil {
				results[name] = got
			}
			for i, want := range results[name] {
				if math.Float64bits(got[i]) != math.Float64bits(want) {
					t.Errorf("%s, %d lanes: item %d is %v, the interpreter's %v", name, options.Lanes, i, got[i], want)
					break
				}
			}
		}
	}
}
