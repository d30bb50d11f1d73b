package imagegraph

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// Measures of the drawing, in pixels.
const (
	lineHeight  = 16
	nodePadding = 9
	layerGap    = 24 // around labels
	margin      = 20
	letterWidth = 7.3 // of the font at its size, a little more than most letters

	labelLetterWidth = 6.7
	labelHeight      = 16
	minNodeWidth     = 120
	barHeight        = 5
)

// styles are the colors of the light and the dark scheme. The nodes of a file share the
// hue of their stripe. The eight hues are after Okabe and Ito, so that readers with
// color vision deficiencies can distinguish them.
const styles = `
.page{fill:#fff}.box{fill:#f7f8fa;stroke:#8b95a5}.text{fill:#1c2430}.dim{fill:#5b6675}
.edge{fill:none;stroke:#77829a;stroke-width:1.4}.tip{fill:#77829a}.lost .box{fill:#fff1f0;stroke:#c62828;stroke-dasharray:4 3}
.lost .text{fill:#b71c1c}.edge.bad{stroke:#c62828}.tip.bad{fill:#c62828}.bar{fill:#b9c3d3}
.label{fill:#46536a;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
text{font:12px ui-monospace,"DejaVu Sans Mono",monospace}.name{font-weight:bold}.label{font-size:11px}
.f0{fill:#0072b2}.f1{fill:#e69f00}.f2{fill:#009e73}.f3{fill:#cc79a7}.f4{fill:#56b4e9}.f5{fill:#d55e00}.f6{fill:#f0e442}.f7{fill:#888}
@media(prefers-color-scheme:dark){.page{fill:#12161c}.box{fill:#1c232d;stroke:#5f6d82}.text{fill:#e4e9f0}.dim{fill:#a3afbf}
.edge{stroke:#8493ab}.tip{fill:#8493ab}.lost .box{fill:#33191a;stroke:#ff7a70}.lost .text{fill:#ffb4ad}.edge.bad{stroke:#ff7a70}.tip.bad{fill:#ff7a70}
.bar{fill:#46546a}.label{fill:#b8c4d6;stroke:#12161c}}
`

// fileHues is the number of colors for files.
const fileHues = 8

// SVG returns the graph as a self-contained drawing: importers above
// the images that they import from, a stripe of one color for the images of a
// file, a bar for the size. Colors follow the reader's light or dark scheme.
func (g *Graph) SVG() []byte {
	var b bytes.Buffer
	g.writeSVG(&b, styles)
	return b.Bytes()
}

// drawing is an SVG that is being written.
type drawing struct {
	graph    *Graph
	out      *bytes.Buffer
	layout   *layered
	tops     []float64 // of the layers
	heights  []float64
	files    []string
	greatest int64 // size of an image
}

// writeSVG writes the element. style is empty in a page that has the styles itself. Edges
// come before nodes and labels after them, as SVG paints in the order of the text.
func (g *Graph) writeSVG(b *bytes.Buffer, style string) {
	widths := make([]float64, len(g.Nodes))
	d := &drawing{graph: g, out: b, files: g.fileNames()}
	for i := range g.Nodes {
		widths[i] = g.Nodes[i].boxWidth()
		d.greatest = max(d.greatest, g.Nodes[i].Size)
	}
	d.layout = newLayered(g, widths)
	height := d.stackLayers()
	width := d.layout.layerWidth() + 2*margin
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="device images">`+"\n",
		math.Ceil(width), math.Ceil(height), math.Ceil(width), math.Ceil(height))
	if style != "" {
		fmt.Fprintf(b, "<style>%s</style>\n", style)
	}
	fmt.Fprintf(b, "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n")
	for _, r := range d.layout.routes {
		d.writeEdge(r)
	}
	for i := range g.Nodes {
		d.writeNode(i)
	}
	for _, r := range d.layout.routes {
		d.writeLabel(r)
	}
	b.WriteString("</svg>\n")
}

// captionLines is the texts of a node: its file, then its lines.
func (n *Node) captionLines() []string {
	if n.Missing {
		return n.nodeLines()
	}
	return append([]string{shortenName(filepath.Base(n.File), maxLine)}, n.nodeLines()...)
}

func (n *Node) boxWidth() float64 {
	longest := 0
	for _, line := range n.captionLines() {
		longest = max(longest, len([]rune(line)))
	}
	return max(minNodeWidth, float64(longest)*letterWidth+2*nodePadding+6)
}

func (n *Node) boxHeight() float64 {
	return float64(len(n.captionLines()))*lineHeight + 2*nodePadding + barHeight
}

// stackLayers places the layers below each other and returns the height of all.
func (d *drawing) stackLayers() float64 {
	y := float64(margin)
	for _, layer := range d.layout.layers {
		tallest := float64(labelHeight)
		for _, p := range layer {
			if n := d.layout.points[p].node; n >= 0 {
				tallest = max(tallest, d.graph.Nodes[n].boxHeight())
			}
		}
		d.tops = append(d.tops, y)
		d.heights = append(d.heights, tallest)
		y += tallest + layerGap
	}
	return max(y-layerGap, margin) + margin
}

func (d *drawing) writeNode(i int) {
	n, p := &d.graph.Nodes[i], d.layout.points[i]
	x, y := p.x-p.width/2+margin, d.tops[p.layer]
	class := "node"
	if n.Missing {
		class += " lost"
	}
	fmt.Fprintf(d.out, `<g class="%s" data-node="%d"><title>%s</title><rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5"/>`,
		class, i, svgText(n.tooltipText()), x, y, p.width, n.boxHeight())
	if !n.Missing {
		hue := slices.Index(d.files, n.File) % fileHues
		fmt.Fprintf(d.out, `<rect class="f%d" x="%.1f" y="%.1f" width="5" height="%.1f" rx="2"/>`, hue, x, y, n.boxHeight())
		d.writeSizeBar(n, x, y+n.boxHeight()-barHeight-5, p.width)
	}
	for line, text := range n.captionLines() {
		style := "dim"
		if line == 0 {
			style = "text name"
		}
		fmt.Fprintf(d.out, `<text class="%s" x="%.1f" y="%.1f">%s</text>`, style, x+nodePadding+4, y+nodePadding+float64(line)*lineHeight+11, svgText(text))
	}
	d.out.WriteString("</g>\n")
}

// writeSizeBar draws the size relative to that of the largest image, on a logarithmic
// scale: sizes range from a few hundred bytes to gigabytes.
func (d *drawing) writeSizeBar(n *Node, x, y, width float64) {
	if n.Size <= 0 || d.greatest <= 0 {
		return
	}
	share := math.Log1p(float64(n.Size)) / math.Log1p(float64(d.greatest))
	fmt.Fprintf(d.out, `<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%d" rx="2"/>`, x+nodePadding+4, y, share*(width-2*nodePadding-8), barHeight)
}

// tooltipText is everything about a node.
func (n *Node) tooltipText() string {
	if n.Missing {
		return n.Name + "\nno image exports it"
	}
	lines := []string{n.File, n.Name}
	if n.Detail != "" {
		lines = append(lines, n.Detail)
	}
	lines = append(lines, fmt.Sprintf("%d bytes", n.Size))
	lines = append(lines, someLines("kernels", n.Kernels)...)
	lines = append(lines, someLines("exports", n.Exports)...)
	return strings.Join(lines, "\n")
}

// someLines lists names under a heading.
func someLines(heading string, names []string) (lines []string) {
	const most = 20
	if len(names) == 0 {
		return nil
	}
	lines = append(lines, heading+":")
	for _, name := range names[:min(len(names), most)] {
		lines = append(lines, "  "+name)
	}
	if len(names) > most {
		lines = append(lines, fmt.Sprintf("  ... (%d in all)", len(names)))
	}
	return lines
}

// endElement returns where a route meets the lower or the upper edge of a point.
func (d *drawing) endElement(p int, lower bool) (x, y float64) {
	at := d.layout.points[p]
	y = d.tops[at.layer]
	if lower {
		if at.node >= 0 {
			y += d.graph.Nodes[at.node].boxHeight()
		} else {
			y += d.heights[at.layer]
		}
	}
	return at.x + margin, y
}

// writeEdge draws curves between the layers and lines across them. The tip points to the
// image that exports.
func (d *drawing) writeEdge(r route) {
	var path strings.Builder
	x, y := d.endElement(r.points[0], true)
	fmt.Fprintf(&path, "M%.1f %.1f", x, y)
	for _, p := range r.points[1:] {
		toX, toY := d.endElement(p, false)
		middle := (y + toY) / 2
		fmt.Fprintf(&path, "C%.1f %.1f %.1f %.1f %.1f %.1f", x, middle, toX, middle, toX, toY)
		x, y = d.endElement(p, true)
		if d.layout.points[p].node < 0 {
			fmt.Fprintf(&path, "L%.1f %.1f", x, y)
		}
	}
	bad := ""
	if d.graph.Nodes[r.edge.To].Missing {
		bad = " bad"
	}
	fmt.Fprintf(d.out, `<g data-from="%d" data-to="%d"><title>%s</title><path class="edge%s" d="%s"/>`, r.edge.From, r.edge.To,
		svgText(strings.Join(someLines("imports", r.edge.Symbols), "\n")), bad, path.String())
	d.writeTip(r, bad)
	d.out.WriteString("</g>\n")
}

func (d *drawing) writeTip(r route, bad string) {
	const size = 5
	if r.turned {
		x, y := d.endElement(r.points[0], true)
		fmt.Fprintf(d.out, `<path class="tip%s" d="M%.1f %.1fl-%d %dh%dz"/>`, bad, x, y, size, 2*size, 2*size)
		return
	}
	x, y := d.endElement(r.points[len(r.points)-1], false)
	fmt.Fprintf(d.out, `<path class="tip%s" d="M%.1f %.1fl-%d -%dh%dz"/>`, bad, x, y, size, 2*size, 2*size)
}

// writeLabel writes the symbol where the edge has room for it.
func (d *drawing) writeLabel(r route) {
	if d.graph.Nodes[r.edge.To].Missing {
		return // the node has the name
	}
	x, y := d.endElement(r.points[1], false)
	fmt.Fprintf(d.out, `<text class="label" text-anchor="middle" x="%.1f" y="%.1f">%s</text>`+"\n", x, y+labelHeight/2+4, svgText(edgeLabel(r.edge)))
}

// svgText escapes a text. Characters that XML does not have become U+FFFD.
func svgText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return 0xFFFD
		}
		return r
	}, s)
	return html.EscapeString(s)
}
