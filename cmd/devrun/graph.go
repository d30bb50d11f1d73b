package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/runtime/imagegraph"
	"offlink/runtime/linkcheck"
)

// newGraphCommand makes "devrun graph": the report of check as a drawing. It takes
// the same options, and never fails for a problem, as problems are its subject.
func newGraphCommand(s cli.Streams) *cobra.Command {
	o := &checkCommand{streams: s}
	var output string
	c := &cobra.Command{
		Use:   "graph FILE...",
		Short: "Draw the device images of programs and libraries with their imports",
		Long: `graph draws the device images that check lists: an arrow leads from the image
that imports to the one that exports, symbols that no image provides are red,
and a bar shows the size of the code. Many images of a file that import and
export nothing are one box. Names are as the source spells them.

-o x.svg is a drawing, -o x.html a page with the drawing, the problems and a
table, which loads nothing; both follow the reader's light or dark scheme.
-o x.dot is source of Graphviz, as is standard output without -o.`,
		Example: "  devrun graph a.out -o a.svg",
		Args:    needFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			o.files = args
			return o.drawGraph(output)
		},
	}
	o.addFlags(c)
	c.Flags().StringVarP(&output, "output", "o", "", "`FILE` to write: its name ends in .svg, .html or .dot")
	return c
}

// drawings are the forms of output by the end of its name.
var drawings = map[string]func(*imagegraph.Graph) []byte{
	"":      (*imagegraph.Graph).DOT,
	".dot":  (*imagegraph.Graph).DOT,
	".gv":   (*imagegraph.Graph).DOT,
	".svg":  (*imagegraph.Graph).SVG,
	".html": (*imagegraph.Graph).Page,
	".htm":  (*imagegraph.Graph).Page,
}

// drawGraph refuses an unknown ending before it reads the files: a library of
// thousands of images takes its time.
func (o *checkCommand) drawGraph(output string) (err error) {
	form := drawings[strings.ToLower(filepath.Ext(output))]
	if form == nil || output != "" && filepath.Ext(output) == "" {
		return cli.Usagef("-o %s: the name ends in none of .svg, .html and .dot", output)
	}
	p, report, err := o.checkFiles()
	if err != nil {
		return err
	}
	defer closeInto(&err, p.closeFiles)
	text := form(graphOf(report, "Device images of "+strings.Join(o.files, ", ")))
	if output == "" {
		_, err = o.streams.Out.Write(text)
		return err
	}
	var outputs cli.Outputs
	outputs.ProtectInputs(o.files...)
	if err := outputs.WriteFile(output, text); err != nil {
		outputs.Abort()
		return err
	}
	return outputs.Commit()
}

// maxLoners is the most images of a file without imports and exports that get boxes of
// their own. A library like dpctl's has thousands, among which those that link would be
// lost.
const maxLoners = 8

// graphBuilder makes a graph of a report. A missing symbol is one node, however
// many images import it.
type graphBuilder struct {
	graph   *imagegraph.Graph
	nodes   map[linkcheck.Ref]int
	missing map[string]int
}

func graphOf(r *linkcheck.Report, title string) *imagegraph.Graph {
	b := &graphBuilder{&imagegraph.Graph{Title: title}, make(map[linkcheck.Ref]int), make(map[string]int)}
	linked, loners := linkedImages(r)
	group := make(map[string]int)
	for i := range r.Images {
		img := &r.Images[i]
		if linked[img.Ref] || loners[img.File] <= maxLoners {
			b.nodes[img.Ref] = b.addNode(imagegraph.Node{
				File: img.File, Name: fmt.Sprintf("image %d", img.Ref.Image), Detail: img.Target + ", " + img.Format,
				Size: img.Size, Kernels: sourceNames(img.Kernels), Exports: sourceNames(img.Exports),
			})
			continue
		}
		n, known := group[img.File]
		if !known {
			n = b.addNode(imagegraph.Node{File: img.File, Name: countNoun(loners[img.File], "image"), Detail: "without imports and importers"})
			group[img.File] = n
		}
		node := &b.graph.Nodes[n]
		node.Images++
		node.Size += img.Size
		node.Kernels = append(node.Kernels, sourceNames(img.Kernels)...)
	}
	for _, img := range r.Images {
		b.addEdges(img)
	}
	for _, p := range r.Problems {
		b.graph.Problems = append(b.graph.Problems, imagegraph.Problem{Severity: string(p.Severity), Message: p.Message})
	}
	return b.graph
}

// linkedImages returns the images with an edge. loners counts the others by file.
func linkedImages(r *linkcheck.Report) (linked map[linkcheck.Ref]bool, loners map[string]int) {
	linked, loners = make(map[linkcheck.Ref]bool), make(map[string]int)
	for _, img := range r.Images {
		for _, i := range img.Imports {
			linked[img.Ref] = true
			if i.From != nil {
				linked[*i.From] = true
			}
		}
	}
	for _, img := range r.Images {
		if !linked[img.Ref] {
			loners[img.File]++
		}
	}
	return linked, loners
}

// sourceNames are names as the source spells them.
func sourceNames(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = sourceName(name)
	}
	return list
}

func (b *graphBuilder) addNode(n imagegraph.Node) int {
	b.graph.Nodes = append(b.graph.Nodes, n)
	return len(b.graph.Nodes) - 1
}

func (b *graphBuilder) addEdges(img linkcheck.Image) {
	for _, i := range img.Imports {
		to, known := b.missing[i.Symbol]
		switch {
		case i.From != nil:
			to = b.nodes[*i.From]
		case !known:
			to = b.addNode(imagegraph.Node{Name: sourceName(i.Symbol), Missing: true})
			b.missing[i.Symbol] = to
		}
		b.graph.Edges = append(b.graph.Edges, imagegraph.Edge{From: b.nodes[img.Ref], To: to, Symbols: []string{sourceName(i.Symbol)}})
	}
}
