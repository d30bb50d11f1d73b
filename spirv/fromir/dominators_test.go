package fromir

import (
	"math/rand/v2"
	"slices"
	"testing"

	"offlink/ir"
)

// TestDominators: a block dominates another if that is not reached without it, and
// the immediate dominator is the one that all others dominate.
func TestDominators(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		body := randomBlocks(random, 1+random.IntN(12))
		dom := blockDominators(body)
		for b, got := range dom {
			if want := slowDominator(body, b); got != want {
				t.Fatalf("block %d of %v: %d, want %d", b, body.Instructions, got, want)
			}
		}
	}
}

// randomBlocks returns blocks of a terminator each.
func randomBlocks(random *rand.Rand, count int) *ir.Body {
	body := &ir.Body{}
	for i := range count {
		in := ir.Instruction{Op: ir.OpBr}
		for range random.IntN(4) {
			in.Operands = append(in.Operands, ir.Value{Kind: ir.ValueBlock, Index: uint32(random.IntN(count))})
		}
		body.Blocks = append(body.Blocks, ir.Block{First: i, End: i + 1})
		body.Instructions = append(body.Instructions, in)
	}
	return body
}

// reachedWithout returns the blocks that are reached when one of them is left out.
func reachedWithout(body *ir.Body, without int) map[int]bool {
	reached := map[int]bool{}
	for work := []int{0}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == without || reached[at] {
			continue
		}
		reached[at] = true
		work = slices.AppendSeq(work, successorBlocks(body.Terminator(at)))
	}
	return reached
}

// slowDominator is blockDominators for one block, by the definition.
func slowDominator(body *ir.Body, block int) int {
	if !reachedWithout(body, -1)[block] {
		return -2
	}
	best, most := -1, -1
	for d := range body.Blocks {
		if d == block || reachedWithout(body, d)[block] || !reachedWithout(body, -1)[d] {
			continue
		}
		if above := dominatorCount(body, d); above > most {
			best, most = d, above
		}
	}
	return best
}

// dominatorCount counts the blocks that dominate a block.
func dominatorCount(body *ir.Body, block int) (count int) {
	for d := range body.Blocks {
		if d != block && reachedWithout(body, -1)[d] && !reachedWithout(body, d)[block] {
			count++
		}
	}
	return count
}
