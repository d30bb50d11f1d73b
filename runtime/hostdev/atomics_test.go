package hostdev

import (
	"slices"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

func TestAtomics(t *testing.T) {
	eachLevel(t, "atomics.cl", func(t *testing.T, p *testProgram) {
		t.Run("int", func(t *testing.T) { testAtomics[int32](t, p, "int") })
		t.Run("uint", func(t *testing.T) { testAtomics[uint32](t, p, "uint") })
		t.Run("long", func(t *testing.T) { testAtomics[int64](t, p, "long") })
		t.Run("ulong", func(t *testing.T) { testAtomics[uint64](t, p, "ulong") })
		t.Run("old", func(t *testing.T) { testOldAtomics(t, p) })
		t.Run("float", func(t *testing.T) { testFloatCells(t, p) })
		t.Run("misaligned", func(t *testing.T) { testMisaligned(t, p) })
	})
}

func testAtomics[T int32 | uint32 | int64 | uint64](t *testing.T, p *testProgram, name string) {
	const n = 512
	start := []T{10, 20, 0, 0, ^T(0), 50, 0, 0, 1, ^T(0), 0}
	want := append([]T(nil), start...)
	least, most := start[5], start[6]
	for i := T(0); i < n; i++ {
		want[0] += i
		want[1] -= i
		want[2] |= 1 << (i & 15)
		want[3] ^= i
		want[4] &^= 1 << (i & 15)
		least, most = min(least, i-100), max(most, i-100)
		want[8] += 2
	}
	want[5], want[6], want[10] = least, most, 77
	cell, sum := p.buffer(start), p.buffer(make([]T, 2))
	p.launch("atomics_"+name, groups(n, 16), cell, sum)
	got, sums := readBuffer[T](p, cell), readBuffer[T](p, sum)
	for i := range want {
		if i != 7 && i != 9 && got[i] != want[i] {
			t.Errorf("cell %d = %v; want %v", i, got[i], want[i])
		}
	}
	// The exchanged values and the last one are all values that were ever
	// stored. Only one work-item finds the cell unchanged.
	if total := sums[0] + got[7]; total != T(n*(n+1)/2) {
		t.Errorf("sum of exchanged values = %v; want %v", total, T(n*(n+1)/2))
	}
	if got[9] >= n || sums[1] != n-1 {
		t.Errorf("compare-exchange: cell %v, %v work-items failed; want one of %d, all others", got[9], sums[1], n)
	}
}

// testMisaligned: the fault names the work-item, not the first one of its step.
func testMisaligned(t *testing.T, p *testProgram) {
	err := p.tryLaunch("misaligned_middle", items(16), p.buffer(make([]int32, 17)))
	if err == nil || !strings.Contains(err.Error(), "work-item (5,0,0)") || !strings.Contains(err.Error(), "aligned") {
		t.Errorf("error = %v; want that an access of work-item (5,0,0) is not aligned", err)
	}
}

func testOldAtomics(t *testing.T, p *testProgram) {
	const n, size = 128, 16
	cell := p.buffer([]int32{0, 0, 1000, 1000, 7, 7, -1, 0, 0, 0, 0})
	ucell := p.buffer([]uint32{100, 100})
	p.launch("atomics_old", groups(n, size), cell, ucell)
	want := []int32{n, n, 1000 - n, 1000 - 2*n, -50, n - 1 - 50, ^0xff, 0xff, 0, 3 * n, 5}
	check(t, p, "cells", cell, want)
	check(t, p, "unsigned cells", ucell, []uint32{5, n - 1 + 5})
}

func testFloatCells(t *testing.T, p *testProgram) {
	cell, flag := p.buffer([]float32{1, 1}), p.buffer(make([]int32, 4))
	p.launch("float_cells", driver.Range{Global: []int{1}}, cell, flag)
	check(t, p, "floats", cell, []float32{5, 2.5})
	check(t, p, "flags", flag, []int32{0, 0, 1, 1})
}

// narrowAtomics is the numbers that the kernels of narrow.spvasm leave in cells of some bits that
// were 100 each at first, without the order in which work-items come.
func narrowAtomics(count, bits int) (cells [13]uint16, sums [2]uint32) {
	field := uint16(1)<<(bits-1)<<1 - 1
	signed := func(v uint16) int16 { return int16(v<<(16-bits)) >> (16 - bits) }
	for i := range cells {
		cells[i] = 100
	}
	for n := range count {
		i, mixed, one := uint16(n), uint16(n)*37&field, uint16(1)<<(n&7)
		cells[0] += i
		cells[1] -= i
		cells[2] |= one
		cells[3] ^= mixed
		cells[4] &^= one
		if signed(mixed) < signed(cells[5]) {
			cells[5] = mixed
		}
		if signed(mixed) > signed(cells[6]) {
			cells[6] = mixed
		}
		cells[7], cells[8] = min(cells[7], mixed), max(cells[8], mixed)
		sums[0] += uint32(mixed)
		sums[1] += 77
		cells[10]++
		cells[11] += 2
	}
	cells[12] = 77
	for i := range cells {
		cells[i] &= field
	}
	return cells, sums
}

func TestNarrowAtomics(t *testing.T) {
	test := func(options Options) func(t *testing.T) {
		return func(t *testing.T) {
			p := buildModules(t, options, driver.BuildOptions{}, asmModule(t, "narrow"))
			testNarrow[uint8](t, p, "narrow8", 8)
			testNarrow[uint16](t, p, "narrow16", 16)
		}
	}
	for _, e := range executors {
		t.Run(e.name, test(e.options))
	}
	if systemCompiler() != nil {
		t.Run("native", test(nativeOptions(t, 0)))
	}
}

func testNarrow[T uint8 | uint16](t *testing.T, p *testProgram, kernel string, bits int) {
	t.Helper()
	const count = 1000
	start, want := make([]T, 13), make([]T, 13)
	cells, sums := narrowAtomics(count, bits)
	for i := range start {
		start[i], want[i] = 100, T(cells[i])
	}
	out, sum := p.buffer(start), p.buffer([]uint32{0, 0})
	p.launch(kernel, groups(count, 10), out, sum)
	got := readBuffer[T](p, out)
	sums[0] += 100 - uint32(got[9]) // the one that came last, which nobody has seen
	want[9] = got[9]
	check(t, p, kernel, out, want)
	check(t, p, kernel, sum, sums[:])
	requireCompiled(t, p, kernel)
}

// TestHalfAtomics: atomic operations of halves are compiled. The sums are exact, in any order,
// and each work-item gets another number of those that came before it.
func TestHalfAtomics(t *testing.T) {
	test := func(t *testing.T, o Options) {
		p := buildModules(t, o, driver.BuildOptions{}, asmModule(t, "half_atomics"))
		if !o.Interpret && !o.Check {
			compiled(t, p, "half_atomics")
		}
		const count = 100
		in := make([]uint16, count)
		for i := range in {
			n := i%7 - 3
			in[i] = map[int]uint16{-3: 0xc200, -2: 0xc000, -1: 0xbc00, 0: 0, 1: 0x3c00, 2: 0x4000, 3: 0x4200}[n]
		}
		in[50] = 0x7e00 // a NaN is less and greater than nothing
		out, olds := p.buffer([]uint16{0, 0x3c00, 0, 0, 0x1234}), p.buffer(make([]uint16, count))
		p.launch("half_atomics", groups(count, 20), p.buffer(in), out, olds)
		got := readBuffer[uint16](p, out)
		if got[0]&0x7fff <= 0x7c00 {
			t.Errorf("the sum is %#x; want a NaN", got[0])
		}
		if want := []uint16{0xc200, 0x4200, 0x5640, 0x1234}; !slices.Equal(got[1:], want) {
			t.Errorf("%#x; want %#x", got[1:], want)
		}
		list := readBuffer[uint16](p, olds)
		slices.Sort(list)
		if len(slices.Compact(list)) != count {
			t.Error("work-items got the same number")
		}
	}
	inEveryExecutor(t, test)
}
