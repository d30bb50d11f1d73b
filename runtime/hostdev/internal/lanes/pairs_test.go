package lanes

import (
	"strings"
	"testing"
)

// TestPairs: accesses to both parts of complex numbers take one check of bounds; a
// copy takes whole vectors, and so do parts at a stride.
func TestPairs(t *testing.T) {
	for _, test := range []struct {
		name   string
		build  func(k *testKernel, b *Block)
		counts map[string]int
	}{
		{"copied", func(k *testKernel, b *Block) {
			x, y := k.loadParts(b, k.at(b, b.ID(OpLocalID, 0), 8))
			k.storeParts(b, k.at(b, b.ID(OpLocalID, 0), 8), x, y)
		}, map[string]int{"load i64x4": 1, "store i64x4": 1, "br 0x1": 2, "every2": 0}},
		{"strided", func(k *testKernel, b *Block) {
			x, y := k.loadParts(b, k.at(b, b.ID(OpLocalID, 0), 8))
			k.storeParts(b, k.at(b, b.ID(OpLocalID, 0), 8), y, x)
		}, map[string]int{"every2 i32x4": 2, "extract i32 ": 0, "br 0x1": 2, "pair i64x4": 1, "store i64x4": 1}},
		{"gathered, with a form for lanes side by side", func(k *testKernel, b *Block) {
			index := b.Load(I32, 4, k.at(b, b.ID(OpLocalID, 0), 4), k.bounds)
			x, y := k.loadParts(b, k.at(b, index, 8))
			k.storeParts(b, k.at(b, index, 8), b.Add(OpFMul, F32, x, y), x)
		}, map[string]int{"build i32x4": 2, "extract i32 ": 18, "br 0x1": 5, "all bool": 2, "every2 i32x4": 2, "pair i64x4": 1, "store i64x4": 1}},
		{"with a store between", func(k *testKernel, b *Block) {
			at := k.at(b, b.ID(OpLocalID, 0), 8)
			x := b.Load(F32, 4, at, k.bounds)
			b.Store(4, k.at(b, b.ID(OpLocalID, 0), 4), x, k.bounds)
			y := b.Load(F32, 4, b.Add(OpAdd, I32, at, k.f.Const(I32, 4)), k.bounds)
			b.Store(4, k.at(b, b.ID(OpLocalID, 0), 4), y, k.bounds)
		}, map[string]int{"every2 f32x4": 2, "br 0x1": 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newTestKernel()
			test.build(k, k.f.Blocks[0])
			if err := k.f.Finish(); err != nil {
				t.Fatal(err)
			}
			c, err := Compile(k.f, 4, SubgroupRows)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, c.String(), test.counts)
		})
	}
}

func (k *testKernel) loadParts(b *Block, at *Value) (x, y *Value) {
	return b.Load(F32, 4, at, k.bounds), b.Load(F32, 4, b.Add(OpAdd, I32, at, k.f.Const(I32, 4)), k.bounds)
}

func (k *testKernel) storeParts(b *Block, at, x, y *Value) {
	b.Store(4, at, x, k.bounds)
	b.Store(4, b.Add(OpAdd, I32, at, k.f.Const(I32, 4)), y, k.bounds)
}

// TestEqualValues: an operation that a block has twice is computed once.
func TestEqualValues(t *testing.T) {
	k := newTestKernel()
	b := k.f.Blocks[0]
	index := b.Load(I32, 4, k.at(b, b.ID(OpLocalID, 0), 4), k.bounds)
	square := func() *Value { return b.Add(OpMul, I32, index, index) }
	b.Store(4, k.at(b, b.ID(OpLocalID, 0), 4), b.Add(OpXor, I32, square(), b.Add(OpSub, I32, square(), index)), k.bounds)
	_, text := compileText(t, k.f, 4)
	holds(t, text, map[string]int{"mul i32x4": 1})
}

// TestRegionHoists: a division of the counter of a loop around a barrier, which is the
// same for the group, is done once for all work-items.
func TestRegionHoists(t *testing.T) {
	k := newTestKernel()
	f := k.f
	entry, wait, body, end := f.Blocks[0], f.NewBlock(), f.NewBlock(), f.NewBlock()
	counter := f.NewRegister(I32)
	entry.Set(counter, f.Const(I32, 1))
	entry.Term, entry.Succs = Jump, []*Block{wait}
	n := wait.Get(counter)
	wait.Term, wait.Succs = Barrier, []*Block{body}
	step := body.Add(OpUDiv, I32, f.Const(I32, 128), n)
	at := k.at(body, body.ID(OpLocalID, 0), 4)
	body.Store(4, at, body.Add(OpAdd, I32, body.Load(I32, 4, at, k.bounds), step), k.bounds)
	next := body.Add(OpAdd, I32, n, f.Const(I32, 1))
	body.Set(counter, next)
	body.Term, body.Cond, body.Succs = Branch, body.Add(OpULt, Bool, next, f.Const(I32, 9)), []*Block{wait, end}
	_, text := compileText(t, f, 4)
	var depths []int
	for _, line := range strings.Split(text, "\n") {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if strings.Contains(line, "udiv") || strings.Contains(line, "add i32x4") {
			depths = append(depths, depth)
		}
	}
	if n := len(depths); n < 2 || depths[n-1] < depths[n-2]+6 {
		t.Errorf("the division and the sum are as deep as %v:\n%s", depths, text)
	}
}
