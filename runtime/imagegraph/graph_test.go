package imagegraph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example has a cycle, an edge that crosses a layer, a symbol that is missing
// and names that need escapes.
func example() *Graph {
	return &Graph{
		Title: `Device images of "a&b".out`,
		Nodes: []Node{
			{File: `dir/a&b.out`, Name: "image 0", Detail: "spir64, spirv", Size: 680, Kernels: []string{"app<int>", "other"}},
			{File: "dir/libone.so", Name: "image 0", Detail: "spir64, spirv", Size: 26400, Exports: []string{"f", "g"}},
			{File: "dir/libtwo.so", Name: "image 0", Detail: "spir64, spirv", Size: 3 << 20, Exports: []string{"h"}},
			{File: "dir/libtwo.so", Name: "3000 images", Detail: "without imports and importers", Size: 5 << 30, Images: 3000},
			{Name: `operator"" _x(char const*)`, Missing: true},
		},
		Edges: []Edge{
			{0, 1, []string{"f"}},
			{0, 1, []string{"g"}},
			{1, 2, []string{"h"}},
			{0, 2, []string{"h"}},
			{2, 1, []string{"f"}},
			{2, 2, []string{"h"}},
			{2, 4, []string{`operator"" _x(char const*)`}},
		},
		Problems: []Problem{{"error", "x is <not> found"}},
	}
}

func TestGolden(t *testing.T) {
	for name, text := range map[string][]byte{"example.svg": example().SVG(), "example.dot": example().DOT(), "example.html": example().Page()} {
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, text) {
			t.Errorf("%s has changed; run go test -update and look at it", name)
		}
	}
}

// wellFormed reads an SVG as XML and counts its nodes.
func wellFormed(t *testing.T, svg []byte) (nodes int) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nodes
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "data-node" {
					nodes++
				}
			}
		}
	}
}

// TestLayout: boxes of a layer do not overlap, edges lead down except in
// cycles, and every node is drawn, in graphs of many shapes.
func TestLayout(t *testing.T) {
	for n := range 60 {
		g := new(Graph)
		for i := range n {
			g.Nodes = append(g.Nodes, Node{File: fmt.Sprint("f", i%5), Name: strings.Repeat("n", i%40), Missing: i%11 == 10})
		}
		for i := range n * (n % 7) / 3 {
			g.Edges = append(g.Edges, Edge{(i * 7) % n, (i*i + n) % n, []string{fmt.Sprint("s", i)}})
		}
		if drawn := wellFormed(t, g.SVG()); drawn != n {
			t.Errorf("%d nodes: %d are drawn", n, drawn)
		}
		checkLayers(t, g)
	}
}

func checkLayers(t *testing.T, g *Graph) {
	t.Helper()
	widths := make([]float64, len(g.Nodes))
	for i := range widths {
		widths[i] = g.Nodes[i].boxWidth()
	}
	l := newLayered(g, widths)
	for _, layer := range l.layers {
		for i := 1; i < len(layer); i++ {
			a, b := l.points[layer[i-1]], l.points[layer[i]]
			if a.x+a.width/2 > b.x-b.width/2 {
				t.Errorf("%d nodes: two points of layer %d overlap: %+v %+v", len(g.Nodes), a.layer, a, b)
			}
		}
	}
	for _, r := range l.routes {
		for i := 1; i < len(r.points); i++ {
			if l.points[r.points[i]].layer != l.points[r.points[i-1]].layer+1 {
				t.Errorf("%d nodes: edge %v leaves a layer out", len(g.Nodes), r.edge)
			}
		}
	}
}

// TestGraphviz has the source read by Graphviz, where it is installed.
func TestGraphviz(t *testing.T) {
	testtool.Need(t, "dot")
	c := exec.Command("dot", "-Tplain")
	c.Stdin = bytes.NewReader(example().DOT())
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "\nnode ") != len(example().Nodes) {
		t.Errorf("dot: %v\n%s", err, out)
	}
}

// probe points at a node and types into the field, and then says which parts
// the page fades and hides.
const probe = `<script>
document.querySelector('[data-node="2"]').dispatchEvent(new MouseEvent('mouseenter'));
const input=document.querySelector('input');input.value='APP<INT>';input.dispatchEvent(new Event('input'));
const faded=[...document.querySelectorAll('[data-node].faded')].map(n=>n.dataset.node).join();
const shown=[...document.querySelectorAll('tbody tr')].filter(r=>!r.hidden).length;
const loaded=performance.getEntriesByType('resource').length;
document.title='faded '+faded+'; rows '+shown+'; loaded '+loaded;
</script>`

// TestBrowser opens the page in Chromium: the script works, and nothing is
// loaded.
func TestBrowser(t *testing.T) {
	testtool.Need(t, "chromium-headless-shell")
	page := filepath.Join(t.TempDir(), "page.html")
	text := bytes.Replace(example().Page(), []byte("</body>"), []byte(probe+"</body>"), 1)
	if err := os.WriteFile(page, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--dump-dom", "file://"+page).Output()
	if want := "<title>faded 3; rows 1; loaded 0</title>"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("the page lacks %s: %v\n%.300s", want, err, out)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a<b>&\"'\x00\xff", "\n\\")
	f.Fuzz(func(t *testing.T, name, file string) {
		g := &Graph{Title: name, Nodes: []Node{{File: file, Name: name, Kernels: []string{name}}, {Name: name, Missing: true}}, Edges: []Edge{{0, 1, []string{name}}}}
		if wellFormed(t, g.SVG()) != 2 {
			t.Error("not two nodes")
		}
		g.DOT()
		g.Page()
	})
}
