package hostdev

import (
	"math"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
)

// TestIntegerDots compares dot products of bytes with sums in 64 bits.
func TestIntegerDots(t *testing.T) {
	testtool.Need(t, "clang-19", "spirv-val")
	bc := filepath.Join(t.TempDir(), "a.bc")
	mustRun(t, "clang-19", "--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O2", "-emit-llvm", "-c", "testdata/kernels/dots.cl", "-o", bc)
	code := translateHere(t, bc)
	for _, e := range executors {
		t.Run(e.name, func(t *testing.T) {
			testIntegerDots(t, buildModules(t, e.options, driver.BuildOptions{}, module("dots.cl", code)))
		})
	}
}

func testIntegerDots(t *testing.T, p *testProgram) {
	const n = 64
	a := counted(4*n, func(i int) uint8 { return uint8(i * i * 37) })
	b := counted(4*n, func(i int) uint8 { return uint8(255 - i*91) })
	sums := counted(n, func(i int) int32 {
		return []int32{math.MaxInt32 - 99, math.MinInt32 + 99, -5, int32(i) * 1000}[i%4]
	})
	out := p.buffer(make([]int32, 16*n))
	p.launch("dots", items(n), p.buffer(a), p.buffer(b), p.buffer(sums), out)
	var want []int32
	for i := range n {
		uu, ss, us, su := int64(0), int64(0), int64(0), int64(0)
		for k := range 4 {
			x, y := a[4*i+k], b[4*i+k]
			uu += int64(x) * int64(y)
			ss += int64(int8(x)) * int64(int8(y))
			us += int64(x) * int64(int8(y))
			su += int64(int8(x)) * int64(y)
		}
		row := []int32{int32(uu), int32(ss), int32(us), int32(su), int32(uint32(min(uu+int64(uint32(sums[i])), math.MaxUint32)))}
		for _, product := range []int64{ss, us, su} {
			row = append(row, int32(max(math.MinInt32, min(product+int64(sums[i]), math.MaxInt32))))
		}
		want = append(append(want, row...), row...)
	}
	check(t, p, "dot products", out, want)
	if k, err := p.program.Kernel("dots"); err == nil && !p.options.Interpret && !p.options.Check {
		err := Interpreted(k)
		if err != nil {
			t.Error(err)
		}
	}
}
