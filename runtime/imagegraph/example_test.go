package imagegraph_test

import (
	"fmt"
	"strings"

	"offlink/runtime/imagegraph"
)

// A program's image imports a function of a library's.
func ExampleGraph_DOT() {
	g := imagegraph.Graph{
		Title: "app",
		Nodes: []imagegraph.Node{
			{File: "app", Name: "image 0", Detail: "spir64, spirv", Size: 692, Kernels: []string{"app"}},
			{File: "libhelpers.so", Name: "image 0", Detail: "spir64, spirv", Size: 264, Exports: []string{"twice"}},
		},
		Edges: []imagegraph.Edge{{From: 0, To: 1, Symbols: []string{"twice"}}},
	}
	for line := range strings.Lines(string(g.DOT())) {
		if strings.Contains(line, "->") {
			fmt.Print(line)
		}
	}
	// Output: n0 -> n1 [label="twice", tooltip="twice"];
}
