package hostdev

import (
	"math"
	"testing"

	"offlink/runtime/driver"
)

// counted returns f(0), f(1), ...
func counted[T any](n int, f func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

func TestBarriers(t *testing.T) {
	eachLevel(t, "barriers.cl", func(t *testing.T, p *testProgram) {
		t.Run("reduce", func(t *testing.T) { testReduce(t, p) })
		t.Run("rotates", func(t *testing.T) { testRotates(t, p) })
		t.Run("matmul", func(t *testing.T) { testMatmul(t, p) })
		t.Run("keeps", func(t *testing.T) { testKeeps(t, p) })
		t.Run("halo", func(t *testing.T) { testHalo(t, p) })
	})
}

func testReduce(t *testing.T, p *testProgram) { reduceGroups(t, p, 1024, 64) }

func reduceGroups(t *testing.T, p *testProgram, n, size int) {
	in := counted(n, func(i int) int32 { return int32(i*i%1000 - 300) })
	want := make([]int32, n/size)
	for i, v := range in {
		want[i/size] += v
	}
	out := p.buffer(make([]int32, n/size))
	p.launch("reduce", groups(n, size), p.buffer(in), out, driver.Arg{LocalSize: int64(4 * size)})
	check(t, p, "sums", out, want)
}

func testRotates(t *testing.T, p *testProgram) {
	const n, size, times = 48, 12, 5
	want := counted(n, func(i int) int32 {
		group := i / size * size
		return int32((group+(i%size+times)%size)*1000 + size)
	})
	out := p.buffer(make([]int32, n))
	p.launch("rotates", groups(n, size), out, byValueOf(int32(times)))
	check(t, p, "rotated", out, want)
}

func testMatmul(t *testing.T, p *testProgram) {
	const n = 16
	a := counted(n*n, func(i int) float32 { return float32(i%7) - 3 })
	b := counted(n*n, func(i int) float32 { return float32(i%5) / 4 })
	want := counted(n*n, func(i int) float32 {
		sum := float32(0) // exact: few bits are needed
		for k := range n {
			sum += a[i/n*n+k] * b[k*n+i%n]
		}
		return sum
	})
	out := p.buffer(make([]float32, n*n))
	r := driver.Range{Global: []int{n, n}, Local: []int{4, 4}}
	p.launch("matmul", r, p.buffer(a), p.buffer(b), out, byValueOf(int32(n)))
	check(t, p, "product", out, want)
}

func testKeeps(t *testing.T, p *testProgram) {
	const n, size = 24, 8
	want := counted(n, func(i int) int32 {
		l := i % size
		next := (l + 1) % size
		return int32((4*l*10+6)*100 + next*10 + next&3)
	})
	out := p.buffer(make([]int32, n))
	p.launch("keeps", groups(n, size), out)
	check(t, p, "kept", out, want)
}

// testHalo: work-items of later steps do nothing after the branch, and something before it.
func testHalo(t *testing.T, p *testProgram) { haloGroups(t, p, 128, 64) }

func haloGroups(t *testing.T, p *testProgram, n, size int) {
	in := counted(n, func(i int) int32 { return int32(i*37%50 + 1) })
	want := counted(n, func(i int) int32 { return in[i] + 100*in[(i/size*size+i%size+2)%n] })
	out := p.buffer(make([]int32, n))
	p.launch("halo", groups(n, size), out, p.buffer(in), driver.Arg{LocalSize: int64(4 * (size + 2))})
	check(t, p, "tiles", out, want)
}

func TestGroupFunctions(t *testing.T) {
	eachLevel(t, "groups.cl", func(t *testing.T, p *testProgram) {
		t.Run("ints", func(t *testing.T) { testGroupInts(t, p) })
		t.Run("wide", func(t *testing.T) { testGroupWide(t, p) })
		t.Run("broadcast", func(t *testing.T) { testBroadcast(t, p) })
		t.Run("copies", func(t *testing.T) { testAsyncCopies(t, p) })
		t.Run("strided", func(t *testing.T) { testAsyncStrided(t, p) })
	})
}

func testGroupInts(t *testing.T, p *testProgram) {
	const n, size = 24, 6
	in := counted(n, func(i int) int32 { return int32(i*37%50 - i/size*7) })
	var want []int32
	for i := range in {
		group := in[i/size*size:][:size]
		before, all := group[:i%size], group
		through := group[:i%size+1]
		sum := func(list []int32) (s int32) {
			for _, v := range list {
				s += v
			}
			return s
		}
		least := func(list []int32) int32 {
			r := int32(math.MaxInt32)
			for _, v := range list {
				r = min(r, v)
			}
			return r
		}
		most := func(list []int32) int32 {
			r := int32(math.MinInt32)
			for _, v := range list {
				r = max(r, v)
			}
			return r
		}
		least32, most32, anyBig, allPositive := uint32(math.MaxUint32), uint32(0), int32(0), int32(1)
		for k, v := range all {
			least32 = min(least32, uint32(v))
			if k < i%size {
				most32 = max(most32, uint32(v))
			}
			if v > 40 {
				anyBig = 1
			}
			if v <= 0 {
				allPositive = 0
			}
		}
		want = append(want, sum(all), least(all), most(all), sum(through), sum(before), least(through), least(before),
			most(through), most(before), group[2], anyBig, allPositive, int32(least32), int32(most32))
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("group_ints", groups(n, size), p.buffer(in), out)
	check(t, p, "results", out, want)
}

func testGroupWide(t *testing.T, p *testProgram) {
	const n, size = 8, 4
	in := counted(n, func(i int) int64 { return int64(i%3) << 34 })
	var want []int64
	var floats []float64
	for i := range in {
		sum, before := int64(0), float64(0)
		most, most64, least := int64(math.MinInt64), int64(math.MinInt64), math.Inf(1)
		for k, v := range in[i/size*size:][:size] {
			sum += v
			most64 = max(most64, v)
			if k <= i%size {
				most = max(most, v)
			}
			if k < i%size {
				before += float64(v)
				least = min(least, float64(v))
			}
		}
		want = append(want, sum, most)
		floats = append(floats, float64(sum), before, float64(most64), least)
	}
	out, fout := p.buffer(make([]int64, len(want))), p.buffer(make([]float64, len(floats)))
	p.launch("group_wide", groups(n, size), p.buffer(in), out, fout)
	check(t, p, "integers", out, want)
	check(t, p, "floats", fout, floats)
}

func testBroadcast(t *testing.T, p *testProgram) {
	in := counted(4*6, func(i int) int32 { return int32(100 + i) })
	want := counted(4*6, func(i int) int32 {
		x, y := i%4/2*2+1, i/4/3*3+2
		return in[y*4+x]
	})
	out := p.buffer(make([]int32, len(in)))
	p.launch("group_broadcast2", driver.Range{Global: []int{4, 6}, Local: []int{2, 3}}, p.buffer(in), out)
	check(t, p, "broadcast", out, want)
}

func testAsyncCopies(t *testing.T, p *testProgram) {
	const n, size = 16, 8
	in := counted(n, func(i int) int32 { return int32(i * i) })
	want := counted(n, func(i int) int32 { return in[i/size*size+size-1-i%size] })
	out := p.buffer(make([]int32, n))
	p.launch("async_copies", groups(n, size), p.buffer(in), out, driver.Arg{LocalSize: int64(4 * size)})
	check(t, p, "copied", out, want)
}

func testAsyncStrided(t *testing.T, p *testProgram) {
	const n = 4
	in := counted(4*2*n, func(i int) int32 { return int32(i) })
	want := make([]int32, 4*3*n)
	for i := range n {
		for c := range 4 {
			want[4*3*i+c] = in[4*2*i+c] + 1
		}
	}
	out := p.buffer(make([]int32, len(want)))
	p.launch("async_strided", groups(n, n), p.buffer(in), out, driver.Arg{LocalSize: 16 * n})
	check(t, p, "copied", out, want)
}

// TestAsyncThrees: an asynchronous copy of vectors of three components copies the room of the
// fourth too.
func TestAsyncThrees(t *testing.T) {
	eachLevel(t, "copies.cl", func(t *testing.T, p *testProgram) {
		words, bytes := make([]int32, 4*5), make([]uint8, 4*10)
		wantWords, wantBytes := make([]int32, 4*10), make([]uint8, 4*5)
		for i := range words {
			words[i] = int32(i) + 1
			wantWords[i/4*8+i%4] = words[i]
			wantBytes[i] = uint8(i/4*8+i%4) + 1
		}
		for i := range bytes {
			bytes[i] = uint8(i) + 1
		}
		out := p.buffer(make([]int32, len(wantWords)))
		p.launch("async_threes", groups(8, 8), p.buffer(words), out, driver.Arg{LocalSize: 16 * 5})
		check(t, p, "uint3", out, wantWords)
		out = p.buffer(make([]uint8, len(wantBytes)))
		p.launch("async_bytes", groups(8, 8), p.buffer(bytes), out, driver.Arg{LocalSize: 4 * 5})
		check(t, p, "uchar3", out, wantBytes)
	})
}
