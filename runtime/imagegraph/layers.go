package imagegraph

import (
	"cmp"
	"slices"
)

// The layout is that of Sugiyama, Tagawa and Toda (1981): edges that close cycles are
// reversed, nodes are put into layers, long edges get a point in each layer that they
// cross, and the order within the layers is improved by the mean places of the
// neighbors (the barycenter heuristic). Nodes are only in even layers: the first point
// of an edge lies between two of them and has the room for its label.

// point is a node in a layer, or the place where an edge crosses a layer.
type point struct {
	node         int // -1 for an edge that crosses
	layer, order int
	up, down     []int // points of the layers above and below
	width        float64
	x            float64 // of the middle
}

// route is the points of an edge, from its node above to its node below.
type route struct {
	edge   Edge
	points []int
	turned bool // the edge runs upwards, as part of a cycle
}

// layered is the result of the layout.
type layered struct {
	points []point
	layers [][]int // points in order
	routes []route
}

// newLayered lays a graph out. widths are those of the nodes.
func newLayered(g *Graph, widths []float64) *layered {
	edges := g.edgesByEnds()
	turned := backEdges(len(g.Nodes), edges)
	l := &layered{}
	for i, layer := range nodeLayers(len(g.Nodes), edges, turned) {
		l.points = append(l.points, point{node: i, layer: 2 * layer, width: widths[i]})
	}
	for i, e := range edges {
		l.addRoute(e, turned[i], labelWidth(g, e))
	}
	l.fillLayers()
	l.orderLayers()
	l.placePoints()
	return l
}

// backEdges finds the edges that close a cycle in a depth-first walk, which is
// not recursive, as graphs may be deep.
func backEdges(nodes int, edges []Edge) []bool {
	out := make([][]int, nodes) // edges by their start
	for i, e := range edges {
		out[e.From] = append(out[e.From], i)
	}
	const unseen, open, closed = 0, 1, 2
	state := make([]int, nodes)
	back := make([]bool, len(edges))
	next := make([]int, nodes)
	for start := range nodes {
		if state[start] != unseen {
			continue
		}
		stack := []int{start}
		state[start] = open
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if next[n] == len(out[n]) {
				state[n] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			e := out[n][next[n]]
			next[n]++
			switch to := edges[e].To; state[to] {
			case open:
				back[e] = true
			case unseen:
				state[to] = open
				stack = append(stack, to)
			}
		}
	}
	return back
}

// nodeLayers gives each node the length of the longest path to it, in one pass in
// topological order: without the turned edges the graph has no cycles.
func nodeLayers(nodes int, edges []Edge, turned []bool) []int {
	below := make([][]int, nodes)
	waiting := make([]int, nodes) // edges from above that are not yet counted
	for i, e := range edges {
		from, to := e.From, e.To
		if turned[i] {
			from, to = to, from
		}
		below[from] = append(below[from], to)
		waiting[to]++
	}
	layers := make([]int, nodes)
	var ready []int
	for n := range nodes {
		if waiting[n] == 0 {
			ready = append(ready, n)
		}
	}
	for i := 0; i < len(ready); i++ { // grows
		for _, to := range below[ready[i]] {
			layers[to] = max(layers[to], layers[ready[i]]+1)
			if waiting[to]--; waiting[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return layers
}

// crossingWidth is the room that an edge has in a layer that it crosses.
const crossingWidth = 14

// labelWidth is the room of an edge's label. A symbol that is missing has its
// name in its node.
func labelWidth(g *Graph, e Edge) float64 {
	if g.Nodes[e.To].Missing {
		return crossingWidth
	}
	return max(crossingWidth, float64(len([]rune(edgeLabel(e))))*labelLetterWidth)
}

// addRoute adds the points of an edge, from the upper layer to the lower one.
func (l *layered) addRoute(e Edge, turned bool, label float64) {
	from, to := e.From, e.To
	if turned {
		from, to = to, from
	}
	r := route{edge: e, points: []int{from}, turned: turned}
	for layer := l.points[from].layer + 1; layer < l.points[to].layer; layer++ {
		width := float64(crossingWidth)
		if len(r.points) == 1 {
			width = label
		}
		l.points = append(l.points, point{node: -1, layer: layer, width: width})
		r.points = append(r.points, len(l.points)-1)
	}
	r.points = append(r.points, to)
	for i, upper := range r.points[:len(r.points)-1] {
		lower := r.points[i+1]
		l.points[upper].down = append(l.points[upper].down, lower)
		l.points[lower].up = append(l.points[lower].up, upper)
	}
	l.routes = append(l.routes, r)
}

func (l *layered) fillLayers() {
	for i, p := range l.points {
		for len(l.layers) <= p.layer {
			l.layers = append(l.layers, nil)
		}
		l.layers[p.layer] = append(l.layers[p.layer], i)
	}
	l.numberLayers()
}

func (l *layered) numberLayers() {
	for _, layer := range l.layers {
		for order, p := range layer {
			l.points[p].order = order
		}
	}
}

// sweeps is how often the order is improved, down and up in turn.
const sweeps = 12

func (l *layered) orderLayers() {
	for sweep := range sweeps {
		for i := range l.layers {
			if sweep%2 == 0 {
				l.orderLayer(i, func(p *point) []int { return p.up })
			} else {
				l.orderLayer(len(l.layers)-1-i, func(p *point) []int { return p.down })
			}
		}
	}
}

// orderLayer sorts a layer by the mean order of the neighbors. A point without neighbors
// is sorted by its present place.
func (l *layered) orderLayer(layer int, neighbors func(*point) []int) {
	mean := make(map[int]float64, len(l.layers[layer]))
	for _, p := range l.layers[layer] {
		list := neighbors(&l.points[p])
		mean[p] = float64(l.points[p].order)
		if len(list) > 0 {
			sum := 0
			for _, n := range list {
				sum += l.points[n].order
			}
			mean[p] = float64(sum) / float64(len(list))
		}
	}
	slices.SortStableFunc(l.layers[layer], func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	l.numberLayers()
}

// gap is the least room between two points of a layer.
const gap = 18

// placePoints pulls each point towards the middle of its neighbors, and then
// apart from the points next to it.
func (l *layered) placePoints() {
	for _, layer := range l.layers {
		x := 0.0
		for _, p := range layer {
			l.points[p].x = x + l.points[p].width/2
			x += l.points[p].width + gap
		}
	}
	for sweep := range sweeps {
		for i := range l.layers {
			if sweep%2 == 0 {
				l.pullLayer(i, func(p *point) []int { return p.up })
			} else {
				l.pullLayer(len(l.layers)-1-i, func(p *point) []int { return p.down })
			}
		}
	}
	l.moveToOrigin()
}

// pullLayer sets the wanted places, and takes the mean of the two ways to keep
// the points apart: from the left and from the right.
func (l *layered) pullLayer(layer int, neighbors func(*point) []int) {
	points := l.layers[layer]
	wanted := make([]float64, len(points))
	for i, p := range points {
		wanted[i] = l.points[p].x
		if list := neighbors(&l.points[p]); len(list) > 0 {
			sum := 0.0
			for _, n := range list {
				sum += l.points[n].x
			}
			wanted[i] = sum / float64(len(list))
		}
	}
	left, right := slices.Clone(wanted), slices.Clone(wanted)
	for i := 1; i < len(points); i++ {
		left[i] = max(left[i], left[i-1]+l.nodeDistance(points[i-1], points[i]))
	}
	for i := len(points) - 2; i >= 0; i-- {
		right[i] = min(right[i], right[i+1]-l.nodeDistance(points[i], points[i+1]))
	}
	for i, p := range points {
		l.points[p].x = (left[i] + right[i]) / 2
	}
}

// nodeDistance is the least distance between the middles of neighbors in a layer.
func (l *layered) nodeDistance(a, b int) float64 {
	return (l.points[a].width+l.points[b].width)/2 + gap
}

// moveToOrigin makes 0 the left edge.
func (l *layered) moveToOrigin() {
	least := 0.0
	for i, p := range l.points {
		if edge := p.x - p.width/2; i == 0 || edge < least {
			least = edge
		}
	}
	for i := range l.points {
		l.points[i].x -= least
	}
}

// layerWidth is the right edge of all points.
func (l *layered) layerWidth() float64 {
	most := 0.0
	for _, p := range l.points {
		most = max(most, p.x+p.width/2)
	}
	return most
}
