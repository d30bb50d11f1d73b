package split

import (
	"slices"

	"offlink/ir"
)

// The reference numbers constants in the order in which LLVM lists the uses of the functions that
// read them. A list of uses begins with the use that was added last, so that it runs against the
// code of a module that LLVM copied, as it does for a split, or read from bitcode. Two kinds of
// input make another list: bitcode that states one, and text.

// rankReads gives each read its place among the uses of the function that it calls, in the module
// as LLVM reads it.
func (g *Graph) rankReads() {
	uses := make(map[ir.ValueID][]specUse)
	for i := range g.Module.Values {
		id := ir.ValueID(i)
		reads := g.specConstants.reads[id]
		for j := range reads {
			callee := ir.ValueID(reads[j].order)
			uses[callee] = append(uses[callee], specUse{id, &reads[j]})
		}
	}
	for callee, list := range uses {
		for rank, use := range g.listOfUses(callee, list) {
			use.read.rank = rank
		}
	}
}

// listOfUses sorts the uses of a function, which are given in the order of the code, as LLVM lists
// them after reading the module. A call in text that stands before the declaration refers to a
// placeholder, and the declaration takes over the placeholder's uses from the last to the first.
func (g *Graph) listOfUses(callee ir.ValueID, uses []specUse) []specUse {
	later := 0 // the first use after the declaration
	if g.Module.Producer == "" {
		later = slices.IndexFunc(uses, func(u specUse) bool { return u.function > callee })
		if later < 0 {
			later = len(uses)
		}
	}
	list := slices.Clone(uses[later:])
	slices.Reverse(list)
	list = append(list, uses[:later]...)
	if places := g.Module.UseOrders[callee]; len(places) == len(list) {
		for i, place := range places {
			list[i].read.rank = int(place)
		}
		slices.SortStableFunc(list, func(a, b specUse) int { return a.read.rank - b.read.rank })
	}
	return list
}

// sortReads sorts the reads of a partition, which are given in the order of the code, by the
// functions that they call and then as LLVM lists their uses. whole says that the module was not
// split.
func sortReads(uses []specUse, whole bool) {
	slices.Reverse(uses)
	slices.SortStableFunc(uses, func(a, b specUse) int {
		if a.read.order != b.read.order || !whole {
			return a.read.order - b.read.order
		}
		return a.read.rank - b.read.rank
	})
}
