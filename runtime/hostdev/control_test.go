package hostdev

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/runtime/driver"
)

// items is a range of one dimension.
func items(n int) driver.Range { return driver.Range{Global: []int{n}} }

// groups is a range of one dimension with a local size.
func groups(global, local int) driver.Range {
	return driver.Range{Global: []int{global}, Local: []int{local}}
}

// check compares a buffer.
func check[T any](t *testing.T, p *testProgram, what string, out driver.Arg, want []T) {
	t.Helper()
	if diff := cmp.Diff(want, readBuffer[T](p, out)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// testTwoEntries has the results of the kernel's own statements, step by step.
func testTwoEntries(t *testing.T, p *testProgram) {
	for _, n := range []int32{0, 2} {
		want := counted(16, func(id int) int32 {
			a, b, steps, second := 0, 0, 0, n&2 != 0
			for {
				last := false
				if !second {
					steps, a = steps+1, a+1
					last = id > 8
				}
				if second = false; !last {
					steps, b = steps+1, b+1
					if steps < 6 {
						continue
					}
				}
				if steps >= 9 {
					return int32(a*1000 + b + steps*100)
				}
				steps, second = steps+1, true
			}
		})
		out := p.buffer(make([]int32, 16))
		p.launch("two_entries", groups(16, 16), out, byValueOf(n))
		check(t, p, "two entries", out, want)
	}
}

// testContinue has the results of the kernels' own statements, work-item by work-item.
func testContinue(t *testing.T, p *testProgram) {
	const n = 16
	for _, bounds := range [][2]int32{{6, 9}, {6, 4}, {0, 5}, {9, 9}} {
		early, last := bounds[0], bounds[1]
		for kernel, result := range map[string]func(id int) int32{
			"parted": func(id int) int32 {
				sum, steps := loopOf(id, early, last, func(_ int32, parted bool) int32 {
					if parted {
						return 1
					}
					return 2
				})
				return sum*100 + steps
			},
			"kept": func(id int) int32 {
				x := int32(0)
				sum, _ := loopOf(id, early, last, func(step int32, parted bool) int32 {
					if !parted {
						x = step
					}
					return x
				})
				return sum
			},
		} {
			out := p.buffer(make([]int32, n))
			p.launch(kernel, groups(n, n), out, byValueOf(early), byValueOf(last))
			check(t, p, kernel, out, counted(n, result))
		}
	}
	out := p.buffer(make([]int32, n))
	p.launch("restarted", groups(n, n), out, byValueOf(int32(7)))
	check(t, p, "restarted", out, counted(n, func(id int) int32 { return restarted(id, 7) }))
	pairs := p.buffer(make([]int32, 2*n))
	p.launch("resumed", groups(n, n), pairs, byValueOf(int32(5)))
	check(t, p, "resumed", pairs, counted(2*n, func(i int) int32 { return resumed(i/2, 5)[i%2] }))
}

// loopOf is the loop of parted and kept; next is the value of x for the next step.
func loopOf(id int, early, last int32, next func(step int32, parted bool) int32) (sum, steps int32) {
	for x := int32(0); ; {
		steps++
		sum = sum*3 + x
		parted := id <= 8 && steps < early
		if !parted && steps >= last {
			return sum, steps
		}
		x = next(steps, parted)
	}
}

func restarted(id int, most int32) int32 {
	n, sum := int32(0), int32(0)
	for rounds := int32(1); ; rounds++ {
		again := false
		for j := 0; j < 3 && !again; j++ {
			n++
			if again = id&1 != 0 && n%4 == 1 && rounds < most; !again {
				sum += 10
			}
		}
		if again {
			continue
		}
		if sum += rounds; rounds >= most {
			return n*10000 + sum
		}
	}
}

// resumed has the results of the kernel's own statements.
func resumed(id int, m int32) [2]int32 {
	for n, y := int32(1), int32(1); ; n++ {
		if int32(id) < n && n < 20 || m > n && n < 14 {
			continue
		}
		x := y
		if y = 2; n >= 4 {
			return [2]int32{x + n*13, n}
		}
	}
}

func TestControlFlow(t *testing.T) {
	eachLevel(t, "control.cl", func(t *testing.T, p *testProgram) {
		t.Run("swap", func(t *testing.T) { testSwap(t, p) })
		t.Run("collatz", func(t *testing.T) { testCollatz(t, p) })
		t.Run("switches", func(t *testing.T) { testSwitches(t, p) })
		t.Run("gotos", func(t *testing.T) {
			out := p.buffer(make([]int32, 5))
			p.launch("gotos", items(5), out)
			check(t, p, "gotos", out, []int32{100, 120, 120, 21, 120})
		})
		t.Run("two entries", func(t *testing.T) { testTwoEntries(t, p) })
		t.Run("continue", func(t *testing.T) { testContinue(t, p) })
		t.Run("calls", func(t *testing.T) { testCalls(t, p) })
		t.Run("primes", func(t *testing.T) {
			out := p.buffer(make([]int32, 2))
			p.launch("primes", items(2), out, byValueOf(int32(1000)))
			check(t, p, "primes", out, []int32{168, 168})
		})
		t.Run("ternaries", func(t *testing.T) { testTernaries(t, p) })
		t.Run("duff", func(t *testing.T) { testDuff(t, p) })
		t.Run("entered", func(t *testing.T) { testEntered(t, p) })
	})
}

func testSwap(t *testing.T, p *testProgram) {
	for n := range int32(5) {
		a, b, c := int32(1), int32(2), int32(3)
		for range n {
			a, b, c = b, c, a
		}
		out := p.buffer(make([]int32, 3))
		p.launch("swap", items(1), out, byValueOf(n))
		check(t, p, "swap", out, []int32{a, b, c})
	}
}

func testCollatz(t *testing.T, p *testProgram) {
	in, want := []int32{1, 2, 3, 27, 97, 871, 6171}, []int32(nil)
	for _, start := range in {
		steps := int32(0)
		for v := start; v != 1; steps++ {
			if v%2 == 1 {
				v = 3*v + 1
			} else {
				v /= 2
			}
		}
		want = append(want, steps)
	}
	out := p.buffer(make([]int32, len(in)))
	p.launch("collatz", items(len(in)), p.buffer(in), out)
	check(t, p, "steps", out, want)
}

func switched(v int64) int32 {
	r := int32(0)
	switch int32(v) {
	case 0:
		r = 11
	case 1:
		r = 1
	case -5:
		r = 55
	case 1000000, 7:
		r = 7
	default:
		r = -1
	}
	switch v {
	case 0x123456789ab:
		r += 1000
	case -0x123456789ab:
		r += 2000
	case 0:
		r += 3000
	}
	switch uint8(v) {
	case 0xfb:
		r += 10000
	case 0xab:
		r += 20000
	}
	switch uint16(v) {
	case 0xfffb:
		r += 100000
	case 7:
		r += 200000
	}
	return r
}

func testSwitches(t *testing.T, p *testProgram) {
	in, want := []int64{0, 1, -5, 1000000, 7, 8, 0x123456789ab, -0x123456789ab, 0xab, 0x10007}, []int32(nil)
	for _, v := range in {
		want = append(want, switched(v))
	}
	out := p.buffer(make([]int32, len(in)))
	p.launch("switches", items(len(in)), p.buffer(in), out)
	check(t, p, "switches", out, want)
}

func testCalls(t *testing.T, p *testProgram) {
	in, want := []int32{6, 9, 25, 100, -8}, []int32(nil)
	for _, v := range in {
		a, b := v, int32(12)
		for b != 0 {
			a, b = b, a%b
		}
		want = append(want, v/a, v%a+'b', v*a+2)
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("calls", items(len(in)), p.buffer(in), out)
	check(t, p, "calls", out, want)
}

func testTernaries(t *testing.T, p *testProgram) {
	in, want := []int32{0, 1, 10, 11, 12, -3}, []int32(nil)
	for _, v := range in {
		big, odd := v > 10, v%2 != 0
		r := int32(0)
		for i, holds := range []bool{big, odd, big && odd, big || odd, big == odd, big != odd, !big, big != odd} {
			if holds {
				r |= 1 << i
			}
		}
		want = append(want, r)
	}
	out := p.buffer(make([]int32, len(in)))
	p.launch("ternaries", items(len(in)), p.buffer(in), out)
	check(t, p, "ternaries", out, want)
}

// testDuff counts up as the device of the kernel does.
func testDuff(t *testing.T, p *testProgram) {
	const count, n = 21, 6
	in, want := make([]int32, 40), make([]int32, count)
	for k := range in {
		in[k] = int32(k*k%17 - 5)
	}
	for i := range want {
		total, k, sum := n+i, 0, int32(0)
		for at := total % 4; ; at = 0 {
			if at == 0 && k >= total {
				break
			}
			steps := []int{0, 3, 2, 1}
			for _, s := range steps[(4-at)%4:] {
				switch v := in[k]; s {
				case 0:
					sum = sum*3 + v
				case 3:
					sum = sum*5 + v
				case 2:
					sum = sum*7 - v
				case 1:
					sum ^= v
				}
				k++
			}
		}
		want[i] = sum
	}
	out := p.buffer(make([]int32, count))
	p.launch("duff", items(count), p.buffer(in), out, byValueOf(int32(n)))
	check(t, p, "sums", out, want)
	requireCompiled(t, p, "duff")
}

// entered is the kernel of this name.
func entered(v int32) int32 {
	a, b := int32(1), int32(0)
	middle := v&1 != 0
	for {
		if !middle {
			a = a*3 + b
			left := false
			for range v & 3 {
				if b += a; b > 1000 {
					left = true
					break
				}
			}
			if !left && a > 5000 {
				break
			}
		}
		b = b*5 + v
		if middle = b&4 == 0; !middle {
			a += 7
			continue
		}
		if a >= 200 {
			break
		}
		a += b&15 + 1
	}
	return a*31 + b
}

func testEntered(t *testing.T, p *testProgram) {
	in := make([]int32, 37)
	want := make([]int32, len(in))
	for i := range in {
		in[i] = int32(i*7 - 20)
		want[i] = entered(in[i])
	}
	out := p.buffer(make([]int32, len(in)))
	p.launch("entered", items(len(in)), p.buffer(in), out)
	check(t, p, "results", out, want)
	requireCompiled(t, p, "entered")
}

// requireCompiled fails if the interpreter runs a kernel that the device should
// compile.
func requireCompiled(t *testing.T, p *testProgram, name string) {
	t.Helper()
	if p.options.Interpret || p.options.Check {
		return
	}
	k, err := p.program.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := Interpreted(k); err != nil {
		t.Errorf("%s is interpreted: %v", name, err)
	}
}
