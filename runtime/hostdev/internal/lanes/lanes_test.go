package lanes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// testKernel builds functions of one kernel: a buffer of floats with its bounds.
type testKernel struct {
	f      *Function
	buffer *Value // its address
	bounds *Bounds
}

func newTestKernel() *testKernel {
	f := NewFunction("kernel")
	base, size := f.Arg(I32, RecordWords), f.Arg(I32, RecordWords+4)
	return &testKernel{f, base, &Bounds{Base: base, Len: size, Memory: "global memory"}}
}

// at is the address of an element so many bytes long.
func (k *testKernel) at(b *Block, index *Value, size uint64) *Value {
	return b.Add(OpAdd, I32, k.buffer, b.Add(OpMul, I32, index, k.f.Const(I32, size)))
}

// compileText finishes and compiles a function, and returns its code as text.
func compileText(t *testing.T, f *Function, width int) (*Code, string) {
	t.Helper()
	if err := f.Finish(); err != nil {
		t.Fatal(err)
	}
	c, err := Compile(f, width, AnyRows)
	if err != nil {
		t.Fatal(err)
	}
	return c, c.String()
}

// holds checks how often pieces of text are in the code.
func holds(t *testing.T, text string, counts map[string]int) {
	t.Helper()
	for piece, want := range counts {
		if got := strings.Count(text, piece); got != want {
			t.Errorf("%q is there %d times, not %d:\n%s", piece, got, want, text)
		}
	}
}

// TestStrides: how far the lanes of an access lie apart decides about its code.
func TestStrides(t *testing.T) {
	for _, test := range []struct {
		name   string
		stride uint64
		counts map[string]int
	}{
		{"uniform", 0, map[string]int{"load f32x4": 0, "build": 0, "every2": 0}},
		{"contiguous", 4, map[string]int{"load f32x4": 1, "build": 0}},
		{"alternate", 8, map[string]int{"every2 f32x4": 1, "build": 0}},
		{"far", 64, map[string]int{"build f32x4": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newTestKernel()
			b := k.f.Blocks[0]
			id := b.ID(OpLocalID, 0)
			v := b.Load(F32, 4, k.at(b, id, test.stride), k.bounds)
			b.Store(4, k.at(b, id, 4), v, k.bounds)
			_, text := compileText(t, k.f, 4)
			holds(t, text, test.counts)
		})
	}
}

// TestConstantCall: the result of a call without arguments is the same for all
// lanes; a sum with it varies if the other number does.
func TestConstantCall(t *testing.T) {
	k := newTestKernel()
	b := k.f.Blocks[0]
	at := k.at(b, b.ID(OpLocalID, 0), 8)
	results := b.CallHost(&HostCall{Results: 1}, nil)
	b.Store(8, at, b.Add(OpAdd, I64, b.Load(I64, 8, at, k.bounds), results[0]), k.bounds)
	_, text := compileText(t, k.f, 4)
	// Twice: for four lanes, and for one.
	holds(t, text, map[string]int{"host r": 2, "add i64x4": 1, "add i64 ": 1})
}

// branchOn makes a kernel that stores under a condition.
func branchOn(cond func(b *Block, k *testKernel) *Value) *Function {
	k := newTestKernel()
	first, then, end := k.f.Blocks[0], k.f.NewBlock(), k.f.NewBlock()
	id := first.ID(OpLocalID, 0)
	first.Term, first.Cond, first.Succs = Branch, cond(first, k), []*Block{then, end}
	then.Store(4, k.at(then, id, 4), k.f.Const(F32, 0), k.bounds)
	then.Term, then.Succs = Jump, []*Block{end}
	return k.f
}

// TestBranches: a condition that is the same for all lanes takes no mask, one that
// compares a range is decided by its ends, another by all lanes.
func TestBranches(t *testing.T) {
	uniform := branchOn(func(b *Block, k *testKernel) *Value {
		return b.Add(OpULt, Bool, b.ID(OpGroupID, 0), k.f.Arg(I32, RecordWords+8))
	})
	_, text := compileText(t, uniform, 4)
	holds(t, text, map[string]int{"boolx4": 0, "store f32x4": 1})

	ranged := branchOn(func(b *Block, k *testKernel) *Value {
		return b.Add(OpULt, Bool, b.ID(OpLocalID, 0), k.f.Arg(I32, RecordWords+8))
	})
	_, text = compileText(t, ranged, 4)
	// The vector of the condition is for the masked form, which stores all lanes or some.
	holds(t, text, map[string]int{"ult boolx4": 1, "store f32x4": 3})

	loaded := branchOn(func(b *Block, k *testKernel) *Value {
		v := b.Load(F32, 4, k.at(b, b.ID(OpLocalID, 0), 4), k.bounds)
		return b.Add(OpFLt, Bool, v, k.f.Const(F32, 0))
	})
	_, text = compileText(t, loaded, 4)
	holds(t, text, map[string]int{"flt boolx4": 1, "all bool": 2})
}

// endingKernel has branches one after the other that may each end the work-item.
func endingKernel(branches int) *Function {
	k := newTestKernel()
	end := k.f.NewBlock()
	b := k.f.Blocks[0]
	id := b.ID(OpLocalID, 0)
	for range branches {
		next := k.f.NewBlock()
		b.Cond = b.Add(OpFLt, Bool, b.Load(F32, 4, k.at(b, id, 4), k.bounds), k.f.Const(F32, 0))
		b.Term, b.Succs = Branch, []*Block{end, next}
		next.Store(4, k.at(next, id, 4), k.f.Const(F32, 0), k.bounds)
		b = next
	}
	b.Term, b.Succs = Jump, []*Block{end}
	return k.f
}

// TestManyEnds: the ways of branches within branches have forms of their own as long as
// the code stays in proportion.
func TestManyEnds(t *testing.T) {
	few, _ := compileText(t, endingKernel(2), 4)
	const n = 100
	c, _ := compileText(t, endingKernel(n), 4)
	if limit := 10 * n * len(few.Insts); len(c.Insts) > limit {
		t.Errorf("%d branches take %d instructions, 2 take %d", n, len(c.Insts), len(few.Insts))
	}
}

// barrierKernel loads, waits, and stores the number that it has loaded.
func barrierKernel(index func(b *Block, k *testKernel) *Value) *Function {
	k := newTestKernel()
	first, second := k.f.Blocks[0], k.f.NewBlock()
	v := first.Load(F32, 4, k.at(first, index(first, k), 4), k.bounds)
	first.Term, first.Succs = Barrier, []*Block{second}
	second.Store(4, k.at(second, second.ID(OpLocalID, 0), 4), v, k.bounds)
	return k.f
}

// TestSlots: values that differ between work-items have a slot across a barrier.
func TestSlots(t *testing.T) {
	c, _ := compileText(t, barrierKernel(func(b *Block, _ *testKernel) *Value { return b.ID(OpLocalID, 0) }), 4)
	if c.ContextSize != 8 || !c.Items {
		t.Errorf("a value that varies takes %d bytes, items %v", c.ContextSize, c.Items)
	}
	c, _ = compileText(t, barrierKernel(func(b *Block, _ *testKernel) *Value { return b.ID(OpGroupID, 0) }), 4)
	if c.ContextSize != 0 {
		t.Errorf("a value of the group takes %d bytes", c.ContextSize)
	}
}

// TestBarrierAgreement: steps are compared only where a branch that differs decides
// which barrier they reach, and have flags of their end only there.
func TestBarrierAgreement(t *testing.T) {
	_, text := compileText(t, barrierKernel(func(b *Block, _ *testKernel) *Value { return b.ID(OpLocalID, 0) }), 4)
	holds(t, text, map[string]int{"trap 0x2": 0, "fill": 1}) // of local memory
	k := newTestKernel()
	first, left, right, end := k.f.Blocks[0], k.f.NewBlock(), k.f.NewBlock(), k.f.NewBlock()
	first.Term, first.Succs = Branch, []*Block{left, right}
	first.Cond = first.Add(OpEq, Bool, first.ID(OpLocalID, 1), k.f.Const(I32, 0))
	left.Term, left.Succs = Barrier, []*Block{end}
	right.Term, right.Succs = Jump, []*Block{end}
	end.Store(4, k.at(end, end.ID(OpLocalID, 0), 4), k.f.Const(F32, 0), k.bounds)
	c, text := compileText(t, k.f, 4)
	if !strings.Contains(text, "trap 0x2") || strings.Count(text, "fill") == 1 || c.ContextSize != 8 {
		t.Errorf("rows that reach different ends are not told apart, with %d bytes for each work-item:\n%s", c.ContextSize, text)
	}
}

// TestSeveralEntries: a loop that is entered in two places gets one entry.
func TestSeveralEntries(t *testing.T) {
	k := newTestKernel()
	first, a, b, end := k.f.Blocks[0], k.f.NewBlock(), k.f.NewBlock(), k.f.NewBlock()
	first.Term, first.Succs = Branch, []*Block{a, b}
	first.Cond = first.Add(OpBool, Bool, k.f.Arg(I32, RecordWords+8))
	a.Store(4, k.buffer, k.f.Const(F32, 0), k.bounds)
	a.Term, a.Succs = Jump, []*Block{b}
	b.Store(4, k.buffer, k.f.Const(F32, 0), k.bounds)
	b.Term, b.Succs = Branch, []*Block{a, end}
	b.Cond = b.Add(OpBool, Bool, b.Load(I32, 4, k.buffer, k.bounds))
	_, text := compileText(t, k.f, 4)
	if g := k.f.flowGraph(); !g.isReducible() {
		t.Error("the loop has two entries")
	}
	holds(t, text, map[string]int{"boolx4": 0})
}

// TestEntriesOfLoops: the outer loop first, and inner ones once that has one entry.
func TestEntriesOfLoops(t *testing.T) {
	for _, test := range []struct {
		name  string
		succs [][]int
		want  string
	}{
		{"one entry", [][]int{{1}, {2}, {1, 3}, {}}, "[]"},
		{"two entries", [][]int{{1, 2}, {2}, {1, 3}, {}}, "[[1 2]]"},
		{"inner loop", [][]int{{1}, {2, 3}, {3}, {2, 4}, {1, 5}, {}}, "[[2 3]]"},
		{"loop with itself", [][]int{{1}, {1, 2}, {}}, "[]"},
		{"two loops", [][]int{{1, 2}, {2}, {1, 3}, {4, 5}, {5}, {4, 6}, {}}, "[[1 2] [4 5]]"},
	} {
		got := newGraph(test.succs).entriesOfLoops()
		for _, entries := range got {
			slices.Sort(entries)
		}
		slices.SortFunc(got, slices.Compare[[]int])
		if text := fmt.Sprint(got); text != test.want {
			t.Errorf("%s: %s, not %s", test.name, text, test.want)
		}
	}
}

// TestManyLoops: calls that are inlined bring one loop with two entries each. A round
// for each of these takes more than a minute.
func TestManyLoops(t *testing.T) {
	k := newTestKernel()
	last, cond := k.f.Blocks[0], k.f.Blocks[0].Add(OpBool, Bool, k.f.Arg(I32, RecordWords+8))
	const loops = 2000
	for range loops {
		a, b, end := k.f.NewBlock(), k.f.NewBlock(), k.f.NewBlock()
		last.Term, last.Cond, last.Succs = Branch, cond, []*Block{a, b}
		a.Term, a.Succs = Jump, []*Block{b}
		b.Term, b.Cond, b.Succs = Branch, cond, []*Block{a, end}
		last = end
	}
	k.f.structureLoops()
	g := k.f.flowGraph()
	if list, _ := g.findLoops(); !g.isReducible() || len(list) != loops {
		t.Errorf("%d loops, all with one entry: %v; not %d", len(list), g.isReducible(), loops)
	}
}

// TestRefused: constructs that take steps of one work-item.
func TestRefused(t *testing.T) {
	k := newTestKernel()
	first, loop, end := k.f.Blocks[0], k.f.NewBlock(), k.f.NewBlock()
	first.Term, first.Succs = Jump, []*Block{loop}
	old := loop.AddAtomic(AtomicAdd, I32, 4, k.bounds, k.buffer, k.f.Const(I32, 1))
	loop.Term, loop.Succs = Branch, []*Block{loop, end}
	loop.Cond = loop.Add(OpULt, Bool, old, k.f.Const(I32, 100))
	if err := k.f.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(k.f, 4, AnyRows); !errors.Is(err, ErrUnsupported) {
		t.Errorf("an atomic operation in a loop that lanes leave at different times: %v", err)
	}
	if _, err := Compile(k.f, 1, AnyRows); err != nil {
		t.Error(err)
	}
}

// TestSimplify: the values that Add makes of operations with constants.
func TestSimplify(t *testing.T) {
	f := NewFunction("kernel")
	b := f.Blocks[0]
	x := b.ID(OpLocalID, 0)
	flag := b.Add(OpBool, Bool, x)
	other := b.Add(OpULt, Bool, x, f.Arg(I32, RecordWords))
	number := func(n uint64) *Value { return f.Const(I32, n) }
	for _, test := range []struct {
		name      string
		got, want *Value
	}{
		{"x + 0", b.Add(OpAdd, I32, x, number(0)), x},
		{"0 + x", b.Add(OpAdd, I32, number(0), x), x},
		{"x * 1", b.Add(OpMul, I32, x, number(1)), x},
		{"x * 0", b.Add(OpMul, I32, x, number(0)), number(0)},
		{"3 + 4", b.Add(OpAdd, I32, number(3), number(4)), number(7)},
		{"3 - 4", b.Add(OpSub, I32, number(3), number(4)), number(0xffffffff)},
		{"x << 20 << 12", b.Add(OpShl, I32, b.Add(OpShl, I32, x, number(20)), number(12)), number(0)},
		{"int of a flag != 0", b.Add(OpBool, Bool, b.Add(OpInt, I32, flag)), flag},
	} {
		if test.got != test.want {
			t.Errorf("%s is %v, not %v", test.name, test.got.Op, test.want.Op)
		}
	}
	for name, test := range map[string]struct {
		got  *Value
		want Op
	}{
		"x * 8":               {b.Add(OpMul, I32, x, number(8)), OpShl},
		"flag ? true : y":     {b.Add(OpSelect, Bool, flag, f.Const(Bool, 1), other), OpOr},
		"flag ? y : false":    {b.Add(OpSelect, Bool, flag, other, f.Const(Bool, 0)), OpAnd},
		"flag ? y : z":        {b.Add(OpSelect, Bool, flag, other, flag), OpSelect},
		"(i64)x < (i64)y":     {b.Add(OpSLt, Bool, b.Add(OpZExt, I64, x), b.Add(OpZExt, I64, f.Arg(I32, RecordWords))), OpULt},
		"low half of a sum":   {b.Add(OpAdd, I64, b.Add(OpZExt, I64, x), f.Arg(I64, RecordWords)).Low(), OpAdd},
		"low half of a ratio": {b.Add(OpUDiv, I64, b.Add(OpZExt, I64, x), f.Arg(I64, RecordWords)).Low(), OpWrap},
	} {
		if test.got.Op != test.want {
			t.Errorf("%s is %v, not %v", name, opNames[test.got.Op], opNames[test.want])
		}
	}
}

// TestGraph: dominators, postdominators and loops of a loop with a diamond in it.
func TestGraph(t *testing.T) {
	//  0 -> 1 -> 2, 3 -> 4 -> 1 and 5
	g := newGraph([][]int{{1}, {2, 3}, {4}, {4}, {1, 5}, {}})
	for n, want := range []int{-1, 0, 1, 1, 1, 4} {
		if g.idom[n] != want {
			t.Errorf("%d is dominated by %d, not %d", n, g.idom[n], want)
		}
	}
	post := g.postDominators(func(int) bool { return false })
	for n, want := range []int{1, 4, 4, 4, 5, 6} {
		if post[n] != want {
			t.Errorf("%d is postdominated by %d, not %d", n, post[n], want)
		}
	}
	list, of := g.findLoops()
	if len(list) != 1 || list[0].header != 1 || len(list[0].nodes) != 4 || of[0] != nil || of[5] != nil || !g.isReducible() {
		t.Errorf("loops: %v", list)
	}
	if newGraph([][]int{{1, 2}, {2}, {1}}).isReducible() {
		t.Error("a loop with two entries is reducible")
	}
}
