package hostdev

import (
	"encoding/binary"
	"fmt"
	"testing"
)

func TestVectors(t *testing.T) {
	eachLevel(t, "vectors.cl", func(t *testing.T, p *testProgram) {
		for _, n := range []int{2, 3, 4, 8, 16} {
			t.Run(fmt.Sprint(n), func(t *testing.T) { testVectors(t, p, n) })
		}
		t.Run("swizzles", func(t *testing.T) { testSwizzles(t, p) })
		t.Run("shuffles", func(t *testing.T) { testShuffles(t, p) })
		t.Run("threes", func(t *testing.T) { testThrees(t, p) })
		t.Run("bitcasts", func(t *testing.T) { testBitcasts(t, p) })
		t.Run("bools", func(t *testing.T) { testBools(t, p) })
		t.Run("doubles", func(t *testing.T) { testDoubles(t, p) })
	})
}

func testVectors(t *testing.T, p *testProgram, n int) {
	const count = 3
	a := counted(count*n, func(i int) int32 { return int32(i*i%23 - 5) })
	b := counted(count*n, func(i int) int32 { return int32(i*7%13 - 6 + i/(2*n)*20) })
	var want []int32
	for i := range count {
		x, y := a[i*n:][:n], b[i*n:][:n]
		rows := make([][]int32, 5)
		anyGreater, allNotLess := int32(0), int32(10)
		for k := range n {
			mask, chosen := int32(0), x[k]
			if x[k] > y[k] {
				mask, anyGreater = -1, 1
			}
			if x[k] < y[k] {
				chosen, allNotLess = y[k], 0
			}
			rows[0] = append(rows[0], x[k]*y[k]+(x[k]-y[k])/(y[k]|1))
			rows[1] = append(rows[1], mask)
			rows[2] = append(rows[2], chosen)
			rows[3] = append(rows[3], x[k]&^0x0f0f|y[k]&0x0f0f)
		}
		for range n {
			rows[4] = append(rows[4], anyGreater+allNotLess)
		}
		for _, row := range rows {
			want = append(want, row...)
		}
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch(fmt.Sprintf("vectors%d", n), items(count), p.buffer(a), p.buffer(b), out)
	check(t, p, "results", out, want)
}

func testSwizzles(t *testing.T, p *testProgram) {
	in := counted(4*4, func(i int) int32 { return int32(i + 10) })
	index := []int32{0, 3, 2, 1}
	var want []int32
	for i, at := range index {
		v := in[4*i:][:4]
		w := append([]int32(nil), v...)
		w[at] = 99
		e := v[at]
		want = append(want, v[3], v[2], v[1], v[0])
		want = append(want, v[0], v[0], v[1], v[1])
		want = append(want, v[0], v[1], v[0], v[2])
		want = append(want, v[2], 7, v[1], v[3])
		want = append(want, v[0], v[0], v[3], v[3])
		want = append(want, w...)
		want = append(want, e, e, e, e)
		want = append(want, w[3], v[0], w[1], v[2])
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("swizzles", items(len(index)), p.buffer(in), out, p.buffer(index))
	check(t, p, "results", out, want)
}

func testShuffles(t *testing.T, p *testProgram) {
	in := counted(2*16, func(i int) int32 { return int32(i*3 - 20) })
	masks := counted(2*16, func(i int) uint32 { return uint32(i*i*5 + 3) })
	var want []int32
	for i := range 2 {
		v, m := in[16*i:][:16], masks[16*i:][:16]
		for _, k := range m {
			want = append(want, v[k%16])
		}
		for _, k := range m {
			if k %= 32; k < 16 {
				want = append(want, v[k])
			} else {
				want = append(want, v[k-16]*100)
			}
		}
		for _, k := range m[8:] {
			want = append(want, v[k%8])
		}
		for _, k := range m[:8] {
			want = append(want, v[k%4])
		}
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("shuffles", items(2), p.buffer(in), p.buffer(masks), out)
	check(t, p, "results", out, want)
	requireC(t, p, "shuffles")
}

func testThrees(t *testing.T, p *testProgram) {
	const n = 3
	in := counted(4*n, func(i int) float32 { return float32(i) / 2 })
	packed := counted(3*n, func(i int) int8 { return int8(100 - i) })
	want := make([]float32, 4*n)
	for i := range want {
		if c := i % 4; c < 3 {
			want[i] = in[i-c+2-c] + 2*in[i]
		}
	}
	out, packedOut := p.buffer(make([]float32, 4*n)), p.buffer(make([]int8, 3*n))
	p.launch("threes", items(n), p.buffer(in), out, p.buffer(packed), packedOut)
	got := readBuffer[float32](p, out)
	for i := range want {
		if i%4 < 3 && got[i] != want[i] { // the fourth is padding
			t.Errorf("component %d = %v; want %v", i, got[i], want[i])
		}
	}
	check(t, p, "packed", packedOut, counted(3*n, func(i int) int8 { return int8(100 - i + i%3 + 1) }))
}

func testBitcasts(t *testing.T, p *testProgram) {
	in := []uint32{0x01020304, 0xfffefdfc, 0x3f800000, 0}
	var want []uint32
	var wide []uint64
	for _, v := range in {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], v)
		sum := uint32(0)
		for k := range 4 {
			sum |= uint32(uint8(v>>(8*k))+uint8(k+1)) << (8 * k)
		}
		want = append(want, binary.LittleEndian.Uint32(b[:]), v<<16|v>>16, v, sum)
		wide = append(wide, uint64(v)|5<<32, 1|2<<16|3<<32|uint64(uint16(v))<<48)
	}
	out, wideOut := p.buffer(make([]uint32, len(want))), p.buffer(make([]uint64, len(wide)))
	p.launch("bitcasts", items(len(in)), p.buffer(in), out, wideOut)
	check(t, p, "words", out, want)
	check(t, p, "wide", wideOut, wide)
}

func testBools(t *testing.T, p *testProgram) {
	in := []int32{-1, -2, -3, 7, 0, -1, 1, 2, 256}
	out := p.buffer(make([]int32, 12))
	p.launch("bools", items(3), p.buffer(in), out)
	check(t, p, "results", out, []int32{1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0})
}

func testDoubles(t *testing.T, p *testProgram) {
	in := counted(8, func(i int) float64 { return float64(i)*1.25 - 3 })
	want := counted(8, func(i int) float64 {
		c := i % 4
		return in[i]*2 + in[i-c+3-c]/float64(int(1)<<c) - 1
	})
	out := p.buffer(make([]float64, 8))
	p.launch("doubles", items(2), p.buffer(in), out)
	check(t, p, "results", out, want)
}
