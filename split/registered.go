package split

import (
	"slices"

	"offlink/ir"
)

// registeredList names kernels that the host looks up by a name that the user
// chose (sycl_ext_oneapi_kernel_compiler): its entry is a list of pairs {!"user's
// name", !"kernel"}, or itself such a pair. Other entries are ignored.
const registeredList = "sycl_registered_kernels"

// RegisteredKernel is a kernel and the name that the user gave it.
type RegisteredKernel struct{ Name, Kernel string }

// registeredKernels are the pairs of a module, by kernel.
type registeredKernels struct {
	byKernel map[ir.ValueID][]int
	pairs    []RegisteredKernel
	nodes    []ir.Operand // of each pair
	entries  int          // number of entries of the list
}

func newRegisteredKernels(m *ir.Module, list *ir.NamedMetadata) (*registeredKernels, error) {
	r := &registeredKernels{byKernel: make(map[ir.ValueID][]int), entries: len(list.Operands)}
	for _, o := range list.Operands {
		if err := r.addPairs(m, o, 0); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// addPairs takes in a pair, or the pairs of a list.
func (r *registeredKernels) addPairs(m *ir.Module, o ir.Operand, depth int) error {
	operands, err := m.Resolve(o)
	if err != nil {
		return err
	}
	if len(operands) == 2 && operands[0].Kind == ir.OperandString && operands[1].Kind == ir.OperandString {
		pair := RegisteredKernel{operands[0].String, operands[1].String}
		if id, ok := m.Lookup(pair.Kernel); ok {
			r.byKernel[id] = append(r.byKernel[id], len(r.pairs))
		}
		r.pairs, r.nodes = append(r.pairs, pair), append(r.nodes, o)
		return nil
	}
	if depth > 0 {
		return nil // neither a pair nor a list of pairs
	}
	for _, e := range operands {
		if err := r.addPairs(m, e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// indicesIn returns the indices of the pairs whose kernel the partition defines, in
// the order of the list.
func (r *registeredKernels) indicesIn(s *Partition) []int {
	var indices []int
	for _, id := range s.Definitions {
		indices = append(indices, r.byKernel[id]...)
	}
	slices.Sort(indices)
	return indices
}

// listEdit keeps the pairs of the partition's kernels, as operands of one node. The node is written
// even if it has no operands, but a list that had no entries stays empty.
func (r *registeredKernels) listEdit(s *Partition) ir.NamedEdit {
	e := ir.NamedEdit{Name: registeredList}
	if r.entries == 0 {
		return e
	}
	var node ir.NewNode
	for _, i := range r.indicesIn(s) {
		node.Operands = append(node.Operands, r.nodes[i])
	}
	e.New = []ir.NewNode{node}
	return e
}

// RegisteredKernels returns the pairs of the kernels that the image defines,
// in the order of the list.
func (s *Partition) RegisteredKernels() []RegisteredKernel {
	if s.Graph.registered == nil {
		return nil
	}
	var pairs []RegisteredKernel
	for _, i := range s.Graph.registered.indicesIn(s) {
		pairs = append(pairs, s.Graph.registered.pairs[i])
	}
	return pairs
}
