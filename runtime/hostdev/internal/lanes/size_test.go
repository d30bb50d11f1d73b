package lanes

import (
	"errors"
	"testing"
)

// TestManyBranches: code with very many places where ways meet has one lane, as
// compiling it for several would take minutes; a sub-group has to have its lanes.
func TestManyBranches(t *testing.T) {
	for _, test := range []struct {
		branches, width int
		rows            Rows
		refused         bool
	}{
		{20, 4, AnyRows, false},
		{1000, 4, AnyRows, true},
		{1000, 1, AnyRows, false},
		{1000, 4, WholeSteps, true},
		{1000, 4, SubgroupRows, false},
	} {
		f := manyBranches(test.branches)
		if err := f.Finish(); err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(f, test.width, test.rows); errors.Is(err, ErrUnsupported) != test.refused {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// manyBranches makes a kernel of branches one after the other.
func manyBranches(n int) *Function {
	k := newTestKernel()
	b := k.f.Blocks[0]
	at := k.at(b, b.ID(OpLocalID, 0), 4)
	for i := range n {
		then, next := k.f.NewBlock(), k.f.NewBlock()
		v := b.Load(I32, 4, at, k.bounds)
		b.Term, b.Cond, b.Succs = Branch, b.Add(OpEq, Bool, v, k.f.Const(I32, uint64(i))), []*Block{then, next}
		then.Store(4, at, then.Add(OpMul, I32, v, v), k.bounds)
		then.Term, then.Succs = Jump, []*Block{next}
		b = next
	}
	return k.f
}
