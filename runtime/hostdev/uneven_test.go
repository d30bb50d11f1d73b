package hostdev

import (
	"testing"

	"offlink/runtime/driver"
)

// TestUnevenGroups: work-groups that are smaller than the others, because the local size does
// not divide the global size, have barriers, local memory, functions of work-groups and
// sub-groups of their own size.
func TestUnevenGroups(t *testing.T) {
	eachLevel(t, "uneven.cl", func(t *testing.T, p *testProgram) {
		for _, r := range []driver.Range{
			{Global: []int{37}, Local: []int{16}},
			{Global: []int{37}, Local: []int{16}, Offset: []int{5}},
			{Global: []int{5}, Local: []int{16}},
			{Global: []int{40}, Local: []int{16}},
			{Global: []int{19, 5}, Local: []int{8, 2}},
			{Global: []int{9, 3, 3}, Local: []int{4, 2, 2}, Offset: []int{1, 2, 3}},
		} {
			for _, kernel := range []string{"rotated", "summed", "nowait"} {
				testUneven(t, p, kernel, r)
			}
		}
		p.launch("nowait", driver.Range{Global: []int{0}, Local: []int{16}}, p.buffer(make([]int32, 1)), driver.Arg{LocalSize: 4})
	})
}

func testUneven(t *testing.T, p *testProgram, kernel string, r driver.Range) {
	size := func(list []int, d int) int {
		if d < len(list) {
			return list[d]
		}
		return 1
	}
	nx, ny, nz := size(r.Global, 0), size(r.Global, 1), size(r.Global, 2)
	number := func(x, y, z int) int { return (z*ny+y)*nx + x }
	want := make([]int32, nx*ny*nz)
	for z := range nz {
		for y := range ny {
			for x := range nx {
				// The group's corner, and its size.
				var from, n [3]int
				for d, at := range []int{x, y, z} {
					local := size(r.Local, d)
					from[d] = at / local * local
					n[d] = min(local, size(r.Global, d)-from[d])
				}
				var list []int // the numbers of the group's work-items
				own := 0
				for c := range n[2] {
					for b := range n[1] {
						for a := range n[0] {
							if (from[0]+a == x) && (from[1]+b == y) && (from[2]+c == z) {
								own = len(list)
							}
							list = append(list, number(from[0]+a, from[1]+b, from[2]+c))
						}
					}
				}
				sum := 0
				for _, v := range list {
					sum += v
				}
				want[number(x, y, z)] = map[string]int32{
					"rotated": int32(list[(own+1)%len(list)]),
					"summed":  int32(sum*100 + len(list)),
					"nowait":  int32(own*1000 + len(list)),
				}[kernel]
			}
		}
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch(kernel, r, out, driver.Arg{LocalSize: 4 * 16})
	check(t, p, kernel, out, want)
}

// TestUnevenSubgroups: the last sub-groups of small work-groups are smaller.
func TestUnevenSubgroups(t *testing.T) {
	eachLevel(t, "builtins.cl", func(t *testing.T, p *testProgram) {
		const size, local = 29, 12
		var want []int32
		for i := range int32(size) {
			from := i / local * local
			items := min(local, size-from)
			group, lane := (i-from)/8, (i-from)%8
			n, first := min(8, items-8*group), i-lane
			largest, third := int32(-1<<31), int32(0)
			if lane > 0 {
				largest = i - 1
			}
			if first <= 2 && 2 < first+n {
				third = 1
			}
			want = append(want, n, (items+7)/8, group, lane, n*first+n*(n-1)/2, largest, first, third)
		}
		out := p.buffer(make([]int32, len(want)))
		p.launch("subgroups", groups(size, local), out)
		check(t, p, "results", out, want)
	})
}

// TestUnevenBudget: the parts of a range take from one budget.
func TestUnevenBudget(t *testing.T) {
	for _, interpret := range []bool{false, true} {
		code := translate(t, bitcode(t, "testdata/kernels/uneven.cl", levels[2]), levels[2])
		p := buildModules(t, Options{Interpret: interpret, Steps: 40 * fuelStep}, driver.BuildOptions{}, module("uneven", code))
		out := p.buffer(make([]int32, 64))
		r := driver.Range{Global: []int{3, 3}, Local: []int{2, 2}}
		if err := p.tryLaunch("counted", r, out, byValueOf(int32(fuelStep/4))); err != nil {
			t.Errorf("interpret %v: %v", interpret, err)
		}
		if err := p.tryLaunch("counted", r, out, byValueOf(int32(7*fuelStep))); err == nil {
			t.Errorf("interpret %v: no part ends the budget", interpret)
		}
	}
}

// TestUnevenRefused: OpenCL C 1.2 has groups of one size.
func TestUnevenRefused(t *testing.T) {
	code := translate(t, bitcode(t, "testdata/kernels/uneven.cl", levels[2], "-cl-std=CL1.2"), levels[2])
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("uneven", code))
	err := p.tryLaunch("counted", groups(8, 3), p.buffer(make([]int32, 8)), byValueOf(int32(1)))
	if want := "kernel counted: the local size [3] does not divide the global size [8]"; err == nil || err.Error() != want {
		t.Errorf("error = %v; want %s", err, want)
	}
}
