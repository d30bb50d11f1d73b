// Package cycles finds the cycles of directed graphs, such as the loops of a function.
package cycles

// Components returns the strongly connected parts of a graph: sets of nodes each of which reaches
// all others, single nodes included. Edges are followed to nodes for which inside holds. A part
// comes after those to which its edges lead. (Tarjan 1972; without recursion, as the depth is
// the input's.)
func Components(nodes []int, successors func(node int) []int, inside func(to int) bool) [][]int {
	s := search{successors: successors, inside: inside, number: map[int]int{}, low: map[int]int{}, place: map[int]int{}}
	for _, n := range nodes {
		if s.number[n] == 0 {
			s.visit(n)
		}
	}
	return s.parts
}

// search is a walk, depth first.
type search struct {
	successors func(int) []int
	inside     func(int) bool

	number map[int]int // by node, from 1 on in the order of the walk; done if it is in a part
	low    map[int]int // the least number that a node and those after it on the path reach
	open   []int       // the nodes of parts that are not complete
	place  map[int]int // in open
	path   []step
	parts  [][]int
}

// step is a node on the path, and how many of its edges were followed.
type step struct{ node, edges int }

const done = -1

func (s *search) visit(root int) {
	s.enter(root)
	for len(s.path) > 0 {
		top := &s.path[len(s.path)-1]
		if to := s.successors(top.node); top.edges < len(to) {
			top.edges++
			s.follow(top.node, to[top.edges-1])
		} else {
			s.retreat(top.node)
		}
	}
}

func (s *search) enter(n int) {
	s.number[n] = len(s.number) + 1
	s.low[n] = s.number[n]
	s.place[n] = len(s.open)
	s.open = append(s.open, n)
	s.path = append(s.path, step{node: n})
}

func (s *search) follow(from, to int) {
	switch {
	case !s.inside(to) || s.number[to] == done:
	case s.number[to] == 0:
		s.enter(to)
	default:
		s.low[from] = min(s.low[from], s.number[to])
	}
}

// retreat leaves the last node of the path. If it reaches none before itself, it is the first of
// its part, which has all open nodes from there on.
func (s *search) retreat(n int) {
	s.path = s.path[:len(s.path)-1]
	if len(s.path) > 0 {
		from := s.path[len(s.path)-1].node
		s.low[from] = min(s.low[from], s.low[n])
	}
	if s.low[n] != s.number[n] {
		return
	}
	part := append([]int(nil), s.open[s.place[n]:]...)
	s.open = s.open[:s.place[n]]
	for _, m := range part {
		s.number[m] = done
	}
	s.parts = append(s.parts, part)
}
