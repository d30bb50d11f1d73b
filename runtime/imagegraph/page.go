package imagegraph

import (
	"bytes"
	"fmt"
	"strings"
)

const pageStyle = `
:root{color-scheme:light dark;--back:#fff;--fore:#1c2430;--dim:#5b6675;--line:#d5dbe4;--bad:#b71c1c;--warn:#8a5a00}
@media(prefers-color-scheme:dark){:root{--back:#12161c;--fore:#e4e9f0;--dim:#a3afbf;--line:#303a48;--bad:#ff8a80;--warn:#ffcf70}}
body{margin:0;background:var(--back);color:var(--fore);font:15px/1.5 system-ui,sans-serif}
main{padding:1.2rem 1.6rem}h1{font-size:1.25rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}p{margin:.2rem 0;color:var(--dim)}
.graph{overflow:auto;max-height:75vh;border:1px solid var(--line);border-radius:6px}svg{display:block;min-width:max-content}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
td,li{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.85rem}th{font-weight:600}th,td:nth-child(2),td:nth-child(3){white-space:nowrap}.number{text-align:right;white-space:nowrap}
ul{padding-left:1.2rem}li{white-space:pre-wrap;overflow-wrap:anywhere}.error{color:var(--bad)}.warning{color:var(--warn)}
input{font:inherit;padding:.25rem .5rem;width:min(24rem,100%);border:1px solid var(--line);border-radius:5px;background:transparent;color:inherit}
.faded{opacity:.15}
`

// pageScript fades everything that is not connected to the node under the pointer, and
// hides rows that do not contain the text in the field.
const pageScript = `
const nodes=[...document.querySelectorAll('[data-node]')],edges=[...document.querySelectorAll('[data-from]')];
for(const n of nodes){const id=n.dataset.node;
n.addEventListener('mouseenter',()=>{const near=new Set([id]);
for(const e of edges){const mine=e.dataset.from===id||e.dataset.to===id;e.classList.toggle('faded',!mine);if(mine){near.add(e.dataset.from);near.add(e.dataset.to)}}
for(const o of nodes)o.classList.toggle('faded',!near.has(o.dataset.node))});
n.addEventListener('mouseleave',()=>{for(const o of [...nodes,...edges])o.classList.remove('faded')})}
const field=document.querySelector('input');
field.addEventListener('input',()=>{for(const row of document.querySelectorAll('tbody tr'))row.hidden=!row.textContent.toLowerCase().includes(field.value.toLowerCase())});
`

// Page returns the graph as a page that loads nothing: the drawing, the
// problems, and a table of the images. It works without its script too.
func (g *Graph) Page() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n<style>%s%s</style>\n</head>\n<body>\n<main>\n",
		svgText(g.Title), pageStyle, styles)
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p>%s</p>\n", svgText(g.Title), g.summaryText())
	b.WriteString("<div class=\"graph\">\n")
	g.writeSVG(&b, "")
	b.WriteString("</div>\n")
	g.writeProblems(&b)
	g.writeTable(&b)
	fmt.Fprintf(&b, "</main>\n<script>%s</script>\n</body>\n</html>\n", pageScript)
	return b.Bytes()
}

func (g *Graph) summaryText() string {
	images, kernels, missing := 0, 0, 0
	var size int64
	for _, n := range g.Nodes {
		if n.Missing {
			missing++
			continue
		}
		images += max(n.Images, 1)
		kernels += len(n.Kernels)
		size += n.Size
	}
	text := fmt.Sprintf("%s, %s, %s of code", countText(images, "image"), countText(kernels, "kernel"), sizeText(size))
	if missing > 0 {
		text += fmt.Sprintf(", %s not found", countText(missing, "symbol"))
	}
	return text + ". An arrow leads from the image that imports to the one that exports."
}

func (g *Graph) writeProblems(b *bytes.Buffer) {
	if len(g.Problems) == 0 {
		return
	}
	b.WriteString("<h2>Problems</h2>\n<ul>\n")
	for _, p := range g.Problems {
		fmt.Fprintf(b, "<li class=\"%s\">%s: %s</li>\n", svgText(p.Severity), svgText(p.Severity), svgText(p.Message))
	}
	b.WriteString("</ul>\n")
}

func (g *Graph) writeTable(b *bytes.Buffer) {
	b.WriteString("<h2>Images</h2>\n<p><input type=\"search\" placeholder=\"Filter by file, kernel or symbol\" aria-label=\"Filter\"></p>\n" +
		"<table>\n<thead><tr><th>File</th><th>Image</th><th>Code</th><th class=\"number\">Bytes</th><th>Kernels</th><th>Exports</th><th>Imports</th></tr></thead>\n<tbody>\n")
	imports := make([][]string, len(g.Nodes))
	for _, e := range g.edgesByEnds() {
		for _, s := range e.Symbols {
			if g.Nodes[e.To].Missing {
				s += " (not found)"
			}
			imports[e.From] = append(imports[e.From], s)
		}
	}
	for i, n := range g.Nodes {
		if n.Missing {
			continue
		}
		fmt.Fprintf(b, "<tr><td>%s</td><td>%s</td><td>%s</td><td class=\"number\">%d</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
			svgText(n.File), svgText(n.Name), svgText(n.Detail), n.Size, cellText(n.Kernels), cellText(n.Exports), cellText(imports[i]))
	}
	b.WriteString("</tbody>\n</table>\n")
}

// cellText lists names, a line each.
func cellText(names []string) string {
	const most = 50
	lines := make([]string, 0, min(len(names), most)+1)
	for _, name := range names[:min(len(names), most)] {
		lines = append(lines, svgText(name))
	}
	if len(names) > most {
		lines = append(lines, fmt.Sprintf("… (%d in all)", len(names)))
	}
	return strings.Join(lines, "<br>")
}
