package hostdev

import (
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// TestLargeGroups has work-groups of as many work-items as the device allows: with barriers and
// local memory, functions of the group, sub-groups, and private memory that is too much for all of
// them.
func TestLargeGroups(t *testing.T) {
	inEveryExecutor(t, testLargeGroups)
}

func testLargeGroups(t *testing.T, o Options) {
	p := buildModules(t, o, driver.BuildOptions{}, readModules(t, "golden/barriers.spv")...)
	reduceGroups(t, p, 2*maxGroup, maxGroup)
	haloGroups(t, p, 2*maxGroup, maxGroup)
	testHeavy(t, p)
	testSlots(t, p)
	testLargeScan(t, buildModules(t, o, driver.BuildOptions{}, readModules(t, "golden/groups.spv")...))
	testLaps(t, buildModules(t, o, driver.BuildOptions{}, asmModule(t, "laps")), maxGroup)
}

func testHeavy(t *testing.T, p *testProgram) {
	out := p.buffer(make([]int32, maxGroup))
	p.launch("heavy", groups(16, 16), out)
	check(t, p, "kept", driver.Arg{Memory: out.Memory}, counted(maxGroup, func(i int) int32 {
		if i < 16 {
			return int32(i)
		}
		return 0
	}))
	k, err := p.program.Kernel("heavy")
	if err != nil || k.Info().MaxGroup != 2048 {
		t.Errorf("largest group %d, error %v; want 2048", k.Info().MaxGroup, err)
	}
	err = p.tryLaunch("heavy", groups(maxGroup, maxGroup), out)
	if want := "its private memory is larger than 131072 bytes, its part of 1073741824 for a work-group; a smaller local size may do"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error = %v; want %s", err, want)
	}
}

// testSlots has four values of each work-item that it keeps over a barrier: they are not those of
// others.
func testSlots(t *testing.T, p *testProgram) {
	const n = 2 * maxGroup
	v := p.buffer(counted(4*n, func(i int) int32 { return int32(i*37 ^ i>>3) }))
	p.launch("slots", groups(n, maxGroup), v)
	check(t, p, "slots", v, counted(4*n, func(i int) int32 {
		at := func(k int) int32 { return int32((i+k*n)*37 ^ (i+k*n)>>3) }
		if i >= n {
			return 0
		}
		return at(0) + at(1)*3 + at(2)*11 + at(3)*13
	}))
}

func testLargeScan(t *testing.T, p *testProgram) {
	in := counted(maxGroup, func(i int) int32 { return int32(i*37%50 - 20) })
	out := p.buffer(make([]int32, 14*maxGroup))
	p.launch("group_ints", groups(maxGroup, maxGroup), p.buffer(in), out)
	got := readBuffer[int32](p, out)
	all, sum := int32(0), int32(0)
	for _, v := range in {
		all += v
	}
	for i, v := range in {
		before := sum
		sum += v
		if o := got[14*i:]; o[0] != all || o[3] != sum || o[4] != before || o[9] != in[2] {
			t.Fatalf("work-item %d: sums %d, %d and %d, value %d; want %d, %d, %d, %d", i, o[0], o[3], o[4], o[9], all, sum, before, in[2])
		}
	}
}
