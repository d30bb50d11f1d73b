package ir

import (
	"cmp"
	"fmt"
	"slices"
)

// Reach holds the entries of its module that a partition needs besides its values. All lists
// ascend, except AllTypes.
type Reach struct {
	// Types are the identified structs, which text defines.
	Types []TypeID
	// AllTypes are those and the types that have no definition in text.
	AllTypes        []TypeID
	AttributeGroups []AttributeGroupID
	Comdats         []ComdatID
	Nodes           []NodeID
	// Listed are the indices of the compile units that stay in the list of
	// them (see [DebugUnits]).
	Listed []int
	// Units are compile units that list fewer variables in the partition than in the module, by
	// ascending Node.
	Units []Unit

	reacher *Reacher
}

// Unit is a compile unit (DICompileUnit) with the variables that it lists.
type Unit struct {
	Node NodeID
	// Globals are those that the unit's "globals:" has left: the expressions of
	// variables of the partition, and those that are only a constant.
	Globals []NodeID
}

// Keeps reports whether the value is in the partition.
func (r *Reach) Keeps(id ValueID) bool { return r.reacher.values[id] >= r.reacher.round }

// FunctionNamed returns the function of the partition that has the name of the
// module's own, which new instructions call. Another function that they call is
// not in the module or not in the partition, and has to be declared.
func (r *Reach) FunctionNamed(name string) (ValueID, bool) {
	id, ok := r.reacher.module.Lookup(name)
	return id, ok && r.Keeps(id)
}

// KeepType adds a type, and all that it is made of, that only the codec's own
// records name, such as the type of a constant.
func (r *Reach) KeepType(id TypeID) { r.reacher.markType(id) }

// KeepAttributes adds an attribute group with the types that it names, where only the
// codec's own records name the group: that of a parameter or a result, which the model
// keeps with no value.
func (r *Reach) KeepAttributes(id AttributeGroupID) { r.reacher.markGroup(id) }

// HasNode reports whether the node is in the partition. Operands that name nodes
// of compile units that are not (in "llvm.dbg.cu") are left out.
func (r *Reach) HasNode(id NodeID) bool { return r.reacher.nodes[id] == r.reacher.round }

// Unit returns the changed compile unit of that node, or nil.
func (r *Reach) Unit(id NodeID) *Unit {
	if r.reacher.module.Nodes.Number(id) != r.reacher.unitKind {
		return nil
	}
	if i, found := slices.BinarySearchFunc(r.Units, id, func(u Unit, id NodeID) int { return cmp.Compare(u.Node, id) }); found {
		return &r.Units[i]
	}
	return nil
}

// DebugUnits is the named metadata that lists the compile units.
const DebugUnits = "llvm.dbg.cu"

// Reacher finds the entries that partitions of one module reach. It keeps scratch memory as
// large as the module's tables, so that each partition costs as much as it reaches.
// Each goroutine needs its own.
type Reacher struct {
	module    *Module
	partition *Partition
	round     uint32

	unitKind int
	units    map[NodeID]*unitShape
	unitsOf  map[NodeID][]NodeID // the units that list a variable's expression
	always   []NodeID            // units that stay in every partition

	// The round in which an entry was last reached. For values, a round is
	// two numbers: the even one says declaration, the odd one definition.
	values, types, groups, comdats, nodes, attached []uint32

	work    []NodeID // nodes whose references are to be followed
	waiting []NodeID // compile units that stay and have not been looked at
	reach   Reach
}

// unitShape is a compile unit as a Reacher remembers it.
type unitShape struct {
	index   int       // in the list of units; -1 if it is not there
	round   uint32    // the round in which it was last looked at
	others  []Operand // the operands other than "globals:"
	globals []unitGlobal
}

type unitGlobal struct {
	node     NodeID
	constant bool
}

// NewReacher returns a Reacher for partitions of the module.
func NewReacher(m *Module) *Reacher {
	return &Reacher{
		unitKind: m.Nodes.KindNumber("DICompileUnit"),
		module:   m,
		values:   make([]uint32, len(m.Values)),
		types:    make([]uint32, len(m.Types)),
		groups:   make([]uint32, len(m.AttributeGroups)),
		comdats:  make([]uint32, len(m.Comdats)),
		nodes:    make([]uint32, m.Nodes.Len()),
		attached: make([]uint32, m.Nodes.Len()),
	}
}

// Reach returns the entries that the partition reaches, valid until the next call. It
// fails when a definition of the partition names a value that the partition lacks.
func (r *Reacher) Reach(s *Partition) (*Reach, error) {
	if err := r.findUnits(); err != nil {
		return nil, err
	}
	r.beginPartition(s)
	if err := r.markValues(); err != nil {
		return nil, err
	}
	if err := r.markNamed(); err != nil {
		return nil, err
	}
	if err := r.markUnits(); err != nil {
		return nil, err
	}
	slices.Sort(r.reach.Types)
	slices.Sort(r.reach.AttributeGroups)
	slices.Sort(r.reach.Comdats)
	slices.Sort(r.reach.Nodes)
	slices.Sort(r.reach.Listed)
	slices.SortFunc(r.reach.Units, func(a, b Unit) int { return cmp.Compare(a.Node, b.Node) })
	return &r.reach, nil
}

// beginPartition starts a round and reuses the lists of the last one. A round's number marks an
// entry as reached, so that nothing has to be cleared between partitions but the lists of
// work, which a partition that failed leaves.
func (r *Reacher) beginPartition(s *Partition) {
	r.partition = s
	r.round += 2
	r.work, r.waiting = r.work[:0], r.waiting[:0]
	old := &r.reach
	r.reach = Reach{
		Types:           old.Types[:0],
		AllTypes:        old.AllTypes[:0],
		AttributeGroups: old.AttributeGroups[:0],
		Comdats:         old.Comdats[:0],
		Nodes:           old.Nodes[:0],
		Listed:          old.Listed[:0],
		Units:           old.Units[:0],
		reacher:         r,
	}
	for v := range s.Values() {
		r.values[v.ID] = r.round
		if v.Definition {
			r.values[v.ID]++
		}
	}
}

// markValues marks the references of the values of the partition.
func (r *Reacher) markValues() error {
	var v PartitionValue // one for all, as it is on the heap
	for v = range r.partition.Values() {
		if err := r.markValue(&v); err != nil {
			return err
		}
	}
	return r.followNodes()
}

func (r *Reacher) markValue(v *PartitionValue) error {
	refs, err := r.valueRefs(v)
	if err != nil {
		return err
	}
	if err := r.markRefs(v.ID, refs); err != nil {
		return err
	}
	r.markAttachments(v)
	if comdat := v.Comdat(); comdat != NoComdat && r.comdats[comdat] != r.round {
		r.comdats[comdat] = r.round
		r.reach.Comdats = append(r.reach.Comdats, comdat)
	}
	return nil
}

// valueRefs returns the references of a value of the partition after its edits.
func (r *Reacher) valueRefs(v *PartitionValue) ([]Ref, error) {
	switch keep := v.Elements(); {
	case v.BecomesDeclaration():
		return r.module.Refs(v.Value)[:v.Value.SignatureRefs], nil
	case !v.Definition: // a declaration of the module may have prefix data
		return r.module.Refs(v.Value), nil
	case keep != nil:
		refs, err := r.module.Source.ElementRefs(v.ID, keep)
		return append(slices.Clone(r.module.Refs(v.Value)[:v.Value.SignatureRefs]), refs...), err
	case len(v.Edit.Calls) > 0:
		for i := range v.Edit.Calls {
			r.markExpression(&v.Edit.Calls[i].Value)
		}
		rewrite, err := v.Edit.BodyRewrite(r.module, v.ID)
		if err != nil {
			return nil, err
		}
		return r.module.Source.RefsWithout(v.ID, rewrite.Numbers())
	}
	return r.module.Refs(v.Value), nil
}

// markExpression marks the types of an expression that takes the place of a call.
func (r *Reacher) markExpression(e *Expression) {
	r.markType(e.Type)
	if e.Kind == ExpressionAlloca {
		r.markType(e.Element)
	}
	for i := range e.Operands {
		r.markExpression(&e.Operands[i])
	}
}

// markRefs marks the targets of the references of a value.
func (r *Reacher) markRefs(id ValueID, refs []Ref) error {
	for _, ref := range refs {
		switch index := ref.Index(); ref.Kind() {
		case RefCallee, RefAddress:
			if r.values[index] < r.round {
				return fmt.Errorf("the partition lacks '@%s', which '@%s' refers to", r.module.Values[index].Name, r.module.Values[id].Name)
			}
		case RefNode:
			r.markNode(NodeID(index))
		default:
			r.markOther(ref)
		}
	}
	return nil
}

// markOther marks the type or attribute group that a reference names.
func (r *Reacher) markOther(ref Ref) {
	switch ref.Kind() {
	case RefType, RefIndirectCall:
		r.markType(TypeID(ref.Index()))
	case RefAttributes:
		r.markGroup(AttributeGroupID(ref.Index()))
	}
}

func (r *Reacher) markGroup(id AttributeGroupID) {
	if r.groups[id] == r.round {
		return
	}
	r.groups[id] = r.round
	r.reach.AttributeGroups = append(r.reach.AttributeGroups, id)
	for _, t := range r.module.AttributeGroups[id].Types {
		r.markType(t)
	}
}

func (r *Reacher) markType(id TypeID) {
	if id == NoType || r.types[id] == r.round {
		return
	}
	r.types[id] = r.round
	r.reach.AllTypes = append(r.reach.AllTypes, id)
	t := &r.module.Types[id]
	if t.Identified {
		r.reach.Types = append(r.reach.Types, id)
	}
	if t.Alias {
		r.markType(t.Of)
	}
	for _, e := range t.Elements {
		r.markType(e)
	}
}

// markAttachments marks the metadata that the module and the edit attach to a
// value.
func (r *Reacher) markAttachments(v *PartitionValue) {
	for a := range v.Attached() {
		r.markOperand(&a.Operand)
		if v.Value.Kind == Variable && a.Kind == "dbg" && a.Operand.Kind == OperandNode {
			r.attached[a.Operand.Node] = r.round
			r.waiting = append(r.waiting, r.unitsOf[a.Operand.Node]...)
		}
	}
	for i := range v.Edit.Attach {
		r.markOperands(v.Edit.Attach[i].Node.Operands)
	}
}

func (r *Reacher) markOperands(operands []Operand) {
	for i := range operands {
		r.markOperand(&operands[i])
	}
}

func (r *Reacher) markOperand(o *Operand) {
	switch o.Kind {
	case OperandNode:
		r.markNode(o.Node)
	case OperandTuple:
		r.markOperands(o.Elements)
	}
}

func (r *Reacher) markNode(id NodeID) {
	if r.nodes[id] == r.round {
		return
	}
	r.nodes[id] = r.round
	r.reach.Nodes = append(r.reach.Nodes, id)
	r.work = append(r.work, id)
}

// followNodes marks the references of the nodes that were marked. The variables that a
// compile unit lists are left to markUnits.
func (r *Reacher) followNodes() error {
	for len(r.work) > 0 {
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		if r.module.Nodes.Number(id) == r.unitKind {
			shape, err := r.compileUnit(id)
			if err != nil {
				return err
			}
			r.waiting = append(r.waiting, id)
			r.markOperands(shape.others)
			continue
		}
		for _, ref := range r.module.Nodes.Refs(id) {
			if ref.Kind() == RefNode {
				r.markNode(NodeID(ref.Index()))
			} else {
				r.markOther(ref)
			}
		}
	}
	return nil
}

// markNamed marks the operands of the named metadata of the partition, but for the
// list of compile units.
func (r *Reacher) markNamed() error {
	for i := range r.module.NamedMetadata {
		n := &r.module.NamedMetadata[i]
		if n.Name == DebugUnits || slices.Contains(r.partition.Removed, n.Name) {
			continue
		}
		edit := r.partition.NamedEdit(n.Name)
		if edit == nil {
			r.markOperands(n.Operands)
			continue
		}
		for _, k := range edit.Keep {
			r.markOperand(&n.Operands[k])
		}
	}
	for i := range r.partition.Named {
		for j := range r.partition.Named[i].New {
			r.markOperands(r.partition.Named[i].New[j].Operands)
		}
	}
	return r.followNodes()
}

// findUnits decodes the compile units of the module, once.
func (r *Reacher) findUnits() error {
	if r.units != nil {
		return nil
	}
	r.units, r.unitsOf, r.always = make(map[NodeID]*unitShape), make(map[NodeID][]NodeID), nil
	err := r.decodeUnits()
	if err != nil {
		r.units = nil // the next partition fails in the same way
	}
	return err
}

func (r *Reacher) decodeUnits() error {
	listed := r.module.Named(DebugUnits)
	if listed == nil {
		return nil
	}
	for i, o := range listed.Operands {
		if o.Kind != OperandNode || r.module.Nodes.Number(o.Node) != r.unitKind || r.units[o.Node] != nil {
			continue
		}
		shape, err := r.compileUnit(o.Node)
		if err != nil {
			return err
		}
		shape.index = i
		r.indexUnit(o.Node, shape)
	}
	return nil
}

// indexUnit notes the reasons, other than references to it, for which a unit stays.
func (r *Reacher) indexUnit(id NodeID, shape *unitShape) {
	constant := false
	for _, g := range shape.globals {
		constant = constant || g.constant
		r.unitsOf[g.node] = append(r.unitsOf[g.node], id)
	}
	if constant {
		r.always = append(r.always, id)
	}
}

// markUnits decides which compile units stay: those that something kept
// refers to, and those that still list variables. Units can bring in further
// units, so it goes on until none comes in.
func (r *Reacher) markUnits() error {
	if !slices.Contains(r.partition.Removed, DebugUnits) {
		r.waiting = append(r.waiting, r.always...)
	}
	for len(r.waiting) > 0 {
		id := r.waiting[len(r.waiting)-1]
		r.waiting = r.waiting[:len(r.waiting)-1]
		if err := r.markUnit(id); err != nil {
			return err
		}
	}
	return nil
}

// markUnit marks a compile unit with the variables that are left of it.
func (r *Reacher) markUnit(id NodeID) error {
	shape, err := r.compileUnit(id)
	if err != nil || shape.round == r.round {
		return err
	}
	shape.round = r.round
	if shape.index >= 0 {
		r.reach.Listed = append(r.reach.Listed, shape.index)
	}
	var left []NodeID
	for _, g := range shape.globals {
		if g.constant || r.attached[g.node] == r.round {
			left = append(left, g.node)
		}
	}
	r.markNode(id)
	if len(left) == len(shape.globals) || shape.index < 0 { // a unit that is in no list stays as it is
		r.markUnitGlobals(id)
		return r.followNodes()
	}
	r.reach.Units = append(r.reach.Units, Unit{id, left})
	for _, g := range left {
		r.markNode(g)
	}
	return r.followNodes()
}

// markUnitGlobals marks the whole list of a unit's variables.
func (r *Reacher) markUnitGlobals(id NodeID) {
	for _, ref := range r.module.Nodes.Refs(id) {
		if ref.Kind() == RefNode {
			r.markNode(NodeID(ref.Index()))
		}
	}
}

// compileUnit returns the shape of a compile unit, decoding it when it is new.
func (r *Reacher) compileUnit(id NodeID) (*unitShape, error) {
	if shape := r.units[id]; shape != nil {
		return shape, nil
	}
	operands, err := r.module.Source.Operands(id)
	if err != nil {
		return nil, err
	}
	shape := &unitShape{index: -1}
	for _, o := range operands {
		if o.Field != "globals" {
			shape.others = append(shape.others, o)
			continue
		}
		if err := r.unitGlobals(shape, o); err != nil {
			return nil, err
		}
	}
	r.units[id] = shape
	return shape, nil
}

func (r *Reacher) unitGlobals(shape *unitShape, list Operand) error {
	elements, err := r.module.Resolve(list)
	if err != nil {
		return err
	}
	for _, e := range elements {
		if e.Kind != OperandNode {
			continue
		}
		constant, err := r.constantExpression(e)
		if err != nil {
			return err
		}
		shape.globals = append(shape.globals, unitGlobal{e.Node, constant})
	}
	return nil
}

// constantExpression reports whether the variable expression
// (DIGlobalVariableExpression) gives a constant, so that it needs no variable.
func (r *Reacher) constantExpression(global Operand) (bool, error) {
	fields, err := r.module.Resolve(global)
	if err != nil {
		return false, err
	}
	for _, f := range fields {
		if f.Field == "expr" {
			elements, err := r.module.Resolve(f)
			return isConstantExpression(elements), err
		}
	}
	return false, nil
}

// The operations of DWARF expressions that are looked at.
const (
	opConstU     = 0x10
	opConstS     = 0x11
	opStackValue = 0x9f
	opFragment   = 0x1000
)

// isConstantExpression reports whether the elements of a DIExpression are a
// constant: an operation that pushes one and DW_OP_stack_value, and perhaps
// the fragment that it is for (LLVM, DIExpression::isConstant).
func isConstantExpression(elements []Operand) bool {
	if n := len(elements); n != 3 && n != 6 {
		return false
	}
	push := isOperation(elements[0], "DW_OP_constu", opConstU) || isOperation(elements[0], "DW_OP_consts", opConstS)
	if !push || !isOperation(elements[2], "DW_OP_stack_value", opStackValue) {
		return false
	}
	return len(elements) == 3 || isOperation(elements[3], "DW_OP_LLVM_fragment", opFragment)
}

func isOperation(o Operand, name string, code int64) bool {
	return o.String == name || o.String == "" && o.Int == code
}
