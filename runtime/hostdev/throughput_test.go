package hostdev

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"

	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/internal/dl"
)

// throughputLaunch is a launch of a kernel of throughput.cl; out is the
// argument with its results.
type throughputLaunch struct {
	kernel string
	r      driver.Range
	out    int
	args   []driver.Arg
}

// throughputLaunches makes launches of a size: a multiple of 256, and of 16 in
// each of two dimensions.
func throughputLaunches(p *testProgram, n, side int) []throughputLaunch {
	floats := func(n int) driver.Arg {
		return p.buffer(counted(n, func(i int) float32 { return float32(i%1000)*0.001 + 0.5 }))
	}
	data := p.buffer(counted(n, func(i int) byte { return byte(uint64(i) * 2654435761 >> 13) }))
	number := func(v int) driver.Arg { return byValueOf(int32(v)) }
	square := driver.Range{Global: []int{side, side}, Local: []int{16, 16}}
	area := side * side
	return []throughputLaunch{
		{"saxpy", groups(n, 256), 2, []driver.Arg{byValueOf(float32(1.5)), floats(n), floats(n)}},
		{"matmul", square, 3, []driver.Arg{number(side), floats(area), floats(area), floats(area)}},
		{"nbody", groups(side, 16), 2, []driver.Arg{number(side), floats(4 * side), floats(4 * side)}},
		{"mandel", square, 3, []driver.Arg{number(side), number(side), number(256), p.buffer(make([]int32, area))}},
		{"reduce", groups(n, 256), 1, []driver.Arg{floats(n), floats(n / 256), {LocalSize: 1024}}},
		{"hist", groups(n, 256), 1, []driver.Arg{data, p.buffer(make([]int32, 256))}},
		{"sha256", groups(n, 256), 0, []driver.Arg{p.buffer(make([]uint32, 8*n))}},
		{"stencil", square, 3, []driver.Arg{number(side), number(side), floats(area), floats(area)}},
	}
}

// TestThroughputKernels: every executor gives the same bits, with no kernel
// left to the interpreter.
func TestThroughputKernels(t *testing.T) {
	code, err := os.ReadFile("testdata/golden/throughput.spv")
	if err != nil {
		t.Fatal(err)
	}
	results := map[string][]byte{}
	var executors []Options
	for _, lanes := range []int{0, 1, 4, 8, 16} {
		executors = append(executors, Options{Lanes: lanes, Interpret: lanes == 0})
	}
	if !testing.Short() { // which runs no C compiler
		executors = append(executors, nativeOptions(t, 4), nativeOptions(t, 8))
	}
	for _, options := range executors {
		p := buildModules(t, options, driver.BuildOptions{}, module("throughput", code))
		for _, l := range throughputLaunches(p, 512, 48) {
			p.launch(l.kernel, l.r, l.args...)
			got := readBuffer[byte](p, l.args[l.out])
			if results[l.kernel] == nil {
				results[l.kernel] = got
			}
			if !bytes.Equal(got, results[l.kernel]) {
				t.Errorf("%s: %d lanes (native %v) give other results than the interpreter", l.kernel, options.Lanes, options.Cache != nil)
			}
			compiled(t, p, l.kernel)
		}
	}
	testDigests(t, results["sha256"])
}

// launchedCode is the code of a kernel that was launched with one kind of rows, or why it is
// interpreted.
func launchedCode(k driver.Kernel) (*nativeKernel, error) {
	states := &k.(*kernel).native
	for rows := range states {
		if s := &states[rows]; s.code != nil || s.err != nil {
			return s.code, s.err
		}
	}
	return k.(*kernel).nativeCode(lanes.AnyRows)
}

// nativeOptions are those of a device that waits for the C compiler.
func nativeOptions(t testing.TB, lanes int) Options {
	store := cache.New(cache.Options{Dir: t.TempDir()})
	t.Cleanup(func() { store.Close() })
	return Options{Lanes: lanes, Cache: store, Loader: dl.Loader{}, AwaitCompiler: true}
}

// compiled checks that a kernel is compiled, unless all are interpreted.
func compiled(t *testing.T, p *testProgram, name string) {
	t.Helper()
	k, err := p.program.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := launchedCode(k)
	switch {
	case p.options.Interpret:
	case err != nil:
		t.Errorf("kernel %s: %v", name, err)
	case p.options.Cache != nil && systemCompiler() != nil && n.fast.Load() == nil:
		t.Errorf("kernel %s has no native code", name)
	}
}

func testDigests(t *testing.T, got []byte) {
	var want []byte
	for id := range uint32(len(got) / sha256.Size) {
		sum := sha256.Sum256(binary.BigEndian.AppendUint32(nil, id))
		for word := range slices.Chunk(sum[:], 4) {
			slices.Reverse(word)
			want = append(want, word...)
		}
	}
	if !bytes.Equal(got, want) {
		t.Error("sha256 gives other digests than crypto/sha256")
	}
}

// BenchmarkThroughput measures the launches by executor; GOMAXPROCS=1 is for
// comparing with one thread of something else.
func BenchmarkThroughput(b *testing.B) {
	code, err := os.ReadFile("testdata/golden/throughput.spv")
	if err != nil {
		b.Fatal(err)
	}
	for _, lanes := range []int{1, 4, 8, 16} {
		p := buildModules(b, Options{Lanes: lanes}, driver.BuildOptions{}, module("throughput", code))
		for _, l := range throughputLaunches(p, 1<<20, 256) {
			b.Run(fmt.Sprintf("%s/%d", l.kernel, lanes), func(b *testing.B) {
				for b.Loop() {
					p.launch(l.kernel, l.r, l.args...)
				}
			})
		}
	}
}
