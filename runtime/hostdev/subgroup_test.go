package hostdev

import (
	"slices"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

func TestRequiredSubgroups(t *testing.T) {
	eachLevel(t, "subgroups.cl", func(t *testing.T, p *testProgram) {
		testSubgroupPlaces(t, p)
		testSubgroupFunctions(t, p)
		testSubgroupsInGroup(t, p)
		testChosenBarriers(t, p)
		err := p.tryLaunch("apart", items(16), p.buffer(make([]int32, 16)))
		if want := "the work-item waits for its sub-group, and not all of it come here"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v; want %s", err, want)
		}
	})
}

// testSubgroupPlaces has a work-group whose last sub-group is not full.
func testSubgroupPlaces(t *testing.T, p *testProgram) {
	const size = 3 * 7
	out := p.buffer(make([]uint32, 2*size*6))
	p.launch("places", driver.Range{Global: []int{3, 14}, Local: []int{3, 7}}, out)
	var want []uint32
	for range 2 {
		for i := range uint32(size) {
			group, lane := i/8, i%8
			n := min(8, size-group*8)
			want = append(want, n, 8, 3, group, lane, n*group*8+n*(n-1)/2)
		}
	}
	check(t, p, "places", out, want)
}

func testSubgroupFunctions(t *testing.T, p *testProgram) {
	const size = 32
	in := counted(size, func(i int) int32 { return int32(i*29%53) - 4 })
	out := p.buffer(make([]int32, size*5))
	p.launch("functions", driver.Range{Global: []int{size}, Local: []int{size}}, p.buffer(in), out)
	var want []int32
	for i := range in {
		lane, sub := i%8, in[i/8*8:][:8]
		sum, largest, least, votes := int32(0), int32(-1<<31), sub[0], int32(1)
		for j, x := range sub {
			if j <= lane {
				sum += x
			}
			if j < lane {
				largest = max(largest, x)
			}
			least = min(least, x)
			if x <= 10 {
				votes &^= 1
			}
			if x > 40 {
				votes |= 2
			}
		}
		want = append(want, sum, largest, sub[3], votes, least)
	}
	check(t, p, "functions", out, want)
}

func TestIntelSubgroups(t *testing.T) {
	l := levels[2]
	code := translate(t, bitcode(t, "testdata/kernels/subgroups_intel.cl", l), l, "--spirv-ext=+SPV_INTEL_subgroups")
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("intel", code))
	const size = 32
	in := counted(size, func(i int) int32 { return int32(i*29%53) - 4 })
	out, blocks := p.buffer(make([]int32, size*5)), p.buffer(make([]int32, 2*size))
	p.launch("functions", driver.Range{Global: []int{size}, Local: []int{size}}, p.buffer(in), out, blocks)
	var want []int32
	written := make([]int32, 2*size)
	for i, v := range in {
		lane, sub := i%8, in[i/8*8:][:8]
		up, down := -sub[(lane+6)%8], -sub[(lane+3)%8]
		if lane >= 2 {
			up = sub[lane-2]
		}
		if lane+3 < 8 {
			down = sub[lane+3]
		}
		want = append(want, sub[(lane*3+1)&7], sub[lane^5], up, down, v)
		if i < 24 {
			written[i/8*16+lane], written[i/8*16+8+lane] = v+1, in[i+8]+1
		}
	}
	check(t, p, "functions", out, want)
	check(t, p, "blocks", blocks, written)
}

func testSubgroupsInGroup(t *testing.T, p *testProgram) {
	const size = 32
	out := p.buffer(make([]int32, size))
	p.launch("both", driver.Range{Global: []int{size}, Local: []int{size}}, out, driver.Arg{LocalSize: 64})
	all := int32(0)
	for g := range int32(size / 8) {
		for n := range g + 1 {
			all += 8*(g*8+n) + 28
		}
	}
	var want []int32
	for i := range int32(size) {
		want = append(want, all+i/8*8+7)
	}
	check(t, p, "both", out, want)
}

// TestLaps counts the work-items of each iteration of a loop that they leave one after the other.
// testChosenBarriers: the compiled code has barriers where only memory tells that all
// work-items come.
func testChosenBarriers(t *testing.T, p *testProgram) {
	const size = 24
	if k, err := p.program.Kernel("chosen"); err != nil || !p.options.Interpret && !p.options.Check && Interpreted(k) != nil {
		t.Error("chosen is interpreted:", err, Interpreted(k))
	}
	launch := func(laps func(i int) int32) ([]int32, error) {
		out := p.buffer(make([]int32, size))
		err := p.tryLaunch("chosen", groups(size, size), p.buffer(counted(size, laps)), out, driver.Arg{LocalSize: 4 * size})
		return readBuffer[int32](p, out), err
	}
	for laps := range int32(4) {
		got, err := launch(func(int) int32 { return laps })
		if want := chosenSums(size, int(laps)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d laps: %v, error %v; want %v", laps, got, err, want)
		}
	}
	// Sub-groups that have ended do not count, which the checked mode does not take.
	got, err := launch(func(i int) int32 { return int32(i / 8) })
	if want := endingSums(size); (err != nil) != p.options.Check || err == nil && !slices.Equal(got, want) {
		t.Errorf("sub-groups that end: %v, error %v; want %v", got, err, want)
	}
	for name, laps := range map[string]func(i int) int32{
		"lanes that end":  func(i int) int32 { return 1 - int32(i%3%2)*2 },
		"lanes that stay": func(i int) int32 { return int32(i / 23) },
	} {
		if _, err := launch(laps); err == nil || !strings.Contains(err.Error(), "the work-item waits for its work-group") {
			t.Errorf("%s: error = %v", name, err)
		}
	}
}

// chosenSums are the results of chosen.
func chosenSums(size, laps int) []int32 {
	sums := counted(size, func(i int) int32 { return int32(i/8*64 + 28 + i%3%2*100) })
	for k := laps; k > 0; k-- {
		last := slices.Clone(sums)
		for i := range sums {
			sums[i] += last[(i+k)%size]
		}
	}
	if laps == 0 {
		return sums
	}
	return counted(size, func(i int) int32 { return sums[i/8*8+3] + int32(i) })
}

// endingSums are the results of chosen with as many laps as the number of the sub-group.
func endingSums(size int) []int32 {
	sums, shared := chosenSums(size, 0), make([]int32, size)
	for lap := range size / 8 {
		for i := 8 * (lap + 1); i < size; i++ {
			shared[i] = sums[i]
		}
		for i := 8 * (lap + 1); i < size; i++ {
			sums[i] += shared[(i+i/8-lap)%size]
		}
	}
	for i := 8; i < size; i++ {
		shared[i] = sums[i/8*8+3] + int32(i)
	}
	return append(sums[:8:8], shared[8:]...)
}

func TestLaps(t *testing.T) {
	for _, e := range executors {
		t.Run(e.name, func(t *testing.T) {
			testLaps(t, buildModules(t, e.options, driver.BuildOptions{}, asmModule(t, "laps")), 16)
		})
	}
}

func testLaps(t *testing.T, p *testProgram, n int) {
	out := p.buffer(make([]int32, n))
	p.launch("laps", groups(n, n), out)
	var want []int32
	for i := range int32(n) {
		sum, lane := int32(80000), i%8
		for n := range lane {
			sum += 7 - n
			if lane%2 == 1 {
				sum += 100 * ((8 - n) / 2)
			}
		}
		want = append(want, sum)
	}
	check(t, p, "laps", out, want)
}

// TestBallotBits has ballots with bits that no work-item of the sub-group has.
func TestBallotBits(t *testing.T) {
	for _, options := range []Options{{}, {Interpret: true}} {
		p := buildModules(t, options, driver.BuildOptions{}, asmModule(t, "ballots"))
		in := []uint32{0xffffffff, 0xff0c, 1, 0xffffff80, 0x80, 0xfe, 0x30, 0x10, 0xf1, 0x8, 0x9, 0x42, 0x7, 0x6, 0x5, 0x70}
		want := []uint32{0, 7, 2, 3, 0, 0, 7, 7, 7, 7, 1, 7, 4, 5, 4, 4, 0, 7, 3, 3, 0, 3, 1, 6, 0, 2, 1, 2, 0, 2, 4, 6}
		out := p.buffer(make([]uint32, len(want)))
		p.launch("ballots", driver.Range{Global: []int{16}, Local: []int{16}}, p.buffer(in), out)
		check(t, p, "bits", out, want)
	}
}

// TestClusters has reductions and rotations of parts of a sub-group of eight, and the masks of
// lanes relative to the own one.
func TestClusters(t *testing.T) {
	for _, e := range executors {
		t.Run(e.name, func(t *testing.T) {
			testClusters(t, buildModules(t, e.options, driver.BuildOptions{}, asmModule(t, "clusters")))
		})
	}
	t.Run("native", func(t *testing.T) {
		if testing.Short() {
			t.Skip("-short runs no C compiler")
		}
		testClusters(t, buildModules(t, nativeOptions(t, 8), driver.BuildOptions{}, asmModule(t, "clusters")))
	})
}

func testClusters(t *testing.T, p *testProgram) {
	in := counted(16, func(i int) uint32 { return uint32(i*i*7 + 3) })
	var want, odd []uint32
	for i := range uint32(16) {
		first, pair, lane := i&^3, i&^1, i%8
		want = append(want, in[first]+in[first+1]+in[first+2]+in[first+3], max(in[pair], in[pair+1]),
			in[i&^7+(lane+3)%8], in[first+(i+1)%4], 1<<lane, 0xff&^(1<<lane-1), 0xff&^(2<<lane-1), 2<<lane-1, 1<<lane-1)
		odd = append(odd, i%2*(in[first+1]+in[first+3]))
	}
	out := p.buffer(make([]uint32, len(want)))
	p.launch("clusters", driver.Range{Global: []int{16}, Local: []int{16}}, p.buffer(in), out)
	check(t, p, "clusters", out, want)
	oddOut := p.buffer(make([]uint32, len(odd)))
	p.launch("odd", driver.Range{Global: []int{16}, Local: []int{16}}, p.buffer(in), oddOut)
	check(t, p, "odd", oddOut, odd)
	requireCompiled(t, p, "clusters")
	requireCompiled(t, p, "odd")
}

// TestFarOffset: a constant index that is 4 GiB times four away faults in each executor,
// though its low half is that of an element.
func TestFarOffset(t *testing.T) {
	far := asmModule(t, "ballots")
	far.Code = mutate(far.Code, []byte{62, 0, 1, 0}) // the high half of the index of the second store
	for _, e := range executors {
		p := buildModules(t, e.options, driver.BuildOptions{}, far)
		in, out := p.buffer(make([]uint32, 16)), p.buffer(make([]uint32, 32))
		if err := p.tryLaunch("ballots", driver.Range{Global: []int{16}, Local: []int{16}}, in, out); err == nil {
			t.Errorf("%s: a store at 16 GiB from an allocation of 128 bytes runs", e.name)
		}
	}
}
