package cycles

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestComponents compares the parts of random graphs with the nodes that each node reaches.
func TestComponents(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		size := 1 + random.IntN(12)
		succs := make([][]int, size)
		for n := range succs {
			for range random.IntN(3) {
				succs[n] = append(succs[n], random.IntN(size))
			}
		}
		barred := random.IntN(2 * size) // often none
		inside := func(to int) bool { return to != barred }
		nodes := random.Perm(size)
		parts := Components(nodes, func(n int) []int { return succs[n] }, inside)
		of := make([]int, size) // the part of each node, from 1 on
		for i, part := range parts {
			for _, n := range part {
				if of[n] != 0 {
					t.Fatalf("%v: node %d is in two parts", succs, n)
				}
				of[n] = i + 1
			}
		}
		reach := reachable(succs, inside)
		for a := range size {
			for b := range size {
				if together := a == b || reach[a][b] && reach[b][a]; together != (of[a] == of[b]) || of[a] == 0 {
					t.Fatalf("%v without edges to %d: parts %v; nodes %d and %d", succs, barred, parts, a, b)
				}
				if reach[a][b] && of[a] < of[b] {
					t.Fatalf("%v without edges to %d: parts %v: %d leads on to %d", succs, barred, parts, a, b)
				}
			}
		}
	}
}

// reachable tells for each node which others it reaches by edges.
func reachable(succs [][]int, inside func(int) bool) [][]bool {
	reach := make([][]bool, len(succs))
	for n := range succs {
		reach[n] = make([]bool, len(succs))
		for work := slices.Clone(succs[n]); len(work) > 0; {
			to := work[len(work)-1]
			work = work[:len(work)-1]
			if inside(to) && !reach[n][to] {
				reach[n][to] = true
				work = append(work, succs[to]...)
			}
		}
	}
	return reach
}

// TestDeepGraph has a chain that no recursion could follow, in one cycle.
func TestDeepGraph(t *testing.T) {
	const size = 1 << 20
	nodes := make([]int, size)
	for i := range nodes {
		nodes[i] = i
	}
	next := make([]int, 1)
	ring := Components(nodes, func(n int) []int { next[0] = (n + 1) % size; return next }, func(int) bool { return true })
	if len(ring) != 1 || len(ring[0]) != size {
		t.Errorf("%d parts", len(ring))
	}
	chain := Components(nodes, func(n int) []int { next[0] = (n + 1) % size; return next }, func(to int) bool { return to != 0 })
	if len(chain) != size {
		t.Errorf("%d parts", len(chain))
	}
}
