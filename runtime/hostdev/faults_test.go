package hostdev

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"offlink/runtime/driver"
)

// faultCase is a launch that is stopped.
type faultCase struct {
	name     string
	kernel   string
	r        driver.Range
	args     func(p *testProgram) []driver.Arg
	want     string // a regular expression
	compiled string // the message of a compiled kernel instead
}

var faultCases = []faultCase{
	{"store beyond a buffer", "store_beyond", items(9), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 8))}
	}, `kernel store_beyond, work-item \(8,0,0\) of work-group \(0,0,0\) in function store_beyond: OpStore: ` +
		`store of 4 bytes at offset 32 of an allocation of 32 bytes in global memory`, ""},
	{"load before a buffer", "load_before", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 8)), byValueOf(int32(-2))}
	}, `OpLoad: load of 4 bytes at offset -8 of an allocation of 32 bytes in global memory`, ""},
	{"load far beyond a buffer", "load_before", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 8)), byValueOf(int32(1 << 30))}
	}, `load of 4 bytes through 0x[0-9a-f]+, which is not a pointer`, `load of 4 bytes (at offset 4294967296 of an allocation of 32 bytes in global memory|through a pointer that is not of the device's memory)`},
	{"null pointer", "null_store", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{{}}
	}, `OpStore: store of 4 bytes through a null pointer`, ""},
	{"wild pointer", "wild_store", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{byValueOf(uint64(0xdeadbeefdeadbeef))}
	}, `store of 4 bytes through 0xdeadbeefdeadbeef, which is not a pointer`, `store of 4 bytes through a pointer that is not of the device's memory`},
	{"local memory", "local_beyond", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 1)), {LocalSize: 16}, byValueOf(int32(4))}
	}, `store of 4 bytes at offset 16 of an allocation of 16 bytes in local memory`, ""},
	{"private memory", "private_beyond", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 1)), byValueOf(int32(5))}
	}, `store of 4 bytes at offset 20 of an allocation of 16 bytes in private memory`, `OpStore: store of (element 5 of an array of 4 elements|4 bytes at offset 20 of an allocation of 16 bytes) in private memory`},
	{"constant memory", "store_constant", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 1))}
	}, `store of 4 bytes to constant memory, which cannot be written`, ""},
	{
		"barrier that others do not reach", "divergent", groups(4, 4), func(p *testProgram) []driver.Arg {
			return []driver.Arg{p.buffer(make([]int32, 4)), {LocalSize: 4}}
		}, `work-item \(0,0,0\) .*OpControlBarrier: the work-item waits for its work-group, and work-item \[2 0 0\] does not come here`,
		`: the work-item waits for its work-group, and another one does not come here`,
	},
	{"endless recursion", "recursion", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 2)), byValueOf(int32(1 << 30))}
	}, `in function deep: OpFunctionCall: calls are nested too deep \(1024 calls\)`, ""},
	{"misaligned atomic", "misaligned", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 2))}
	}, `OpAtomicIAdd: atomic access of 4 bytes at offset 2, which is not aligned`, `: atomic access that is not aligned`},
	{"division by zero", "divide", items(3), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 3)), byValueOf(int32(7)), byValueOf(int32(0))}
	}, `kernel divide, work-item \(0,0,0\) of work-group \(0,0,0\) in function divide: Op[SU]Div: division of an integer by zero`, ""},
	{"division by zero in one lane", "divide_by_difference", items(64), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 64)), byValueOf(int32(21))}
	}, `kernel divide_by_difference, work-item \(21,0,0\) .*: OpSDiv: division of an integer by zero`, ""},
	{"null pointer of some lanes", "store_from", items(64), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 64)), {}, byValueOf(int32(21))}
	}, `kernel store_from, work-item \(21,0,0\) .*: OpStore: store of 4 bytes through a null pointer`, ""},
	{"null pointer in a function that some lanes call", "give_up_from", items(64), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 64)), byValueOf(int32(21))}
	}, `kernel give_up_from, work-item \(21,0,0\) .* in function give_up.*: OpStore: store of 4 bytes through a null pointer`, ""},
	{"assertion", "assert_before", items(64), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 64)), byValueOf(int32(21))}
	}, `kernel assert_before, work-item \(21,0,0\) of work-group \(\d,0,0\): an assertion failed; the output of the kernel says which$`, ""},
	{"large private array", "big_private", items(1), func(p *testProgram) []driver.Arg {
		return []driver.Arg{p.buffer(make([]int32, 1)), byValueOf(int32(3000000))}
	}, `store of 1 bytes at offset 3000000 of an allocation of 3000000 bytes in private memory`, ""},
}

func TestFaults(t *testing.T) {
	eachLevel(t, "faults.cl", func(t *testing.T, p *testProgram) {
		if p.options.Check {
			testArguments(t, p) // TestChecks has the faults
			return
		}
		for _, c := range faultCases {
			err := p.tryLaunch(c.kernel, c.r, c.args(p)...)
			want := c.want
			if !p.options.Interpret && c.compiled != "" {
				want = c.compiled
			}
			var fault *Fault
			if !errors.As(err, &fault) {
				t.Errorf("%s: error %v; want a Fault", c.name, err)
				continue
			}
			// Optimized code may do the access in another function and by
			// another instruction.
			if re := regexp.MustCompile(want); !re.MatchString(err.Error()) && !inlined(t, re, err) {
				t.Errorf("%s: error\n%v\nwant a match of\n%s", c.name, err, want)
			}
		}
		testDefined(t, p)
		testFreed(t, p)
		testArguments(t, p)
	})
}

// inlined tells whether the message is right but for the function, of code
// that was optimized.
func inlined(t *testing.T, want *regexp.Regexp, err error) bool {
	if !strings.Contains(t.Name(), "/O2/") {
		return false
	}
	text := want.String()
	return regexp.MustCompile(text[strings.LastIndex(text, ": ")+2:]).MatchString(err.Error())
}

// testDefined divides the least number by -1, which stops nothing, and recurses.
func testDefined(t *testing.T, p *testProgram) {
	if p.options.Check {
		return // which reports it
	}
	out := p.buffer(make([]int32, 3))
	p.launch("divide", items(1), out, byValueOf(int32(-1<<31)), byValueOf(int32(-1)))
	check(t, p, "least number divided by -1", out, []int32{-1 << 31, 0, 0})
	p.launch("recursion", items(2), out, byValueOf(int32(100)))
}

func testFreed(t *testing.T, p *testProgram) {
	if p.options.Check {
		return // TestChecks has it
	}
	cell, memory := p.buffer(make([]uint64, 1)), p.buffer(make([]int32, 4))
	p.launch("keep_pointer", items(1), cell, memory)
	p.launch("use_pointer", items(1), cell)
	check(t, p, "memory", memory, []int32{1, 0, 0, 0})
	if err := memory.Memory.Close(); err != nil {
		t.Fatal(err)
	}
	p.buffer(make([]int32, 4)) // is not found in the place of the other
	err := p.tryLaunch("use_pointer", items(1), cell)
	if want := "store of 4 bytes in global memory that is not allocated (any more)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("use of freed memory: error %v; want %s", err, want)
	}
	if err := memory.Memory.Close(); err == nil {
		t.Error("memory was closed twice without an error")
	}
}

// testArguments has launches that are refused at once.
func testArguments(t *testing.T, p *testProgram) {
	out := p.buffer(make([]int32, 8))
	other, err := New(Options{}).device.Alloc(driver.DeviceMemory, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kernel string
		r      driver.Range
		args   []driver.Arg
		want   string
	}{
		{"store_beyond", items(8), nil, "kernel store_beyond: 0 arguments for 1 parameters"},
		{"load_before", items(8), []driver.Arg{out, byValueOf(int64(1))}, "argument 1: the parameter, int, is passed by value and has 4 bytes; the argument has 8"},
		{"load_before", items(8), []driver.Arg{byValueOf(int32(1)), byValueOf(int32(1))}, "argument 0: the parameter is a pointer to global memory"},
		{"load_before", items(8), []driver.Arg{{Memory: other}, byValueOf(int32(1))}, "argument 0: the memory is not of this device"},
		{"load_before", items(8), []driver.Arg{{Memory: out.Memory, Offset: 33}, byValueOf(int32(1))}, "argument 0: offset 33 is beyond the end"},
		{"local_beyond", items(8), []driver.Arg{out, out, byValueOf(int32(1))}, "argument 1: the parameter is a pointer to local memory"},
		{"local_beyond", items(8), []driver.Arg{out, {LocalSize: 1 << 30}, byValueOf(int32(1))}, "argument 1: the parameter is a pointer to local memory"},
		{"store_beyond", driver.Range{}, []driver.Arg{out}, "a range of 0 dimensions"},
		{"store_beyond", groups(8, 0), []driver.Arg{out}, "the local size [0] is not of 1 to 8192 work-items"},
		{"store_beyond", groups(16384, 16384), []driver.Arg{out}, "the local size [16384] is not of 1 to 8192 work-items"},
		{"store_beyond", items(-1), []driver.Arg{out}, "the global size [-1] with offset [0] is out of range"},
		{"store_beyond", driver.Range{Global: []int{math.MaxInt, math.MaxInt}}, []driver.Arg{out}, "is out of range"},
	} {
		err := p.tryLaunch(test.kernel, test.r, test.args...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %v: error %v; want %s", test.kernel, test.r, err, test.want)
		}
	}
	p.launch("store_beyond", items(0), out)
	p.launch("store_beyond", items(7), driver.Arg{Memory: out.Memory, Offset: 4})
	check(t, p, "buffer from its second element on", out, []int32{0, 1, 1, 1, 1, 1, 1, 1})
}

// faultsProgram is the kernels of faults.cl with options of the device.
func faultsProgram(t *testing.T, opts Options) *testProgram {
	bc := bitcode(t, "testdata/kernels/faults.cl", levels[0], "-g")
	return buildModules(t, opts, driver.BuildOptions{}, module("faults", translate(t, bc, levels[0])))
}

func TestBudget(t *testing.T) {
	p := faultsProgram(t, Options{Steps: 1 << 20})
	out := p.buffer(make([]int32, 2))
	if err := p.tryLaunch("endless", items(64), out); !errors.Is(err, ErrBudget) {
		t.Fatalf("error = %v; want that the budget was used up", err)
	}
	p.launch("null_store", items(1), out) // the next launch has a budget of its own
}

// TestBudgetOfAll: the workers of a launch have one budget, of which each of the two here
// takes two thirds.
func TestBudgetOfAll(t *testing.T) {
	for _, opts := range []Options{{Interpret: true}, {}, nativeOptions(t, 0)} {
		opts.Steps = 15 * fuelStep
		p := faultsProgram(t, opts)
		out := p.buffer(make([]int32, 3))
		if err := p.tryLaunch("rivals", driver.Range{Global: []int{2}, Local: []int{1}}, out); !errors.Is(err, ErrBudget) {
			t.Errorf("%+v: error = %v; want that the budget was used up", opts, err)
		}
	}
}

func TestAbort(t *testing.T) {
	p := faultsProgram(t, Options{})
	k, err := p.program.Kernel("endless")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.queue.Launch(k, items(4), []driver.Arg{p.buffer(make([]int32, 2))}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	time.AfterFunc(20*time.Millisecond, func() { p.queue.(driver.Aborter).Abort(enough) })
	if err := p.queue.Finish(); !errors.Is(err, enough) {
		t.Errorf("Finish of an aborted queue: %v; want the cause", err)
	}
	if err := p.queue.Write(p.mustAlloc(4), 0, make([]byte, 4), driver.Sync{Block: true}); !errors.Is(err, enough) {
		t.Errorf("Write to an aborted queue: %v; want the cause", err)
	}
}

// TestAbortBetweenGroups stops a launch of more work-groups than end in a lifetime, mostly
// between two of them.
func TestAbortBetweenGroups(t *testing.T) {
	for _, e := range executors {
		t.Run(e.name, func(t *testing.T) {
			p := faultsProgram(t, e.options)
			k, err := p.program.Kernel("divide")
			if err != nil {
				t.Fatal(err)
			}
			args := []driver.Arg{p.buffer(make([]int32, 3)), byValueOf(int32(4)), byValueOf(int32(2))}
			var running driver.Event
			if err := p.queue.Launch(k, driver.Range{Global: []int{1 << 40}, Local: []int{1}}, args, driver.Sync{Done: &running}); err != nil {
				t.Fatal(err)
			}
			defer running.Close()
			enough := errors.New("enough")
			go func() {
				for running.Status() < driver.Running { // a command that has not begun ends with the cause alone
					time.Sleep(time.Millisecond)
				}
				time.Sleep(20 * time.Millisecond)
				p.queue.(driver.Aborter).Abort(enough)
			}()
			if err := p.queue.Finish(); !errors.Is(err, enough) || !strings.Contains(err.Error(), "kernel divide") {
				t.Errorf("Finish of an aborted queue: %v; want the kernel and the cause", err)
			}
		})
	}
}

// TestAbortAtBarrier stops work-items that meet again and again: the fault names one of them.
func TestAbortAtBarrier(t *testing.T) {
	test := func(t *testing.T, o Options) {
		p := buildModules(t, o, driver.BuildOptions{}, readModules(t, "golden/faults.spv")...)
		k, err := p.program.Kernel("endless_together")
		if err != nil {
			t.Fatal(err)
		}
		p.launch("endless_together", groups(4, 4), p.buffer([]int32{1})) // which ends; its code is there now
		var running driver.Event
		if err := p.queue.Launch(k, groups(4, 4), []driver.Arg{p.buffer(make([]int32, 1))}, driver.Sync{Done: &running}); err != nil {
			t.Fatal(err)
		}
		defer running.Close()
		enough := errors.New("enough")
		go func() {
			for running.Status() < driver.Running {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(20 * time.Millisecond)
			p.queue.(driver.Aborter).Abort(enough)
		}()
		var fault *Fault
		if err := p.queue.Finish(); !errors.Is(err, enough) || !errors.As(err, &fault) || fault.Kernel != "endless_together" || fault.Global[0] > 3 || fault.Global[1] > 0 || fault.Global[2] > 0 {
			t.Errorf("Finish of an aborted queue: %v; want the cause and a work-item of the launch", err)
		}
	}
	inEveryExecutor(t, test)
}

func (p *testProgram) mustAlloc(size int64) driver.Memory {
	m, err := p.device.Alloc(driver.DeviceMemory, size)
	if err != nil {
		p.Fatal(err)
	}
	return m
}

// TestCloseStops closes a queue whose kernel would never end.
func TestCloseStops(t *testing.T) {
	p := faultsProgram(t, Options{})
	q, err := p.device.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.program.Kernel("endless")
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Launch(k, items(4), []driver.Arg{p.buffer(make([]int32, 2))}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFaultLine has debug information: the fault names the line.
func TestFaultLine(t *testing.T) {
	p := faultsProgram(t, Options{})
	err := p.tryLaunch("null_store", items(1), driver.Arg{})
	var fault *Fault
	if !errors.As(err, &fault) || !strings.HasSuffix(fault.File, "faults.cl") || fault.Line != 5 {
		t.Errorf("error = %v; want line 5 of faults.cl", err)
	}
}

// TestFailedLaunch tests that commands queued after a fault do not run, and
// that Finish reports the fault once.
func TestFailedLaunch(t *testing.T) {
	p := faultsProgram(t, Options{})
	k, err := p.program.Kernel("store_beyond")
	if err != nil {
		t.Fatal(err)
	}
	out := p.buffer(make([]int32, 8))
	for _, n := range []int{9, 8} {
		if err := p.queue.Launch(k, items(n), []driver.Arg{{Memory: out.Memory, Offset: 4}}, driver.Sync{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.queue.Finish(); err == nil || !strings.Contains(err.Error(), "work-item (7,0,0)") {
		t.Errorf("first Finish: %v; want the fault of the first launch", err)
	}
	if err := p.queue.Finish(); err != nil {
		t.Errorf("second Finish: %v; want nothing", err)
	}
}

func TestRefusal(t *testing.T) {
	bc := bitcode(t, "testdata/kernels/unsupported.cl", levels[0])
	code := translate(t, bc, levels[0])
	_, err := driver.Build(t.Context(), New(Options{}).device, []driver.Module{module("unsupported", code)}, driver.BuildOptions{})
	var failed *driver.BuildError
	if !errors.As(err, &failed) {
		t.Fatalf("error = %v; want a BuildError", err)
	}
	t.Log(err)
	for _, want := range []string{"kernel reads_pipe", "parameter 0", "does not implement"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v; want %s", err, want)
		}
	}
}
