package hostdev

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// badLaunches are the kernels of bad.cl with the numbers that are good, and those that are
// not; the first one is good.
var badLaunches = []struct {
	kernel string
	n      []int32
}{
	{"global_load", []int32{0, 1, -1, 16, -16, 1 << 30, -1 << 30, -1 << 31}},
	{"global_store", []int32{0, 1, -1, 1 << 29, 1<<31 - 1}},
	{"global_walk", []int32{16, 17, 1 << 20}},
	{"global_back", []int32{16, 17, 1 << 20}},
	{"global_atomic", []int32{15, 16, -1, 1 << 30}},
	{"global_exchange", []int32{15, 16, -1, 1 << 30}},
	{"global_vector", []int32{12, 13, 14, 15, 16, -1, -3}},
	{"global_half_vector", []int32{14, 16, -2}},
	{"local_load", []int32{0, 1, -1, 1 << 30}},
	{"local_store", []int32{0, 1, -1, 1 << 30}},
	{"local_atomic", []int32{15, 16, -1, 1 << 30}},
	{"local_variable", []int32{0, 1, -1, 1 << 30}},
	{"local_vector", []int32{12, 13, 15, -1}},
	{"private_load", []int32{15, 1 << 20, 1 << 30, -1 << 20}},
	{"private_vector", []int32{12, 1 << 20, -1 << 20}},
	{"private_struct", []int32{2, 3, 4, -1, 1 << 27}},
	{"private_struct_some", []int32{2, 3, 4, -1, 1 << 27}},
	{"private_struct_varies", []int32{1, 2, 4, -1, 1 << 27}},
	{"private_chosen", []int32{7, 8, 9, -1, 1 << 20, 1 << 30}},
	{"private_chosen_by_all", []int32{8, 7, 9, 10, 1 << 20}},
	{"private_called", []int32{8, 9, 1 << 20}},
	{"private_kept", []int32{0, 4, -4, 1 << 20}},
	{"private_ends", []int32{8, 9}},
	{"local_chosen", []int32{3, 15, 16, 32, -1, 1 << 20}},
	{"local_kept", []int32{0, 1, 2, 48, 49, 50, 51, 96}},
	{"constant_load", []int32{12, 16, -4, 1 << 30}},
	{"constant_vector", []int32{0, 4, 16, -4}},
	{"copies", []int32{0, 1, -1, 16}},
	{"divides", []int32{3, 98, 99}},
	{"divides_long", []int32{3, 98, 99}},
	{"divides_some", []int32{100, 0, 1, 2, 7, -1}},
	{"divides_guarded", []int32{4, 0, -1, 100}},
	{"divides_vector", []int32{16, 3, 0, -4}},
	{"divides_short", []int32{3, 256, 65536, -1}},
	{"ping_pong", []int32{0, 1}},
	{"waits", []int32{0, 1, 15}},
	{"unaligned", []int32{0, 1}},
	{"unaligned_load", []int32{0, 1}},
	{"endless", []int32{0, 1}},
}

// TestBadKernels: whatever a kernel does, each executor ends its launch as the interpreter
// does: with the same memory, or with an error that names the kernel and the work-item. The
// next launch is right.
func TestBadKernels(t *testing.T) {
	const steps = 1 << 20
	want := map[string]string{}
	run := func(t *testing.T, o Options, m driver.Module) {
		o.Steps = steps
		p := buildModules(t, o, driver.BuildOptions{}, m)
		for _, b := range badLaunches {
			for _, n := range append(b.n, b.n[0]) {
				name := fmt.Sprintf("%s with %d", b.kernel, n)
				got := runBad(t, p, b.kernel, n)
				if o.Interpret {
					want[name] = got
				}
				if got != want[name] {
					t.Errorf("%s: %s\ninterpreted: %s", name, got, want[name])
				}
				if n == b.n[0] && strings.HasPrefix(got, "fault") {
					t.Errorf("%s: %s", name, got)
				}
			}
		}
	}
	code, err := os.ReadFile("testdata/golden/bad.spv")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range executors {
		if !e.options.Check { // it finds races too
			t.Run(e.name, func(t *testing.T) { run(t, e.options, module("bad", code)) })
		}
	}
	if testing.Short() {
		return // no C compiler
	}
	t.Run("native", func(t *testing.T) { run(t, nativeOptions(t, 8), module("bad", code)) })
	t.Run("ahead of time", func(t *testing.T) { run(t, Options{}, precompiledModule(t, "bad", code)) })
}

// runBad is the memory that a kernel leaves, or that it faults.
func runBad(t *testing.T, p *testProgram, kernel string, n int32) string {
	numbers := make([]int32, 16)
	for i := range numbers {
		numbers[i] = int32(i + 1)
	}
	a := p.buffer(numbers)
	defer a.Memory.Close()
	err := p.tryLaunch(kernel, groups(16, 16), a, byValueOf(n), driver.Arg{LocalSize: 64})
	if err == nil {
		return fmt.Sprint(readBuffer[int32](p, a))
	}
	var fault *Fault
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "kernel "+kernel) || !strings.Contains(err.Error(), "work-item (") {
		t.Errorf("%s with %d: error %v; want one that names the kernel and the work-item", kernel, n, err)
	}
	return "fault"
}
