package hostdev

import (
	"testing"

	"offlink/runtime/driver"
)

// TestWaiting has work-items of a sub-group that wait for each other, which must come to an
// end, in compiled code too. All of them are of one work-group, as others may run later.
func TestWaiting(t *testing.T) {
	eachLevel(t, "waiting.cl", testWaiting)
	if systemCompiler() == nil {
		return
	}
	l := levels[len(levels)-1]
	code := translate(t, bitcode(t, "testdata/kernels/waiting.cl", l), l)
	t.Run("native", func(t *testing.T) {
		testWaiting(t, buildModules(t, nativeOptions(t, 0), driver.BuildOptions{}, module("waiting", code)))
	})
}

func testWaiting(t *testing.T, p *testProgram) {
	if p.options.Check {
		t.Skip("the checked mode does not know locks, and reports races")
	}
	const size = 48
	all := size * (size - 1) / 2
	for _, test := range []struct {
		kernel string
		sums   []int32
		out    func(i int32) int32
	}{
		{"lock_after", []int32{int32(sumOf(size, func(i int) int { return i * (i%3 + 1) }))}, func(i int32) int32 { return i%3 + 1 }},
		{"lock_once", fourSums(size), func(i int32) int32 { return i/16*256 + 120 }},
		{"lock_within", []int32{int32(all)}, func(i int32) int32 { return i }},
		{"chain", nil, chained},
		{"retries", retrySums(size), func(i int32) int32 { return i*7%41 + 1 }},
		{"solve", nil, solved},
		{"guarded", nil, chained},
	} {
		t.Run(test.kernel, func(t *testing.T) {
			lock, sum, out := p.buffer(make([]int32, 64)), p.buffer(make([]int32, 8)), p.buffer(make([]int32, size))
			p.launch(test.kernel, driver.Range{Global: []int{size}, Local: []int{size}}, lock, sum, out)
			check(t, p, "out", out, counted(size, func(i int) int32 { return test.out(int32(i)) }))
			if test.sums != nil {
				check(t, p, "sums", sum, append(test.sums, make([]int32, 8-len(test.sums))...))
			}
			switch test.kernel {
			case "solve", "guarded": // where others wait than those in the loop
			default:
				compiled(t, p, test.kernel)
			}
		})
	}
}

func sumOf(count int, term func(i int) int) (sum int) {
	for i := range count {
		sum += term(i)
	}
	return sum
}

func fourSums(count int) []int32 {
	sums := make([]int32, 4)
	for i := range count {
		sums[i%4] += int32(i)
	}
	return sums
}

func chained(i int32) (sum int32) {
	for n := range i + 1 {
		sum = sum*3 + n
	}
	return sum
}

func solved(i int32) int32 {
	all := i
	for n := i &^ 3; n < i; n++ {
		all += solved(n)
	}
	return all
}

func retrySums(count int) []int32 {
	sums := make([]int32, 8)
	for i := range count {
		for n := range i % 5 {
			sums[n] += int32(i)
		}
		sums[7] += int32(i)
	}
	return sums
}
