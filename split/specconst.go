package split

import (
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
)

// SpecConstantMode selects how the calls that read SYCL specialization
// constants are lowered.
type SpecConstantMode uint8

const (
	// SpecConstantsKept leaves the calls.
	SpecConstantsKept SpecConstantMode = iota
	// SpecConstantsNative makes them specialization constants of SPIR-V, by
	// calls that the translator understands.
	SpecConstantsNative
	// SpecConstantsEmulated reads them from the buffer that the runtime hands
	// to the kernel.
	SpecConstantsEmulated
	// SpecConstantsDefault replaces them by their default values.
	SpecConstantsDefault
)

// The functions that read a constant, by the beginning of their names. Three
// arguments are the constant's name, its default value and the runtime's
// buffer; a composite is returned through an argument before these. The
// intrinsic allocates memory whose size is the constant; its two further
// arguments are a value of the type of the elements, and the alignment.
const (
	scalarPrefix     = "_Z37__sycl_getScalar2020SpecConstantValue"
	compositePrefix  = "_Z40__sycl_getComposite2020SpecConstantValue"
	allocationPrefix = "llvm.sycl.alloca."
)

// SpecConstant is a specialization constant as an image has it.
type SpecConstant struct {
	Name string
	// Parts describe its scalars, in order; natively each has an ID that
	// counts through the image.
	Parts []SpecConstantPart
	// Default holds the bytes of the default value.
	Default []byte
}

// SpecConstantPart is one descriptor: a piece of Size bytes at Offset in the
// constant.
type SpecConstantPart struct{ ID, Offset, Size uint32 }

// PaddingID is the ID of a piece that is padding after the constant.
const PaddingID = ^uint32(0)

// specConstants are the reads of specialization constants of a module.
type specConstants struct {
	layout layout
	reads  map[ir.ValueID][]specRead // by the function that reads
	int32  ir.TypeID
	int8   ir.TypeID
}

// specRead is a call that reads a constant.
type specRead struct {
	call   int // ir.Call.Number
	order  int // of the function that is called, in the module
	rank   int // among the calls of that function; see rankReads
	name   string
	typ    ir.TypeID // of the constant; i8 for i1
	value  *flatDefault
	buffer int // index of the argument that is the runtime's buffer
	// allocation is set for a call that allocates memory of that size, nil
	// for one that returns the value.
	allocation *specAllocation
}

// findSpecConstants finds the calls that read specialization constants, and
// removes the references that only these calls make from those of their
// functions: the constants' names must not become part of an image.
func (g *Graph) findSpecConstants() error {
	if g.options.SpecConstants == SpecConstantsKept && !g.options.DefaultImages {
		return nil
	}
	readers := make(map[ir.ValueID]bool)
	for i := range g.Module.Values {
		if v := &g.Module.Values[i]; v.Kind == ir.Function && isSpecConstantReader(v.Name) {
			readers[ir.ValueID(i)] = true
		}
	}
	if len(readers) == 0 {
		return nil
	}
	g.modified = g.modified || g.options.SpecConstants != SpecConstantsKept
	g.specConstants = &specConstants{
		layout: newLayout(g.Module),
		reads:  make(map[ir.ValueID][]specRead),
		int32:  internType(g.Module, ir.Type{Kind: ir.TypeInteger, Bits: 32}),
		int8:   internType(g.Module, ir.Type{Kind: ir.TypeInteger, Bits: 8}),
	}
	for i := range g.Module.Values {
		if err := g.findReads(ir.ValueID(i), readers); err != nil {
			return err
		}
	}
	g.rankReads()
	return nil
}

func isSpecConstantReader(name string) bool {
	return strings.HasPrefix(name, scalarPrefix) || strings.HasPrefix(name, compositePrefix) || strings.HasPrefix(name, allocationPrefix)
}

// internType returns the integer type that is like want, adding it if the module has none. Only
// kind and width are compared, which is all that an integer type has.
func internType(m *ir.Module, want ir.Type) ir.TypeID {
	for i := range m.Types {
		if t := &m.Types[i]; t.Kind == want.Kind && t.Bits == want.Bits {
			return ir.TypeID(i)
		}
	}
	m.Types = append(m.Types, want)
	return ir.TypeID(len(m.Types) - 1)
}

// findReads records the reads of one function.
func (g *Graph) findReads(id ir.ValueID, readers map[ir.ValueID]bool) error {
	reads := false
	for _, ref := range g.Module.Refs(&g.Module.Values[id]) {
		switch to := ir.ValueID(ref.Index()); {
		case ref.Kind() == ir.RefAddress && readers[to]:
			return fmt.Errorf("@%s takes the address of @%s: specialization constants are read by calls", g.Module.Values[id].Name, g.Module.Values[to].Name)
		case ref.Kind() == ir.RefCallee && readers[to]:
			reads = true
		}
	}
	if !reads {
		return nil
	}
	found, err := ir.FindCalls(g.Module, id, readers)
	if err != nil {
		return err
	}
	var calls []int
	for i := range found {
		read, err := g.readConstant(&found[i])
		if err != nil {
			return fmt.Errorf("@%s: the call of @%s: %w", g.Module.Values[id].Name, g.Module.Values[found[i].Callee].Name, err)
		}
		g.specConstants.reads[id] = append(g.specConstants.reads[id], read)
		calls = append(calls, found[i].Number)
	}
	left, err := ir.RefsWithoutCalls(g.Module, id, calls)
	g.overrides[id] = left
	for _, ref := range left {
		// An invoke ends a block, so that no other instruction can take its place.
		if to := ir.ValueID(ref.Index()); ref.Kind() == ir.RefCallee && readers[to] {
			return fmt.Errorf("@%s invokes @%s: specialization constants are read by calls; compile device code without exceptions", g.Module.Values[id].Name, g.Module.Values[to].Name)
		}
	}
	return err
}

// readConstant decodes a call. It fails if the call does not have the form that front ends give it,
// as nothing else could be lowered.
func (g *Graph) readConstant(call *ir.Call) (specRead, error) {
	c := g.specConstants
	read := specRead{call: call.Number, order: int(call.Callee), typ: call.Result}
	first, err := c.callConvention(&read, call)
	if err != nil {
		return read, err
	}
	read.buffer = first + 2
	if g.options.SpecConstants == SpecConstantsEmulated && call.Arguments[read.buffer].FromSlot {
		return read, fmt.Errorf("the runtime's buffer is a variable of the module")
	}
	if read.name, err = c.constantName(call.Arguments[first].Constant); err != nil {
		return read, err
	}
	from, value, err := c.defaultValue(call.Arguments[first+1].Constant)
	if err != nil {
		return read, err
	}
	if read.allocation != nil {
		read.typ = from
		if err := g.checkAllocation(from); err != nil {
			return read, err
		}
	}
	if t := g.Module.Types[read.typ]; t.Kind == ir.TypeInteger && t.Bits == 1 {
		read.typ = c.int8
	}
	if read.value, err = c.flattenDefault(from, read.typ, &value); err != nil {
		return read, err
	}
	if g.options.SpecConstants == SpecConstantsNative {
		err = c.checkNative(read.typ)
	}
	return read, err
}

// callConvention decodes how a call reads its constant: the index of the first of its three
// arguments, where the value goes, and its type.
func (c *specConstants) callConvention(read *specRead, call *ir.Call) (first int, err error) {
	name, want := c.layout.module.Values[call.Callee].Name, 3
	switch {
	case strings.HasPrefix(name, allocationPrefix):
		if want = 5; len(call.Arguments) == want {
			read.allocation = newSpecAllocation(call)
		}
	case strings.HasPrefix(name, compositePrefix) && len(call.Arguments) > 0 && call.Arguments[0].SRet:
		first, want, read.typ = 1, 4, call.Arguments[0].Pointee
	}
	if len(call.Arguments) != want {
		return 0, fmt.Errorf("it has %d arguments, want the name, the default value and the buffer", len(call.Arguments))
	}
	return first, nil
}

// constantName returns the name of a constant, by which the host addresses it. Front ends pass it
// as a string.
func (c *specConstants) constantName(arg ir.Constant) (string, error) {
	if arg.Kind == ir.ConstantValue && c.isInitialized(arg.Value) {
		text, err := c.layout.module.Initializer(arg.Value)
		if err != nil {
			return "", err
		}
		if text.Kind == ir.ConstantBytes {
			name, _, _ := strings.Cut(string(text.Bytes), "\x00")
			return name, nil
		}
	}
	return "", fmt.Errorf("the constant's name is not a string constant that the function names directly or keeps in one variable of its stack")
}

// defaultValue returns the first member of the sycl::specialization_id that the
// argument points to, and its type.
func (c *specConstants) defaultValue(arg ir.Constant) (ir.TypeID, ir.Constant, error) {
	if arg.Kind != ir.ConstantValue || !c.isInitialized(arg.Value) {
		return 0, ir.Constant{}, fmt.Errorf("the constant's default value is not a variable with a value that the function names directly or keeps in one variable of its stack")
	}
	typ := c.layout.module.Values[arg.Value].Type
	value, err := c.layout.module.Initializer(arg.Value)
	if err != nil {
		return typ, ir.Constant{}, err
	}
	if t := &c.layout.module.Types[typ]; t.Kind == ir.TypeStruct && len(t.Elements) > 0 {
		return t.Elements[0], member(&value, 0), nil
	}
	return typ, value, nil
}

// isInitialized reports whether the value is a variable whose initial value the module has.
func (c *specConstants) isInitialized(id ir.ValueID) bool {
	v := &c.layout.module.Values[id]
	return v.Kind == ir.Variable && !v.Declaration
}

// member returns member i of an aggregate, or a zero Constant if the initialiser has none.
func member(c *ir.Constant, i int) ir.Constant {
	switch {
	case c.Kind == ir.ConstantAggregate && i < len(c.Elements):
		return c.Elements[i]
	case c.Kind == ir.ConstantBytes && i < len(c.Bytes):
		return ir.Constant{Kind: ir.ConstantInt, Int: uint64(c.Bytes[i]), Bits: 8}
	case c.Kind == ir.ConstantZero || c.Kind == ir.ConstantUndef:
		return ir.Constant{Kind: c.Kind}
	}
	return ir.Constant{}
}

// lowerSpecConstants puts the constants into the partition and replaces the calls that read them.
// Constants are numbered in the order in which the functions that are called come in the module,
// and then in that of the uses in the reference's memory (see inOrderOfUses).
func (x *Extractor) lowerSpecConstants(s *Partition, mode SpecConstantMode) error {
	if mode == SpecConstantsKept {
		return nil
	}
	numbers := specNumbering{mode: mode, byName: make(map[string]int)}
	if x.graph.specConstants != nil {
		if err := numbers.lowerReads(x, s); err != nil {
			return err
		}
	}
	s.SpecConstants = numbers.constants
	s.Named = append(s.Named, numbers.idMetadata(s.Module)...)
	return nil
}

// HasSpecConstants reports whether the code of a group reads specialization
// constants that are lowered.
func (x *Extractor) HasSpecConstants(group *Group) bool {
	if x.graph.specConstants == nil {
		return false
	}
	var s Partition
	x.beginPartition(group)
	x.addReachable(&s, slices.Concat(x.groupRoots(group)...))
	return slices.ContainsFunc(s.Definitions, func(id ir.ValueID) bool { return x.graph.specConstants.reads[id] != nil })
}
