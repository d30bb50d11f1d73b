package hostdev

import (
	"syscall"
	"testing"

	"offlink/runtime/driver"
)

// BenchmarkKernels measures launches of a megabyte or so of work. Set
// GOMAXPROCS=1 to compare with one thread of something else.
func BenchmarkKernels(b *testing.B) {
	l := levels[2]
	code := translate(b, bitcode(b, "testdata/kernels/bench.cl", l, "-ffp-contract=off"), l)
	p := buildModules(b, Options{}, driver.BuildOptions{}, module("bench", code))
	floats := func(n int) driver.Arg { return p.buffer(make([]float32, n)) }
	const million = 1 << 20
	for _, bench := range []struct {
		kernel string
		r      driver.Range
		args   []driver.Arg
	}{
		{"saxpy", items(million), []driver.Arg{floats(million), floats(million), byValueOf(float32(2))}},
		{"matmul", driver.Range{Global: []int{256, 256}}, []driver.Arg{floats(1 << 16), floats(1 << 16), floats(1 << 16), byValueOf(int32(256))}},
		{"mandel", driver.Range{Global: []int{512, 512}}, []driver.Arg{p.buffer(make([]int32, 1<<18)), byValueOf(int32(512)), byValueOf(int32(256))}},
		{"nbody", items(1024), []driver.Arg{floats(4096), floats(4096), byValueOf(int32(1024))}},
		{"reduce", groups(million, 256), []driver.Arg{floats(million), floats(million / 256), {LocalSize: 1024}}},
	} {
		b.Run(bench.kernel, func(b *testing.B) {
			for range b.N {
				p.launch(bench.kernel, bench.r, bench.args...)
			}
		})
	}
}

// BenchmarkStart measures the processor time that the interpreter takes to start a work-item:
// of a kernel that does nothing, and of one that stores its number.
func BenchmarkStart(b *testing.B) {
	l := levels[2]
	code := translate(b, bitcode(b, "testdata/kernels/bench.cl", l), l)
	p := buildModules(b, Options{Interpret: true}, driver.BuildOptions{}, module("bench", code))
	const count = 1 << 20
	out := p.buffer(make([]int32, count))
	for _, kernel := range []string{"nothing", "number"} {
		b.Run(kernel, func(b *testing.B) {
			before := processorTime()
			for b.Loop() {
				p.launch(kernel, groups(count, 256), out)
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N)/count, "cpu-ns/item")
		})
	}
}

// processorTime is the time that the process has used, in nanoseconds.
func processorTime() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return r.Utime.Nano() + r.Stime.Nano()
}
