package spirv

import (
	"math/rand/v2"
	"testing"
)

// graphModule is a module of one function whose blocks branch as edges says.
func graphModule(t testing.TB, edges [][]int) (*Module, *Function) {
	t.Helper()
	const firstLabel = 10
	f := &Function{Def: &Instruction{Op: OpFunction, Words: []uint32{1, 2, 0, 3}}}
	m := &Module{Version: Version1_0, Bound: uint32(firstLabel + len(edges))}
	for from, targets := range edges {
		f.Body = append(f.Body, &Instruction{Op: OpLabel, Words: []uint32{uint32(firstLabel + from)}})
		end := &Instruction{Op: OpReturn}
		switch len(targets) {
		case 0:
		case 1:
			end = &Instruction{Op: OpBranch, Words: []uint32{uint32(firstLabel + targets[0])}}
		default:
			end = &Instruction{
				Op:    OpBranchConditional,
				Words: []uint32{4, uint32(firstLabel + targets[0]), uint32(firstLabel + targets[1])},
			}
		}
		f.Body = append(f.Body, end)
	}
	return m, f
}

// reachedWithout is the set of blocks that the entry reaches when one block is
// removed.
func reachedWithout(edges [][]int, without int) map[int]bool {
	seen := map[int]bool{}
	work := []int{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == without || seen[b] {
			continue
		}
		seen[b] = true
		work = append(work, edges[b]...)
	}
	return seen
}

// TestDominators compares with the definition: a block dominates the blocks
// that cannot be reached without it.
func TestDominators(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 1 + random.IntN(12)
		edges := make([][]int, n)
		for b := range edges {
			for range random.IntN(3) {
				if n > 1 {
					edges[b] = append(edges[b], 1+random.IntN(n-1))
				}
			}
		}
		m, f := graphModule(t, edges)
		g, err := m.CFG(f)
		if err != nil {
			t.Fatal(err)
		}
		checkDominators(t, g, edges)
	}
}

func checkDominators(t *testing.T, g *CFG, edges [][]int) {
	t.Helper()
	reached := reachedWithout(edges, -1)
	if len(g.Order) != len(reached) {
		t.Errorf("%v: %d blocks in order; %d are reached", edges, len(g.Order), len(reached))
	}
	position := map[int]int{}
	for i, b := range g.Order {
		position[b] = i
	}
	for a := range edges {
		if g.Reached(a) != reached[a] {
			t.Fatalf("%v: Reached(%d) = %v", edges, a, g.Reached(a))
		}
		without := reachedWithout(edges, a)
		for b := range edges {
			if !reached[a] || !reached[b] {
				continue
			}
			want := !without[b]
			if got := g.Dominates(a, b); got != want {
				t.Errorf("%v: Dominates(%d, %d) = %v; want %v", edges, a, b, got, want)
			}
			if want && position[a] > position[b] {
				t.Errorf("%v: %d dominates %d and stands after it", edges, a, b)
			}
		}
	}
}

// TestDeepCFG has a graph that is as deep as it is long.
func TestDeepCFG(t *testing.T) {
	const n = 200_000
	edges := make([][]int, n)
	for b := range n - 1 {
		edges[b] = []int{b + 1, max(1, b-1)}
	}
	m, f := graphModule(t, edges)
	g, err := m.CFG(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Dominator(n - 1); got != n-2 {
		t.Errorf("Dominator(%d) = %d; want %d", n-1, got, n-2)
	}
}
