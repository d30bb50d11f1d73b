package hostdev

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/runtime/driver"
)

// The structures of structs.cl, with their padding.

type mixed struct {
	C byte
	_ [3]byte
	I int32
	D float64
	S [3]int16
	_ [2]byte
}

type nested struct {
	M [2]mixed
	V [4]float32
	U [4]byte
	_ [12]byte
}

type point struct{ X, Y int32 }

func testNested(k int32) nested {
	n := nested{V: [4]float32{float32(k), 2, 3.5, -4}, U: [4]byte{1, 2, 3, byte(k)}}
	for i := range n.M {
		n.M[i] = mixed{C: byte('a' + i), I: k*10 + int32(i), D: float64(k) + 0.25, S: [3]int16{1, -2, int16(k)}}
	}
	return n
}

func TestStructs(t *testing.T) {
	eachLevel(t, "structs.cl", func(t *testing.T, p *testProgram) {
		out := p.buffer(make([]int32, 7))
		p.launch("sizes", items(1), out)
		check(t, p, "sizes", out, []int32{24, 13, 80, 8, 48, 64, 32})
		testByValue(t, p)
		testCopies(t, p)
		testArrays(t, p)
		testValues(t, p)
		testOwnCopies(t, p)
	})
}

// testOwnCopies: a function that changes an argument leaves the caller's value.
func testOwnCopies(t *testing.T, p *testProgram) {
	type parcel struct {
		Numbers [24]int32
		Tag     int8
		_       [3]byte
	}
	spent := func(g parcel, n int32) int32 {
		sum := int32(g.Tag) + 1
		g.Numbers[n&7] += 100
		for _, v := range g.Numbers {
			sum = sum*3 ^ v
		}
		return sum
	}
	given := parcel{Tag: 5}
	for k := range given.Numbers {
		given.Numbers[k] = int32(1000 + k*k)
	}
	in := counted(20, func(i int) int32 { return int32(i * 3) })
	var want []int32
	for _, n := range in {
		own := parcel{Tag: 3}
		for k := range own.Numbers {
			own.Numbers[k] = n + int32(k)
		}
		want = append(want, spent(own, n), own.Numbers[n&7]+3, spent(given, n)+spent(given, 1), given.Numbers[n&7]+5)
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("own_copies", items(len(in)), out, p.buffer(in), byValueOf(given))
	check(t, p, "own copies", out, want)
}

func testByValue(t *testing.T, p *testProgram) {
	n := testNested(5)
	var want []int32
	for i := range int32(3) {
		want = append(want, 50+(51+i)*2+5, 56, int32(binary.LittleEndian.Uint32(n.U[:])), 712)
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("by_value", items(3), byValueOf(n), byValueOf(point{7, 1}), out, byValueOf(int8(2)))
	check(t, p, "results", out, want)
}

func testCopies(t *testing.T, p *testProgram) {
	in := []nested{testNested(1), testNested(2)}
	type packed struct {
		C byte
		I int32
		D float64
	}
	var want []nested
	var small []packed
	for _, n := range in {
		n.M[0], n.M[1] = n.M[1], n.M[0]
		n.V = [4]float32{n.V[3], n.V[2], n.V[1], n.V[0]}
		n.U[1] = 0xee
		want = append(want, n)
		small = append(small, packed{n.M[0].C, n.M[1].I + 1, n.M[0].D})
	}
	out, smallOut := p.buffer(make([]nested, 2)), p.buffer(make([]packed, 2))
	p.launch("copies", items(2), p.buffer(in), out, smallOut)
	check(t, p, "packed", smallOut, small)
	for i, n := range readBuffer[nested](p, out) {
		if n != want[i] {
			t.Errorf("structure %d = %v; want %v", i, n, want[i])
		}
	}
}

func testArrays(t *testing.T, p *testProgram) {
	const n = 7
	var want []int32
	for i := range n {
		cell := func(x int) int32 { return int32(i%4*10 + x) }
		want = append(want, 1+3+5+cell(i%5), cell((i+1)%5)+int32(2*(i%3)+2))
	}
	out := p.buffer(make([]int32, 2*n))
	p.launch("arrays", items(n), out)
	check(t, p, "results", out, want)
}

func testValues(t *testing.T, p *testProgram) {
	in := []point{{1, 2}, {3, 4}, {-5, 6}}
	var want []point
	for i, a := range in {
		c := point{7, 8}
		if i%2 == 1 {
			c = a
		}
		a, c = c, a // three times
		c.X += a.Y
		want = append(want, c)
	}
	out := p.buffer(make([]point, len(in)))
	p.launch("values", items(len(in)), p.buffer(in), out)
	check(t, p, "results", out, want)
}

func TestMemory(t *testing.T) {
	eachLevel(t, "memory.cl", func(t *testing.T, p *testProgram) {
		for i := range int32(6) {
			testConstants(t, p, i)
		}
		testGlobals(t, p)
		testGenericPointers(t, p)
		testList(t, p)
		testLocals(t, p)
		testNarrowMemory(t, p)
		testLargeValues(t, p)
		testLargePrivate(t, p)
		out := p.buffer([]int32{10, 0})
		p.launch("volatiles", items(1), out)
		check(t, p, "volatiles", out, []int32{13, 13})
	})
}

func testLargeValues(t *testing.T, p *testProgram) {
	const n, size = 10, 5003
	in := counted(40, func(i int) uint8 { return uint8(i * i) })
	out := p.buffer(make([]uint8, n*size))
	p.launch("large_values", items(n), out, p.buffer(in))
	want := make([]uint8, n*size)
	for i := range n {
		v := want[i*size:][:size]
		for k := range 40 {
			v[int(in[k])*19%size] += uint8(k + i + 1)
		}
		v[size-1] = in[i]
	}
	check(t, p, "large values", out, want)
	if k, err := p.program.Kernel("large_values"); err != nil || !p.options.Interpret && !p.options.Check && Interpreted(k) != nil {
		t.Error("large_values is interpreted:", err, Interpreted(k))
	}
}

func testConstants(t *testing.T, p *testProgram, i int32) {
	table := []int32{10, 20, 30, 40, 50}
	names := []string{"zero", "one", "two"}
	odd := i & 1
	want := []int32{
		table[i%5], int32("first\x00second"[2+6*odd]), 3 - 8*odd, table[1+2*odd] + table[2],
		int32(names[i%3][1]), 3 + 2*odd, 0x12345678,
	}
	out := p.buffer(make([]int32, len(want)))
	if i == 5 { // beyond the table
		i = 0
		want[0], want[1], want[2], want[3], want[4], want[5] = 10, 'r', 3, 50, 'e', 3
	}
	p.launch("constants", items(1), out, byValueOf(i))
	check(t, p, "constants", out, want)
}

// testGlobals sees the variables of a program live as long as the program,
// and reaches them by name.
func testGlobals(t *testing.T, p *testProgram) {
	out := p.buffer(make([]int32, 2))
	p.launch("globals", groups(64, 8), out)
	check(t, p, "globals", out, []int32{77, 3})
	p.launch("read_counter", items(1), out)
	check(t, p, "counter", out, []int32{5 + 64 + 100, 77})
	counter, err := p.program.Variable("counter")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.queue.Write(counter, 0, []byte{42, 0, 0, 0}, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	p.launch("read_counter", items(1), out)
	check(t, p, "counter that the host wrote", out, []int32{42, 77})
	if _, err := p.program.Variable("nothing"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("Variable(nothing): error %v; want that it is not found", err)
	}
	zeros, err := p.program.Variable("zeros")
	if err != nil || zeros.Size() != 16 {
		t.Errorf("Variable(zeros) = %v, %v; want 16 bytes", zeros, err)
	}
}

func testGenericPointers(t *testing.T, p *testProgram) {
	out := p.buffer(make([]int32, 7))
	p.launch("generic_pointers", items(1), out, driver.Arg{LocalSize: 16})
	check(t, p, "results", out, []int32{5, 345, 421, 1, 1, 0, 12})
}

// testList has pointers in memory that one launch makes and another follows.
func testList(t *testing.T, p *testProgram) {
	nodes, out := p.buffer(make([]byte, 16*5)), p.buffer(make([]int32, 4))
	p.launch("build_list", items(1), nodes, byValueOf(int32(5)))
	p.launch("walk_list", items(1), nodes, out)
	check(t, p, "results", out, []int32{0 + 1 + 4 + 9 + 16, 2, 32, 1})
}

func testLocals(t *testing.T, p *testProgram) {
	const n, size = 12, 4
	want := counted(n, func(i int) int32 { j := size - 1 - i%size; return int32(j + 2*j*100 + j*10000 + 9) })
	out := p.buffer(make([]int32, n))
	p.launch("locals", groups(n, size), out,
		driver.Arg{LocalSize: 4 * size}, driver.Arg{LocalSize: size}, driver.Arg{LocalSize: 16 * size})
	check(t, p, "results", out, want)
}

func testNarrowMemory(t *testing.T, p *testProgram) {
	c, s, l := []int8{5, -7, 100}, []int16{1000, -32760, 0}, []uint64{1, 1 << 40, 3}
	wantC := []int8{10, -14, -56}
	wantS, wantL := make([]int16, 3), make([]uint64, 3)
	for i := range c {
		wantS[i] = s[i] - int16(wantC[i])
		wantL[i] = l[i]<<33 | uint64(uint8(wantC[i]))
	}
	bc, bs, bl := p.buffer(c), p.buffer(s), p.buffer(l)
	p.launch("narrow_memory", items(3), bc, bs, bl)
	check(t, p, "chars", bc, wantC)
	check(t, p, "shorts", bs, wantS)
	check(t, p, "longs", bl, wantL)
}

func TestPrintf(t *testing.T) {
	const want = `plain
42 -42    42|42   |00042|+42| 42
42 2a ABCDEF 0x2a 52 052 1099511627776
-3 -300 -5000000000 ok %
1.500000 1.50    1.500|1.5     |1.500000e+00 1.500e+00 1.5 1E-10 1e+20
text and      right|left  |cu
1,-2,3,42 ff,10 1.500000,2.000000,3.000000 1,2,-3,4
0.250000,-8.000000 1,2,3,4,5,6,7,-8
inf -inf INF 0x1.8p+0
0x0
`
	test := func(t *testing.T, p *testProgram) {
		p.output.Reset()
		p.launch("prints", items(1), byValueOf(int32(42)), byValueOf(float32(1.5)), driver.Arg{})
		got := p.output.String()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		p.output.Reset()
		p.launch("many", groups(100, 10))
		if n := bytes.Count(p.output.Bytes(), []byte("item ")); n != 100 || p.output.Len() != 100*5+10*2+90*3 {
			t.Errorf("%d lines of %d bytes; want 100 whole ones:\n%s", n, p.output.Len(), p.output)
		}
		err := p.tryLaunch("no_text", items(10), driver.Arg{})
		want := "load of 1 bytes through a null pointer"
		if !p.options.Check {
			want = "in function no_text: OpExtInst OpenCL.std printf: " + want
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "(3,0,0)") {
			t.Errorf("error = %v; want %s, in work-item (3,0,0)", err, want)
		}
	}
	eachLevel(t, "prints.cl", test)
	if systemCompiler() == nil || testing.Short() {
		return
	}
	// Native code calls the interpreter.
	l := levels[len(levels)-1]
	code := translate(t, bitcode(t, "testdata/kernels/prints.cl", l), l)
	t.Run("native", func(t *testing.T) {
		p := buildModules(t, nativeOptions(t, 0), driver.BuildOptions{}, module("prints", code))
		for _, name := range []string{"prints", "many", "no_text"} {
			compiled(t, p, name)
		}
		test(t, p)
		test(t, p) // after a fault
	})
}

func TestBuiltIns(t *testing.T) {
	eachLevel(t, "builtins.cl", func(t *testing.T, p *testProgram) {
		testIDs(t, p, driver.Range{Global: []int{8}, Local: []int{4}, Offset: []int{3}})
		testIDs(t, p, driver.Range{Global: []int{6, 4}, Local: []int{3, 2}, Offset: []int{10, 20}})
		testIDs(t, p, driver.Range{Global: []int{4, 6, 3}, Local: []int{2, 3, 1}})
		testIDs(t, p, driver.Range{Global: []int{11}, Local: []int{4}, Offset: []int{3}})
		testIDs(t, p, driver.Range{Global: []int{2}, Local: []int{4}})
		testIDs(t, p, driver.Range{Global: []int{6, 7}, Local: []int{6, 2}, Offset: []int{1, 2}})
		testIDs(t, p, driver.Range{Global: []int{5, 7, 3}, Local: []int{2, 3, 2}, Offset: []int{10, 20, 30}})
		testRequired(t, p)
		testSubgroups(t, p)
	})
}

func testIDs(t *testing.T, p *testProgram, r driver.Range) {
	full := func(list []int, missing uint64) (v [3]uint64) {
		v = [3]uint64{missing, missing, missing}
		for i, n := range list {
			v[i] = uint64(n)
		}
		return v
	}
	global, local, offset := full(r.Global, 1), full(r.Local, 1), full(r.Offset, 0)
	var want []uint64
	size := func(d int, group uint64) uint64 { return min(local[d], global[d]-group*local[d]) }
	for i := range global[0] * global[1] * global[2] {
		at := [3]uint64{i % global[0], i / global[0] % global[1], i / global[0] / global[1]}
		row := make([]uint64, 20)
		for d := range 3 {
			row[d] = offset[d] + at[d]
			row[3+d] = at[d] % local[d]
			row[6+d] = at[d] / local[d]
			row[9+d] = size(d, row[6+d])
			row[12+d] = (global[d]+local[d]-1)/local[d]*1000 + global[d]
		}
		row[15], row[16] = uint64(len(r.Global)), i
		row[17] = (row[5]*row[10]+row[4])*row[9] + row[3]
		last := len(r.Global) - 1
		row[18], row[19] = local[0], row[last]*100+row[9+last]
		want = append(want, row...)
	}
	out := p.buffer(make([]uint64, len(want)))
	p.launch("ids", r, out)
	check(t, p, "ids", out, want)
}

func testRequired(t *testing.T, p *testProgram) {
	out := p.buffer(make([]uint64, 32))
	p.launch("required", driver.Range{Global: []int{8, 4}}, out)
	check(t, p, "sizes", out, counted(32, func(int) uint64 { return 42 }))
	err := p.tryLaunch("required", driver.Range{Global: []int{8, 4}, Local: []int{2, 2}}, out)
	if want := "kernel required: the local size is [2 2 1]; the kernel requires [4 2 1]"; err == nil || err.Error() != want {
		t.Errorf("error = %v; want %s", err, want)
	}
	p.launch("required", driver.Range{Global: []int{6, 3}}, out)
	want := []uint64{42, 42, 42, 42, 22, 22, 42, 42, 42, 42, 22, 22, 41, 41, 41, 41, 21, 21}
	check(t, p, "uneven sizes", out, append(want, counted(14, func(int) uint64 { return 42 })...))
}

// testSubgroups has a kernel that requires no size of sub-groups. With a local
// size of 12 the second one is not full.
func testSubgroups(t *testing.T, p *testProgram) {
	const size = 2 * 12
	var want []int32
	for i := range int32(size) {
		group, lane := i%12/8, i%12%8
		n, first := min(8, 12-8*group), i-lane
		largest, third := int32(-1<<31), int32(0)
		if lane > 0 {
			largest = i - 1
		}
		if first <= 2 && 2 < first+n {
			third = 1
		}
		want = append(want, n, 2, group, lane, n*first+n*(n-1)/2, largest, first, third)
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("subgroups", groups(size, 12), out)
	check(t, p, "results", out, want)
}

func testLargePrivate(t *testing.T, p *testProgram) {
	const count, local = 24, 12
	in, want := make([]int32, count), make([]int32, count)
	for i := range in {
		in[i] = int32(i*31%101 + 1)
	}
	for i := range want {
		other := in[i-i%local+local-1-i%local]
		want[i] = other*other + in[i]*int32(399-i)
	}
	out := p.buffer(make([]int32, count))
	p.launch("large_private", groups(count, local), p.buffer(in), out, driver.Arg{LocalSize: 4 * local})
	check(t, p, "large private memory", out, want)
	requireCompiled(t, p, "large_private")
}
