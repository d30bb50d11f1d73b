package imagegraph

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// DOT returns the graph as source of Graphviz, a cluster for each file.
func (g *Graph) DOT() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph %s {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n  edge [fontname=\"sans-serif\", fontsize=9];\n", dotText("device images"))
	for n, file := range g.fileNames() {
		indent := "  "
		if file != "" {
			fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", n, dotText(file))
			indent = "    "
		}
		for i, node := range g.Nodes {
			if node.File == file {
				g.writeDOTNode(&b, indent, i)
			}
		}
		if file != "" {
			b.WriteString("  }\n")
		}
	}
	for _, e := range g.edgesByEnds() {
		fmt.Fprintf(&b, "  n%d -> n%d [label=%s, tooltip=%s];\n", e.From, e.To, dotText(edgeLabel(e)), dotText(strings.Join(e.Symbols, "\n")))
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// fileNames are the files of the nodes in their order.
func (g *Graph) fileNames() (list []string) {
	for _, n := range g.Nodes {
		if !slices.Contains(list, n.File) {
			list = append(list, n.File)
		}
	}
	return list
}

func (g *Graph) writeDOTNode(b *bytes.Buffer, indent string, i int) {
	n := &g.Nodes[i]
	style := ""
	if n.Missing {
		style = ", style=dashed, color=red, fontcolor=red"
	}
	fmt.Fprintf(b, "%sn%d [label=%s%s];\n", indent, i, dotText(strings.Join(n.nodeLines(), "\n")), style)
}

// dotText is a quoted string of Graphviz.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ", "\x00", " ").Replace(s) + `"`
}

// edgeLabel is the symbol of an edge, or the number of them.
func edgeLabel(e Edge) string {
	if len(e.Symbols) == 1 {
		return shortenName(e.Symbols[0], maxLabel)
	}
	return fmt.Sprintf("%d symbols", len(e.Symbols))
}

// Longest texts in the drawing, in characters.
const (
	maxLabel = 28
	maxLine  = 34
)

// shortenName cuts the middle out of a text: mangled names and paths mostly differ at their
// ends.
func shortenName(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	head := (limit - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(limit-1-head):])
}

// nodeLines are the texts of a node.
func (n *Node) nodeLines() []string {
	if n.Missing {
		return []string{shortenName(n.Name, maxLine), "not found"}
	}
	lines := []string{shortenName(n.Name, maxLine)}
	if n.Detail != "" {
		lines = append(lines, shortenName(n.Detail, maxLine))
	}
	return append(lines, fmt.Sprintf("%s, %s", sizeText(n.Size), countText(len(n.Kernels), "kernel")))
}

func countText(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sizeText is a number of bytes in three digits.
func sizeText(n int64) string {
	const step = 1024
	switch {
	case n < step:
		return fmt.Sprintf("%d B", n)
	case n < step*step:
		return fmt.Sprintf("%.3g KiB", float64(n)/step)
	case n < step*step*step:
		return fmt.Sprintf("%.3g MiB", float64(n)/(step*step))
	}
	return fmt.Sprintf("%.3g GiB", float64(n)/(step*step*step))
}
