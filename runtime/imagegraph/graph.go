// Package imagegraph draws device images and the symbols that they import from
// each other: as Graphviz source, as SVG by a layered layout of its own, and as
// a page. It knows nothing of files; the same graph gives the same bytes.
package imagegraph

import (
	"cmp"
	"slices"
)

// Graph is images and their imports.
type Graph struct {
	Title    string
	Nodes    []Node
	Edges    []Edge
	Problems []Problem
}

// Node is an image, several images of a file that import and export nothing,
// or a symbol that no image provides.
type Node struct {
	File    string // "" for a symbol that is missing
	Name    string // "image 0", or the symbol
	Detail  string // target and format
	Size    int64  // of the code, in bytes
	Kernels []string
	Exports []string
	Images  int // that the node stands for; 0 means one
	Missing bool
}

// Edge says that an image imports symbols from another.
type Edge struct {
	From, To int // indexes of Nodes
	Symbols  []string
}

// Problem is a line of the page.
type Problem struct {
	Severity string
	Message  string
}

// edgesByEnds returns the edges without those from a node to itself, each pair
// of nodes once with all symbols, sorted by their ends.
func (g *Graph) edgesByEnds() []Edge {
	type ends struct{ from, to int }
	at := make(map[ends]int)
	var list []Edge
	for _, e := range g.Edges {
		if e.From == e.To {
			continue
		}
		key := ends{e.From, e.To}
		i, known := at[key]
		if !known {
			i = len(list)
			at[key] = i
			list = append(list, Edge{From: e.From, To: e.To})
		}
		list[i].Symbols = append(list[i].Symbols, e.Symbols...)
	}
	slices.SortFunc(list, func(a, b Edge) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return list
}
