package hostdev

import (
	"errors"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// endedCase is a launch in which work-items end before a barrier of others.
type endedCase struct {
	kernel string
	r      driver.Range
	args   []any // after the results and the local memory
	apart  bool  // a work-item ends where another one of its group does not
	want   []int32
}

func endedCases() (list []endedCase) {
	const local = 16
	for _, n := range []int{48, 41, 17, 3} {
		list = append(list, endedCase{"guarded", groups(48, local), []any{int32(n)}, n%local != 0, counted(48, func(i int) int32 {
			if i >= n {
				return 0
			}
			sum := 0
			for k := i / local * local; k < min(n, (i/local+1)*local); k++ {
				sum += k
			}
			return int32(sum)
		})})
	}
	for _, size := range []int{5, 16} {
		list = append(list, endedCase{"one_by_one", groups(2*size, size), nil, true, counted(2*size, func(i int) int32 {
			sum := 0
			for turn := range i%size + 1 {
				for k := turn; k < size; k++ {
					sum += 100*turn + k
				}
			}
			return int32(sum)
		})})
	}
	for _, n := range []int{6, 4, 1} {
		for _, width := range []int{8, 5} {
			list = append(list, uniformAfter(width, n, 1000))
		}
	}
	for _, turns := range []int{1, 2, 9} {
		list = append(list, leavesLoop(turns, 5))
	}
	for _, part := range [][2]int{{0, 16}, {0, 5}, {3, 11}, {15, 16}, {8, 16}} {
		from, to := part[0], part[1]
		list = append(list, endedCase{"in_branch", groups(32, local), []any{int32(from), int32(to)}, to-from < local, counted(32, func(i int) int32 {
			if l := i % local; l >= from && l < to {
				return int32((from + to - 1 - l) * (from + to - 1 - l))
			}
			return 7
		})})
	}
	for _, n := range []int{2, 1} {
		list = append(list, endedCase{"by_subgroups", groups(32, local), []any{int32(n)}, n < 2, counted(32, func(i int) int32 {
			sums := []int32{28, 92} // of 0 to 7 and 8 to 15
			if l := i % local; l/8 < n {
				return sums[0] + sums[l/8]
			}
			return 0
		})})
	}
	return list
}

// uniformAfter has two groups side by side and two above each other, of three rows each.
func uniformAfter(width, n, x int) endedCase {
	r := driver.Range{Global: []int{2 * width, 6}, Local: []int{width, 3}}
	return endedCase{"uniform_after", r, []any{int32(n), int32(x)}, n%3 != 0, counted(2*width*6, func(i int) int32 {
		column, row := i%(2*width), i/(2*width)
		if row >= n {
			return -1
		}
		l := row%3*width + column%width
		first := 3*x + column/width
		second := first ^ 21
		own := second
		if l&1 != 0 {
			second += 5
		}
		return int32(own + second + l + 3*width)
	})}
}

// leavesLoop has two groups of three rows side by side, of which the last one ends early.
func leavesLoop(turns, x int) endedCase {
	const width = 8
	r := driver.Range{Global: []int{2 * width, 3}, Local: []int{width, 3}}
	return endedCase{"leaves_loop", r, []any{int32(turns), int32(x)}, turns > 1, counted(2*width*3, func(i int) int32 {
		if i/(2*width) == 2 && turns > 1 {
			return 0
		}
		c, last := int32(x), int32(0)
		for i := range int32(turns) + 1 {
			c = c*3 + i
			last = c ^ i
		}
		return 2*c + last
	})}
}

// testEnded: work-items that have ended do not count at barriers, as on GPUs; in the checked
// mode each such launch is a finding.
func testEnded(t *testing.T, p *testProgram) {
	for _, c := range endedCases() {
		out := p.buffer(make([]int32, len(c.want)))
		args := []driver.Arg{out, {LocalSize: 4 * 64}}
		for _, a := range c.args {
			args = append(args, byValueOf(a))
		}
		err := p.tryLaunch(c.kernel, c.r, args...)
		var fault *Fault
		switch {
		case p.options.Check && c.apart:
			if !errors.As(err, &fault) || fault.kind != BarrierDivergence {
				t.Errorf("%s%v: %v; want a finding", c.kernel, c.args, err)
			}
		case err != nil:
			t.Errorf("%s%v: %v", c.kernel, c.args, err)
		default:
			check(t, p, c.kernel, out, c.want)
		}
	}
	out := p.buffer(make([]int32, 16))
	p.launch("copies_together", groups(16, 16), out, driver.Arg{LocalSize: 16}, byValueOf(int32(16)))
	err := p.tryLaunch("copies_together", groups(16, 16), out, driver.Arg{LocalSize: 16}, byValueOf(int32(9)))
	if err == nil || !strings.Contains(err.Error(), "does not come here") {
		t.Errorf("a copy of the work-group without some of its work-items: %v", err)
	}
}

func TestEnded(t *testing.T) { eachLevel(t, "ended.cl", testEnded) }
