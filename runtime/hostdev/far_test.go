package hostdev

import (
	"fmt"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

var farKernels = []string{
	"int_same", "int_grows", "int_varies", "int_store", "int_behind", "int_some", "uint_grows", "uint_next", "uint_varies",
	"long_same", "long_grows", "long_varies", "wide_stride", "char_int", "char_uint", "char_long", "vectors", "pairs",
	"triples", "uint_triples", "inside", "rows", "walks", "chooses", "adds", "locals", "privates", "private_vectors",
	"private_bytes", "constants", "loaded", "long_locals", "long_privates", "long_rows", "long_twice", "long_vectors", "long_chosen",
	"long_counted", "long_started", "long_product", "long_doubled", "long_small",
}

// farNumbers are those whose products with the size of an element are near a multiple of
// 2^31.
func farNumbers() (list []uint64) {
	for _, size := range []uint64{1, 4, 12, 64} {
		for _, times := range []uint64{1, 2, 3, 4} {
			at := (times<<31 + size - 1) / size
			list = append(list, at-1, at, at+1, -at, at<<32)
		}
	}
	list = append(list, 0, 1, 4, 5, 1<<63, 1<<62+1, 1<<64-1, 1<<32-2, 1<<31-1)
	return append(list, farthest...)
}

// farthest are indexes that lead beyond 64 bits, or from one allocation of the interpreter to
// the next: far away, whatever is added to them.
var farthest = []uint64{1 << 38, 1 << 58, 1 << 59, 1 << 60, 1 << 61, 1 << 62, 3 << 61, 3 << 62, 1<<62 + 1<<32}

// TestFarIndexes: an index that is 4 GiB away, or a few of them, is out of bounds in each
// executor, whichever way it was computed, and those nearby are as they were.
func TestFarIndexes(t *testing.T) {
	build := func(t *testing.T, o Options) *testProgram {
		return buildModules(t, o, driver.BuildOptions{}, readModules(t, "golden/far.spv")...)
	}
	reference := build(t, Options{Interpret: true})
	want := map[string]string{}
	for _, kernel := range farKernels {
		for _, x := range farNumbers() {
			want[fmt.Sprint(kernel, x)] = runFar(reference, kernel, x)
		}
		for _, x := range farthest {
			if got := want[fmt.Sprint(kernel, x)]; strings.HasPrefix(kernel, "long") && got != "fault" {
				t.Errorf("%s with %#x, interpreted: %s; want a fault", kernel, x, got)
			}
		}
	}
	test := func(t *testing.T, o Options) {
		p := build(t, o)
		for _, kernel := range farKernels {
			compiled(t, p, kernel)
			for _, x := range farNumbers() {
				if got, w := runFar(p, kernel, x), want[fmt.Sprint(kernel, x)]; got != w {
					t.Errorf("%s with %#x: %s\ninterpreted: %s", kernel, x, got, w)
				}
			}
		}
	}
	for _, e := range executors[1:] {
		if !e.options.Check {
			t.Run(e.name, func(t *testing.T) { test(t, e.options) })
		}
	}
	t.Run("native", func(t *testing.T) {
		if testing.Short() {
			t.Skip("-short runs no C compiler")
		}
		test(t, nativeOptions(t, 8))
	})
}

// runFar is the memory that a kernel leaves, or that it faults.
func runFar(p *testProgram, kernel string, x uint64) string {
	numbers := make([]int32, 48)
	for i := range numbers {
		numbers[i] = int32(i * i)
	}
	a, out := p.buffer(numbers), p.buffer(make([]int32, 48))
	defer a.Memory.Close()
	defer out.Memory.Close()
	if err := p.tryLaunch(kernel, groups(16, 16), a, byValueOf(x), out); err != nil {
		return "fault"
	}
	return fmt.Sprint(readBuffer[int32](p, a), readBuffer[int32](p, out)[:16])
}
