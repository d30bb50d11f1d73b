package bitcode_test

import (
	"fmt"
	"hash/fnv"
	"slices"

	"offlink/ir"
)

// whole returns the partition that is the module.
func whole(m *ir.Module) *ir.Partition {
	s := &ir.Partition{Module: m}
	for i := range m.Values {
		if m.Values[i].Declaration {
			s.Declarations = append(s.Declarations, ir.ValueID(i))
		} else {
			s.Definitions = append(s.Definitions, ir.ValueID(i))
		}
	}
	return s
}

// chooser chooses by the names of values, so that it makes the same partition of a
// module whatever codec read it.
type chooser struct {
	module    *ir.Module
	seed      int
	names     []string
	cut       map[ir.ValueID]bool
	seen      map[ir.ValueID]bool
	partition *ir.Partition
}

// choose returns a partition with some of the definitions of the module and those
// that they need, of which some are changed in every way that an edit can.
func choose(m *ir.Module, seed int) *ir.Partition {
	c := &chooser{module: m, seed: seed, cut: map[ir.ValueID]bool{}, seen: map[ir.ValueID]bool{}, partition: &ir.Partition{Module: m}}
	unnamed := map[ir.Kind]int{}
	for i := range m.Values {
		v := &m.Values[i]
		name := v.Name
		if name == "" {
			name = fmt.Sprintf("\x00%d %d", v.Kind, unnamed[v.Kind])
			unnamed[v.Kind]++
		}
		c.names = append(c.names, name)
	}
	c.chooseValues()
	for _, id := range c.partition.Definitions {
		c.edit(id)
	}
	c.partition.Named = append(c.partition.Named, ir.NamedEdit{Name: "added", New: []ir.NewNode{{Operands: []ir.Operand{
		{Kind: ir.OperandString, String: "te\"xt\x01"},
		{Kind: ir.OperandInt, Int: -7, Bits: 32},
		{},
		{Kind: ir.OperandTuple, Elements: []ir.Operand{{Kind: ir.OperandInt, Int: 1, Bits: 8}}},
	}}}})
	if n := len(c.partition.Definitions); n > 0 {
		tuple := &c.partition.Named[0].New[0]
		tuple.Operands = append(tuple.Operands, ir.Operand{Kind: ir.OperandValue, Value: c.first()})
	}
	return c.partition
}

// chance is true for one in n names.
func (c *chooser) chance(id ir.ValueID, what string, n uint32) bool {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s %s", c.seed, what, c.names[id])
	return h.Sum32()/7%n == 0
}

func (c *chooser) chooseValues() {
	m := c.module
	for i := range m.Values {
		id, v := ir.ValueID(i), &m.Values[i]
		if v.Kind == ir.Function && !v.Declaration && !v.IsLocal() && v.Name != "interpret" && c.chance(id, "cut", 4) {
			c.cut[id] = true
		}
	}
	for i := range m.Values {
		if v := &m.Values[i]; v.Kind == ir.Alias || v.Kind == ir.IFunc {
			for _, ref := range m.Refs(v) { // an aliasee stays defined
				delete(c.cut, ir.ValueID(ref.Index()))
			}
		}
	}
	for i := range m.Values {
		id, v := ir.ValueID(i), &m.Values[i]
		if v.Kind == ir.Function && !v.Declaration && c.chance(id, "root", 3) {
			c.visit(id)
		}
	}
	for _, list := range []string{"llvm.used", "llvm.compiler.used"} {
		if id, ok := m.Lookup(list); ok {
			c.keepElements(id)
		}
	}
	slices.Sort(c.partition.Definitions)
	slices.Sort(c.partition.Declarations)
}

func (c *chooser) visit(id ir.ValueID) {
	if c.seen[id] {
		return
	}
	c.seen[id] = true
	v := &c.module.Values[id]
	if v.Declaration || c.cut[id] {
		c.partition.Declarations = append(c.partition.Declarations, id)
		return
	}
	c.partition.Definitions = append(c.partition.Definitions, id)
	for _, ref := range c.module.Refs(v) {
		if k := ref.Kind(); k == ir.RefCallee || k == ir.RefAddress {
			c.visit(ir.ValueID(ref.Index()))
		}
	}
}

// keepElements adds a list of values, with those of them that are there.
func (c *chooser) keepElements(id ir.ValueID) {
	list, err := c.module.Initializer(id)
	if err != nil {
		panic(err)
	}
	keep := []int{}
	for i, e := range list.Elements {
		if e.Kind == ir.ConstantValue && c.seen[e.Value] {
			keep = append(keep, i)
		}
	}
	if len(keep) > 0 {
		c.partition.Definitions = append(c.partition.Definitions, id)
		c.partition.Edit(id).KeepElements = keep
	}
}

func (c *chooser) edit(id ir.ValueID) {
	v := &c.module.Values[id]
	if v.Kind != ir.Function {
		if v.Kind == ir.Variable && v.Linkage != ir.Appending && !hasTypedPointers(c.module) && c.chance(id, "wrap", 3) {
			c.partition.Edit(id).Wrap = true
		}
		return
	}
	if c.chance(id, "linkage", 3) && v.Linkage != ir.AvailableExternally {
		e := c.partition.Edit(id)
		e.SetLinkage, e.Linkage, e.DropComdat = true, ir.Internal, true
	}
	if c.chance(id, "attributes", 3) {
		e := c.partition.Edit(id)
		e.Add = append(e.Add, ir.Attribute{Key: "added"}, ir.Attribute{Key: "also", Value: "a \"value\""})
		e.Remove = append(e.Remove, "min-legal-vector-width", "stack-protector-buffer-size")
		e.Attach = append(e.Attach, ir.NewAttachment{Kind: "attached", Node: ir.NewNode{Operands: []ir.Operand{{Kind: ir.OperandInt, Int: 3, Bits: 32}}}})
	}
}

func hasTypedPointers(m *ir.Module) bool {
	return slices.ContainsFunc(m.Types, func(t ir.Type) bool { return t.Kind == ir.TypePointer && len(t.Elements) > 0 })
}

// first returns the definition whose name comes first.
func (c *chooser) first() ir.ValueID {
	return slices.MinFunc(c.partition.Definitions, func(a, b ir.ValueID) int {
		return slices.Compare([]byte(c.names[a]), []byte(c.names[b]))
	})
}
