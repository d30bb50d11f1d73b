package fromir

import (
	"slices"
	"strconv"
	"strings"

	"offlink/ir"
)

// view is the part of a module that one image has: a partition, or all of it.
type view struct {
	module   *ir.Module
	values   []ir.PartitionValue
	edits    map[ir.ValueID]*ir.Edit
	declared map[ir.ValueID]bool   // declared here though the module defines them
	variants map[ir.ValueID]string // results of declaredKey
	// named are the kernels that a function or variable of the image refers to.
	named map[ir.ValueID]bool
}

// newView returns the view of a partition, or of the whole module if p is nil. kernels are
// those to which something in the module refers. The view takes the memory of values.
func newView(m *ir.Module, p *ir.Partition, kernels map[ir.ValueID]bool, values []ir.PartitionValue) *view {
	v := &view{module: m, values: values[:0]}
	if p == nil {
		p = &ir.Partition{Module: m}
		for i := range m.Values {
			list := &p.Definitions
			if m.Values[i].Declaration {
				list = &p.Declarations
			}
			*list = append(*list, ir.ValueID(i))
		}
	}
	v.edits = p.Edits
	for value := range p.Values() {
		v.values = append(v.values, value)
		if value.BecomesDeclaration() {
			if v.declared == nil {
				v.declared, v.variants = make(map[ir.ValueID]bool), make(map[ir.ValueID]string)
			}
			v.declared[value.ID] = true
		}
	}
	if len(kernels) > 0 {
		v.named = make(map[ir.ValueID]bool)
		for i := range v.values {
			if value := &v.values[i]; value.Definition {
				addNamedKernels(v.named, m, value.Value, func(n ir.ValueID) bool { return kernels[n] })
			}
		}
	}
	return v
}

// namedKernels returns the kernels to which a function or variable of the module refers.
// OpenCL C lets kernels call kernels; few do.
func namedKernels(m *ir.Module) map[ir.ValueID]bool {
	named := make(map[ir.ValueID]bool)
	for i := range m.Values {
		addNamedKernels(named, m, &m.Values[i], func(n ir.ValueID) bool {
			v := &m.Values[n]
			return v.Kind == ir.Function && m.CallingConv(v) == "spir_kernel"
		})
	}
	return named
}

// addNamedKernels adds the kernels that a value refers to. Lists for compilers name
// kernels without using them.
func addNamedKernels(named map[ir.ValueID]bool, m *ir.Module, v *ir.GlobalValue, isKernel func(ir.ValueID) bool) {
	if v.Kind == ir.Variable && ignoredVariable(v.Name) {
		return
	}
	for _, r := range m.Refs(v) {
		if r.Kind() != ir.RefCallee {
			continue
		}
		if n := ir.ValueID(r.Index()); isKernel(n) {
			named[n] = true
		}
	}
}

// isDeclared reports whether a value has no definition in the image.
func (v *view) isDeclared(n ir.ValueID) bool {
	return v.module.Values[n].Declaration || v.declared[n]
}

// findValue returns a value of the image, nil for one that it does not have.
func (v *view) findValue(n ir.ValueID) *ir.PartitionValue {
	if i, ok := v.indexOf(n); ok {
		return &v.values[i]
	}
	return nil
}

// indexOf returns the index of a value of the image.
func (v *view) indexOf(n ir.ValueID) (int, bool) {
	low, high := 0, len(v.values)
	for low < high {
		if middle := (low + high) / 2; v.values[middle].ID < n {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < len(v.values) && v.values[low].ID == n
}

// variantKey names everything about the image on which the unit of a value depends: the
// functions that the value reaches and that the image only declares though the module
// defines them, and whether the image refers to it, if it is a kernel. It is empty for the
// usual unit.
func (v *view) variantKey(n ir.ValueID) string {
	if v.named[n] {
		return "named " + v.declaredKey(n)
	}
	return v.declaredKey(n)
}

// declaredKey is variantKey without the form of kernels.
func (v *view) declaredKey(n ir.ValueID) string {
	if len(v.declared) == 0 {
		return ""
	}
	if known, ok := v.variants[n]; ok {
		return known
	}
	var reached []int
	seen := map[ir.ValueID]bool{n: true}
	for work := []ir.ValueID{n}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if v.declared[at] {
			reached = append(reached, int(at))
			continue
		}
		for _, r := range v.module.Refs(&v.module.Values[at]) {
			if r.Kind() != ir.RefCallee && r.Kind() != ir.RefAddress {
				continue
			}
			if next := ir.ValueID(r.Index()); !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	slices.Sort(reached)
	var key strings.Builder
	for _, r := range reached {
		key.WriteString(strconv.Itoa(r) + " ")
	}
	v.variants[n] = key.String()
	return key.String()
}

// callGroups numbers the circles of functions that call each other, the strongly connected
// components of the call graph, from 1 on. Functions in none of them have 0.
func callGroups(m *ir.Module) []uint32 {
	g := &groupFinder{module: m, groups: make([]uint32, len(m.Values)), order: make([]uint32, len(m.Values)), low: make([]uint32, len(m.Values))}
	for i := range m.Values {
		if m.Values[i].Kind == ir.Function && g.order[i] == 0 {
			g.searchFrom(ir.ValueID(i))
		}
	}
	return g.groups
}

// groupFinder is Tarjan's search for strongly connected components.
type groupFinder struct {
	module             *ir.Module
	groups, order, low []uint32
	count, number      uint32
	open               []ir.ValueID
	isOpen             map[ir.ValueID]bool
}

// searchFrom walks the functions that a function reaches. It does not recurse: the call
// graph of a hostile module may be as deep as it has functions.
func (g *groupFinder) searchFrom(root ir.ValueID) {
	if g.isOpen == nil {
		g.isOpen = make(map[ir.ValueID]bool)
	}
	stack := []preparedFunction{{root, 0}}
	g.enterFunction(root)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		refs := g.module.Refs(&g.module.Values[top.value])
		if top.next == len(refs) {
			done := top.value
			stack = stack[:len(stack)-1]
			g.leaveComponent(done)
			if len(stack) > 0 {
				below := stack[len(stack)-1].value
				g.low[below] = min(g.low[below], g.low[done])
			}
			continue
		}
		r := refs[top.next]
		top.next++
		if r.Kind() != ir.RefCallee && r.Kind() != ir.RefAddress {
			continue
		}
		switch n := ir.ValueID(r.Index()); {
		case g.module.Values[n].Kind != ir.Function:
		case g.order[n] == 0:
			g.enterFunction(n)
			stack = append(stack, preparedFunction{n, 0})
		case g.isOpen[n]:
			g.low[top.value] = min(g.low[top.value], g.order[n])
		}
	}
}

func (g *groupFinder) enterFunction(n ir.ValueID) {
	g.count++
	g.order[n], g.low[n] = g.count, g.count
	g.open, g.isOpen[n] = append(g.open, n), true
}

// leaveComponent closes the component that a function is the root of, if it is one. A
// component of one function gets no number, even if the function calls itself.
func (g *groupFinder) leaveComponent(n ir.ValueID) {
	if g.low[n] != g.order[n] {
		return
	}
	at := len(g.open) - 1
	for g.open[at] != n {
		at--
	}
	members := g.open[at:]
	if len(members) > 1 {
		g.number++
	}
	for _, m := range members {
		delete(g.isOpen, m)
		if len(members) > 1 {
			g.groups[m] = g.number
		}
	}
	g.open = g.open[:at]
}
