package hostdev

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// checkCase is a launch of testdata/kernels/checks.cl in which the checked mode
// finds one thing.
type checkCase struct {
	kernel string
	r      driver.Range
	args   func(p *testProgram) []driver.Arg
	kind   FindingKind
	want   string // a regular expression for the finding
}

// unwritten is a buffer that nothing has written.
func (p *testProgram) unwritten(size int64) driver.Arg {
	return driver.Arg{Memory: p.mustAlloc(size)}
}

func ints(n int) []int32 { return make([]int32, n) }

var checkCases = []checkCase{
	{"beyond_argument", items(8), func(p *testProgram) []driver.Arg {
		out, in := p.buffer(ints(8)), p.buffer(ints(8))
		distance := int64(out.Memory.(*memory).at-in.Memory.(*memory).at) / 4 // where the other argument is
		return []driver.Arg{out, in, byValueOf(int32(distance))}
	}, OutOfBounds, `load of 4 bytes at offset -\d+ of 32 bytes, where argument 0 \(out\) is[^!]*` +
		`memory: argument 1 \(in\), 32 bytes of global memory`},
	{"store_beyond", items(9), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(8))}
	}, OutOfBounds, `store of 4 bytes at offset 32 of 32 bytes[^!]*work-item \(8,0,0\), local id \(8,0,0\) of work-group \(0,0,0\)[^!]*argument 0 \(out\)`},
	{"local_beyond", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), {LocalSize: 16}, byValueOf(int32(4))}
	}, OutOfBounds, `store of 4 bytes at offset 16 of 16 bytes[^!]*memory: argument 1 \(tmp\), 16 bytes of local memory`},
	{"private_beyond", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(5))}
	}, OutOfBounds, `load of 4 bytes at offset 20 of 16 bytes[^!]*memory: the variable [\w.]+ of function [\w.]+, 16 bytes of private memory`},
	{"unset_local", groups(4, 4), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(4)), {LocalSize: 16}}
	}, Uninitialized, `work-item \(3,0,0\)[^!]*memory: argument 1 \(tmp\), 16 bytes of local memory`},
	{"unset_private", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(7))}
	}, Uninitialized, `a branch depends on a value that was never written[^!]*loaded: [^!]*64 bytes of private memory`},
	{"unset_counter", groups(4, 4), func(p *testProgram) []driver.Arg {
		return []driver.Arg{{LocalSize: 4}, p.buffer(ints(1))}
	}, Uninitialized, `an atomic operation depends on a value that was never written`},
	{"no_barrier", groups(4, 4), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(4)), {LocalSize: 16}}
	}, DataRace, `(load|store) of 4 bytes, and a (store|load) by another work-item of the work-group, with nothing that orders them[^!]*the other access: `},
	{"same_place", groups(4, 4), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(4))}
	}, DataRace, `store of 4 bytes, and a store by another work-item of the work-group`},
	{"other_group", groups(4, 1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(4)), p.buffer(ints(4))}
	}, DataRace, `load of 4 bytes, and a store by another work-item of another work-group`},
	{"plain_count", groups(4, 1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1))}
	}, DataRace, `(load|store) of 4 bytes, and a store by another work-item of another work-group`},
	{"diverges", groups(4, 4), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(4)), {LocalSize: 16}}
	}, BarrierDivergence, `the work-item waits for its work-group, and work-item \[2 0 0\] does not come here`},
	{"misaligned", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(4)), p.buffer(ints(1))}
	}, Misaligned, `load of 4 bytes at an address that is not a multiple of 4`},
	{"divides", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(0))}
	}, DivisionByZero, `division of an integer by zero`},
	{"wild", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer([]uint64{0x123456}), p.buffer(ints(1))}
	}, InvalidPointer, `load of 4 bytes through 0x123456, which is not a pointer`},
	{"asserts", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(1))}
	}, AssertionFailed, `an assertion failed; the output of the kernel says which`},
	{"freed", items(1), func(p *testProgram) []driver.Arg {
		cell, memory := p.buffer(make([]uint64, 1)), p.buffer(ints(4))
		p.launch("keep", items(1), cell, memory)
		if err := memory.Memory.Close(); err != nil {
			p.Fatal(err)
		}
		return []driver.Arg{cell}
	}, UseAfterFree, `store of 4 bytes at offset 0 of memory that was freed[^!]*allocation \d+ of the host, 16 bytes of global memory, freed`},
	{"beyond_table", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(4))}
	}, OutOfBounds, `load of 4 bytes at offset 16 of 16 bytes[^!]*memory: the program-scope variable table`},
	{"store_constant", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(1))}
	}, ReadOnlyMemory, `store of 4 bytes to constant memory`},
	{"before_private", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(-3))}
	}, OutOfBounds, `store of 4 bytes at offset -12 of 32 bytes[^!]*memory: the variable [\w.]+ of function before_private, 32 bytes of private memory`},
	{"before_local", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(-1))}
	}, OutOfBounds, `store of 4 bytes at offset -4 of 16 bytes`},
	{"very_far", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(4)), byValueOf(uint64(1) << 60)}
	}, OutOfBounds, `store of 4 bytes at offset 4611686018427387904 of 16 bytes[^!]*memory: argument 0 \(out\)`},
	{"callee", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(ints(1)), byValueOf(int32(8))}
	}, OutOfBounds, `load of 4 bytes at offset 32 of 32 bytes[^!]*memory: the variable [\w.]+ of function callee, 32 bytes of private memory`},
}

// TestChecks launches every faulty kernel. Only the kernel's fault is found, at
// its line.
func TestChecks(t *testing.T) {
	lines := faultLines(t, "testdata/kernels/checks.cl")
	for _, l := range levels {
		t.Run(l.name, func(t *testing.T) {
			bc := bitcode(t, "testdata/kernels/checks.cl", l, "-g", "-fno-discard-value-names", "-fno-slp-vectorize", "-fno-vectorize")
			p := buildModules(t, Options{Check: true}, driver.BuildOptions{}, module("checks", translate(t, bc, l)))
			for _, c := range checkCases {
				t.Run(c.kernel, func(t *testing.T) { c.test(t, p, l, lines[c.kernel]) })
			}
		})
	}
}

func (c *checkCase) test(t *testing.T, p *testProgram, l level, line int) {
	err := p.tryLaunch(c.kernel, c.r, c.args(p)...)
	var found *CheckError
	if !errors.As(err, &found) {
		t.Fatalf("error %v; want findings", err)
	}
	for _, f := range found.Findings {
		text := f.String()
		if c.kernel == "no_barrier" && f.Kind == Uninitialized {
			continue // the other work-item has not stored it yet
		}
		if f.Kind != c.kind {
			t.Errorf("found %s; want %s alone\n%s", f.Kind, c.kind, text)
			continue
		}
		if !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("found\n%s\nwant a match of\n%s", text, c.want)
		}
		if l.name != "O2" && f.Line != line && (f.Earlier == nil || f.Earlier.Line != line) {
			t.Errorf("found\n%s\nwant it at line %d", text, line)
		}
	}
}

// faultLines has the lines of the kernels' faults.
func faultLines(t *testing.T, file string) map[string]int {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		if _, name, ok := strings.Cut(line, "// FAULT "); ok {
			lines[name] = i + 1
		}
	}
	return lines
}

// TestChecksOfCorrectKernels launches kernels without faults.
func TestChecksOfCorrectKernels(t *testing.T) {
	for _, l := range levels {
		t.Run(l.name, func(t *testing.T) {
			bc := bitcode(t, filepath.Join("testdata/kernels", "checks_correct.cl"), l, "-fno-slp-vectorize", "-fno-vectorize")
			p := buildModules(t, Options{Check: true}, driver.BuildOptions{}, module("correct", translate(t, bc, l)))
			launchCorrect(p)
		})
	}
}

func launchCorrect(p *testProgram) {
	numbers := []int32{1, 2, 3, 4, 5, 6, 7, 8}
	p.launch("copy_padded", items(4), p.unwritten(24*4), byValueOf(int32(3)))
	p.launch("set_bits", items(4), p.unwritten(16), byValueOf(int32(3)))
	out := p.unwritten(8)
	p.launch("reduce", groups(8, 4), out, p.buffer(numbers), driver.Arg{LocalSize: 16})
	check(p.TB.(*testing.T), p, "sums", out, []int32{10, 26})
	p.launch("histogram", groups(8, 4), p.buffer(ints(8)), p.buffer(numbers), driver.Arg{LocalSize: 32})
	p.launch("last_group", groups(8, 2), out, p.unwritten(16), p.buffer(ints(1)), driver.Arg{LocalSize: 4})
	check(p.TB.(*testing.T), p, "sum of the groups", out, []int32{10, 26})
	p.launch("set_flag", groups(8, 2), p.buffer(ints(1)), p.buffer(numbers))
	p.launch("write_bytes", groups(8, 2), p.unwritten(8))
	p.launch("count_down", items(2), out, p.buffer(numbers), byValueOf(int32(8)))
	p.launch("vectors", groups(2, 2), p.unwritten(32), p.buffer(make([]float32, 8)), driver.Arg{LocalSize: 32})
	p.launch("early_return", groups(8, 8), p.buffer(numbers), driver.Arg{LocalSize: 32}, byValueOf(int32(5)))
}
