package split

import (
	"slices"

	"offlink/ir"
)

// annotationsList is the array in which front ends record annotate attributes.
// An entry does not keep the value that it is about: an image has the entries
// of the values that it defines.
const annotationsList = "llvm.global.annotations"

type annotations struct {
	list ir.ValueID
	// entries are the indices of the elements about a value.
	entries map[ir.ValueID][]int
	// operands are the other values that an element refers to, by its index:
	// strings and arguments.
	operands map[int][]ir.ValueID
	count    int
}

// findAnnotations records the value that each annotation is about.
func (g *Graph) findAnnotations() error {
	list, ok := g.Module.Lookup(annotationsList)
	if !ok || g.Module.Values[list].Declaration || g.Module.Values[list].Kind != ir.Variable {
		return nil
	}
	c, err := g.Module.Initializer(list)
	if err != nil {
		return err
	}
	a := &annotations{list: list, entries: make(map[ir.ValueID][]int), operands: make(map[int][]ir.ValueID)}
	for _, i := range keptElements(&g.Module.Values[list], len(c.Elements)) {
		fields := c.Elements[i].Elements
		if len(fields) == 0 || fields[0].Kind != ir.ConstantValue {
			continue
		}
		a.count++
		a.entries[fields[0].Value] = append(a.entries[fields[0].Value], i)
		for _, f := range fields[1:] {
			if f.Kind == ir.ConstantValue {
				a.operands[i] = append(a.operands[i], f.Value)
			}
		}
	}
	g.annotations = a
	return nil
}

func (g *Graph) isAnnotations(id ir.ValueID) bool {
	return g.annotations != nil && g.annotations.list == id
}

// keepAnnotations puts the annotations of the partition's definitions into it.
func (x *Extractor) keepAnnotations(s *Partition) {
	a := x.graph.annotations
	if a == nil {
		return
	}
	var kept []int
	for _, id := range s.Definitions {
		kept = append(kept, a.entries[id]...)
	}
	if len(kept) == 0 {
		return
	}
	slices.Sort(kept)
	if len(kept) < a.count || x.graph.Module.Values[a.list].Details().KeepElements != nil {
		s.Edit(a.list).KeepElements = kept
	}
	s.Definitions = append(s.Definitions, a.list)
	for _, i := range kept {
		x.addReachable(s, a.operands[i])
	}
}
