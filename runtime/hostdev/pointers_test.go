package hostdev

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
)

// TestFunctionPointers calls functions through a table and through a choice;
// one of them waits for its group.
func TestFunctionPointers(t *testing.T) {
	for _, l := range levels {
		t.Run(l.name, func(t *testing.T) {
			bc := bitcode(t, "testdata/kernels/pointers.cl", l)
			code := translate(t, bc, l, "--spirv-ext=+SPV_INTEL_function_pointers")
			for _, e := range executors {
				t.Run(e.name, func(t *testing.T) {
					testPointers(t, buildModules(t, e.options, driver.BuildOptions{}, module("pointers", code)))
				})
			}
		})
	}
}

// TestFunctionPointersOfOpaque is the same with a compiler of opaque pointers: the
// functions of a table then have several types, as each shows the pointees of its
// parameters by its own accesses.
func TestFunctionPointersOfOpaque(t *testing.T) {
	testtool.Need(t, "clang-19")
	bc := filepath.Join(t.TempDir(), "a.bc")
	for _, level := range []string{"-O0", "-O1"} {
		mustRun(t, "clang-19", "--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", level, "-emit-llvm", "-c", "testdata/kernels/pointers.cl", "-o", bc)
		code := translateBy(t, testtool.PinnedTranslator(t), bc, levels[0], "--spirv-ext=+SPV_INTEL_function_pointers")
		for _, e := range executors {
			t.Run(level+"/"+e.name, func(t *testing.T) {
				testPointers(t, buildModules(t, e.options, driver.BuildOptions{}, module("pointers", code)))
			})
		}
	}
}

func testPointers(t *testing.T, p *testProgram) {
	out := p.buffer(make([]int32, 6))
	p.launch("k", groups(6, 2), p.buffer([]int32{0, 1, 2}), out, driver.Arg{LocalSize: 8})
	check(t, p, "results", out, []int32{1, 2, 2 * 3, 2 * 2, -4, -5})
	in, applied := make([]int32, 50), make([]int32, 50)
	for i := range in {
		in[i] = int32(i * i % 7)
		applied[i] = []int32{int32(i) + 1, -int32(i), int32(i) + 1, 0, 100, -100, -int32(i)}[in[i]]
	}
	many := p.buffer(make([]int32, 50))
	p.launch("apply", items(50), p.buffer(in), many)
	check(t, p, "pointers that differ between work-items", many, applied)
	address, err := p.program.(driver.FunctionPointers).FunctionPointer("add")
	if err != nil {
		t.Fatal(err)
	}
	p.launch("bad", items(1), byValueOf(address), out)
	check(t, p, "call of the host's pointer", out, []int32{2, 2, 2 * 3, 2 * 2, -4, -5})
	if _, err := p.program.(driver.FunctionPointers).FunctionPointer("nobody"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("a function that is not there: %v", err)
	}
	err = p.tryLaunch("bad", items(1), byValueOf(uint64(99)), out)
	var fault *Fault
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "not a pointer to a function") {
		t.Errorf("error = %v; want a Fault of the call", err)
	}
	requireCompiled(t, p, "k")
	requireCompiled(t, p, "apply")
}

// TestCallOfNothing: where no function has the type of a pointer, a call through it
// stops the kernel, and work-items that do not come there go on.
func TestCallOfNothing(t *testing.T) {
	for _, l := range levels {
		code := translate(t, bitcode(t, "testdata/kernels/no_pointers.cl", l), l, "--spirv-ext=+SPV_INTEL_function_pointers")
		for _, e := range executors {
			t.Run(l.name+"/"+e.name, func(t *testing.T) {
				p := buildModules(t, e.options, driver.BuildOptions{}, module("pointers", code))
				out := p.buffer(make([]int32, 4))
				p.launch("call", items(4), p.buffer(make([]uint64, 4)), out)
				check(t, p, "no call", out, []int32{1, 1, 1, 1})
				err := p.tryLaunch("call", items(4), p.buffer([]uint64{0, 98, 0, 99}), out)
				if err == nil || !strings.Contains(err.Error(), "not a pointer to a function") {
					t.Errorf("error = %v; want a Fault of the call", err)
				}
				requireCompiled(t, p, "call")
			})
		}
	}
}

// TestPointersOfFirstItem: a pointer to a variable of the first work-item that the others read
// from local memory leads to its variable or to theirs, which have the same value. Drivers do
// either, and DPC++'s hierarchical parallelism counts on that.
func TestPointersOfFirstItem(t *testing.T) {
	in := []int32{3, 14, 15, 92, 65, 35, 89, 79}
	want := make([]int32, 48)
	for i := range want {
		n := in[i&7] & 7
		want[i] = []int32{in[n], -2 * in[n]}[i&1] - 20*in[7-n]
	}
	for _, l := range levels {
		t.Run(l.name, func(t *testing.T) {
			code := translate(t, bitcode(t, "testdata/kernels/first_item.cl", l), l)
			for _, e := range executors {
				t.Run(e.name, func(t *testing.T) {
					p := buildModules(t, e.options, driver.BuildOptions{}, module("first_item", code))
					for _, local := range []int{3, 12, 24, 48} {
						out := p.buffer(make([]int32, len(want)))
						p.launch("first_item", groups(len(want), local), out, p.buffer(in))
						check(t, p, "values", out, want)
					}
				})
			}
		})
	}
}
