package bitcode

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// additions is everything that a partition has beyond its module. Types, values and
// attribute groups that are added are numbered after the module's.
type additions struct {
	source    *source
	types     []typeRecord
	values    []addedValue
	groups    []groupRecord
	lists     [][]ir.AttributeGroupID
	listOf    map[string]uint32
	strings   []string
	stringOf  map[string]int
	metadata  []addedMetadata
	valueOf   map[uint32]int // value to metadata
	integers  map[addedInt]uint32
	kinds     []kind
	functions []addedFunction
}

// addedFunctionBase is where the numbers of added functions begin, far above those of added
// constants. They are not the numbers in the partition, which are given at the end.
const addedFunctionBase = 1 << 27

// addedValue is a constant that a partition adds.
type addedValue struct {
	typ      uint32
	code     uint32
	operands []operand
	number   uint32
}

// addedFunction is a function that a partition declares.
type addedFunction struct {
	name   string
	typ    uint32
	cc     uint64
	number uint32
}

type addedInt struct {
	typ   uint32
	value uint64
}

// addedMetadata is a value or tuple that a partition adds.
type addedMetadata struct {
	value    bool
	typ      uint32 // of a value
	id       uint32 // the value
	operands []metadataRef
}

// metadataRef names metadata of the module, or metadata that a partition adds.
type metadataRef struct {
	space metadataSpace
	index uint32
}

type metadataSpace uint8

const (
	spaceNull metadataSpace = iota
	spaceModule
	spaceFunction // of the function that is being written
	spaceString
	spaceAdded
)

// resetAdditions empties the additions for the next partition and keeps their
// memory: a split writes thousands of partitions with one writer.
func (a *additions) resetAdditions() {
	a.types, a.values, a.groups, a.lists = a.types[:0], a.values[:0], a.groups[:0], a.lists[:0]
	a.strings, a.metadata, a.kinds, a.functions = a.strings[:0], a.metadata[:0], a.kinds[:0], a.functions[:0]
	clear(a.listOf)
	clear(a.stringOf)
	clear(a.valueOf)
	clear(a.integers)
}

func newAdditions(s *source) *additions {
	return &additions{source: s, listOf: map[string]uint32{}, stringOf: map[string]int{}, valueOf: map[uint32]int{}, integers: map[addedInt]uint32{}}
}

// typeRecord returns a type of the module or of the additions.
func (a *additions) typeRecord(id uint32) *typeRecord {
	if n := uint32(len(a.source.types)); id >= n {
		return &a.types[id-n]
	}
	return &a.source.types[id]
}

// addType returns the type with that record, adding it if the module has none. The caller keeps the
// type for the partition.
func (a *additions) addType(code uint32, operands ...uint64) uint32 {
	if id, ok := a.source.findType(code, operands); ok {
		return id
	}
	for i, t := range a.types {
		if t.code == code && slices.Equal(t.operands, operands) {
			return uint32(len(a.source.types) + i)
		}
	}
	a.types = append(a.types, typeRecord{code: code, operands: operands})
	return uint32(len(a.source.types) + len(a.types) - 1)
}

// findType returns the unnamed type of the module with that record. The map is made on first use:
// most modules are written without any addition.
func (s *source) findType(code uint32, operands []uint64) (uint32, bool) {
	s.typesOnce.Do(func() {
		s.typeOf = make(map[string]uint32, len(s.types))
		for i := range s.types {
			if t := &s.types[i]; t.name == "" {
				s.typeOf[typeKey(t.code, t.operands)] = uint32(i)
			}
		}
	})
	id, ok := s.typeOf[typeKey(code, operands)]
	return id, ok
}

// typeKey spells a type record, so that types of all codes are in one map.
func typeKey(code uint32, operands []uint64) string {
	key := strconv.AppendUint(nil, uint64(code), 10)
	for _, v := range operands {
		key = strconv.AppendUint(append(key, ' '), v, 10)
	}
	return string(key)
}

// pointerType returns the type of pointers to a type in an address space.
func (a *additions) pointerType(to uint32, space uint32) uint32 {
	if !a.source.typedPointers {
		return a.addType(llvmschema.TypeOpaquePointer, uint64(space))
	}
	return a.addType(llvmschema.TypePointer, uint64(to), uint64(space))
}

// addValue adds a constant and returns its number, after the module's values.
func (a *additions) addValue(v addedValue) uint32 {
	a.values = append(a.values, v)
	return a.firstValue() + uint32(len(a.values)-1)
}

// firstValue returns the number of the first added value: those of the module come before.
func (a *additions) firstValue() uint32 {
	return uint32(a.source.values.count() + a.source.constants.count())
}

// integerConstant returns a constant of an integer type.
func (a *additions) integerConstant(typ uint32, value uint64) uint32 {
	key := addedInt{typ, value}
	id, ok := a.integers[key]
	if !ok {
		v := addedValue{typ: typ, code: llvmschema.ConstantNull}
		if bits := int(a.typeRecord(typ).operands[0]); value != 0 {
			v.code, v.operands = llvmschema.ConstantInteger, []operand{{opLiteral, encodeSigned(signExtend(value, bits))}}
		}
		id = a.addValue(v)
		a.integers[key] = id
	}
	return id
}

// metadataOf returns the metadata that wraps a value.
func (a *additions) metadataOf(typ, value uint32) metadataRef {
	i, ok := a.valueOf[value]
	if !ok {
		i = len(a.metadata)
		a.metadata = append(a.metadata, addedMetadata{value: true, typ: typ, id: value})
		a.valueOf[value] = i
	}
	return metadataRef{spaceAdded, uint32(i)}
}

// addFunction returns a function of that name. If it is new, it is declared with the type and the
// calling convention.
func (a *additions) addFunction(name string, typ uint32, cc uint64) uint32 {
	for i := range a.functions {
		if a.functions[i].name == name {
			return addedFunctionBase + uint32(i)
		}
	}
	a.functions = append(a.functions, addedFunction{name: name, typ: typ, cc: cc})
	return addedFunctionBase + uint32(len(a.functions)-1)
}

// modelType returns the number of a type of the model. Steps can have added types to the model that
// the bitcode lacks, but only integers, for specialization constants.
func (a *additions) modelType(id ir.TypeID) (uint32, error) {
	if int(id) < len(a.source.types) {
		return uint32(id), nil
	}
	if int(id) < len(a.source.module.Types) {
		if t := &a.source.module.Types[id]; t.Kind == ir.TypeInteger {
			return a.addType(llvmschema.TypeInteger, uint64(t.Bits)), nil
		}
	}
	return 0, fmt.Errorf("type %d was added to the module and is not an integer", id)
}

// addString adds a metadata string, once: LLVM's reader takes two equal
// strings, but its writer never makes them.
func (a *additions) addString(s string) metadataRef {
	i, ok := a.stringOf[s]
	if !ok {
		i = len(a.strings)
		a.strings = append(a.strings, s)
		a.stringOf[s] = i
	}
	return metadataRef{spaceString, uint32(i)}
}

// addTuple adds a tuple of operands.
func (a *additions) addTuple(operands []ir.Operand) metadataRef {
	refs := make([]metadataRef, 0, len(operands))
	for i := range operands {
		refs = append(refs, a.addOperand(&operands[i]))
	}
	return a.addNode(refs)
}

// addNode adds a tuple. Equal tuples are not merged, as the nodes of an edit are few.
func (a *additions) addNode(refs []metadataRef) metadataRef {
	a.metadata = append(a.metadata, addedMetadata{operands: refs})
	return metadataRef{spaceAdded, uint32(len(a.metadata) - 1)}
}

// addOperand adds the metadata for an operand of the model, and returns the
// reference that a record holds.
func (a *additions) addOperand(o *ir.Operand) metadataRef {
	switch o.Kind {
	case ir.OperandString:
		return a.addString(o.String)
	case ir.OperandNode:
		return a.source.nodeRef(o.Node)
	case ir.OperandInt:
		typ := a.addType(llvmschema.TypeInteger, uint64(o.Bits))
		return a.metadataOf(typ, a.integerConstant(typ, truncateBits(uint64(o.Int), o.Bits)))
	case ir.OperandValue:
		v := &a.source.module.Values[o.Value]
		return a.metadataOf(a.pointerType(uint32(v.Type), v.AddressSpace), uint32(o.Value))
	case ir.OperandTuple:
		return a.addTuple(o.Elements)
	}
	return metadataRef{}
}

// nodeRef returns how records name a node of the model: by its place in the module's metadata or in
// that of its function.
func (s *source) nodeRef(id ir.NodeID) metadataRef {
	_, i, base := s.findNode(id)
	if base > 0 || int(id) >= len(s.metadata.entries) {
		return metadataRef{spaceFunction, uint32(i)}
	}
	return metadataRef{spaceModule, uint32(i)}
}

// kindNumber returns the number of a metadata kind, adding it if the module has none of that name.
func (a *additions) kindNumber(name string) uint64 {
	for _, list := range [][]kind{a.source.kinds, a.kinds} {
		for _, k := range list {
			if k.name == name {
				return k.id
			}
		}
	}
	next := uint64(0)
	for _, list := range [][]kind{a.source.kinds, a.kinds} {
		for _, k := range list {
			next = max(next, k.id+1)
		}
	}
	a.kinds = append(a.kinds, kind{next, name})
	return next
}

// changedList returns the number, plus one, of the attribute list that a list becomes when string
// attributes of the value itself are removed and others are added. Equal changes share a list.
func (a *additions) changedList(list uint64, add []ir.Attribute, remove []string) uint64 {
	key := listKey(list, add, remove)
	if i, ok := a.listOf[key]; ok {
		return uint64(len(a.source.lists)) + uint64(i) + 1
	}
	old := groupRecord{index: llvmschema.FunctionIndex}
	var groups []ir.AttributeGroupID
	if list > 0 {
		for _, g := range a.source.lists[list-1] {
			if a.source.groups[g].index == llvmschema.FunctionIndex {
				old = a.source.groups[g]
			} else {
				groups = append(groups, g)
			}
		}
	}
	if changed := changeGroup(old, add, remove); len(changed.attributes) > 0 {
		groups = append(groups, ir.AttributeGroupID(len(a.source.groups)+len(a.groups)))
		a.groups = append(a.groups, changed)
	}
	a.listOf[key] = uint32(len(a.lists))
	a.lists = append(a.lists, groups)
	return uint64(len(a.source.lists) + len(a.lists))
}

// listKey spells a change of an attribute list, for the map of changed lists. Strings follow
// their lengths, as they may hold any byte.
func listKey(list uint64, add []ir.Attribute, remove []string) string {
	key := binary.AppendUvarint(nil, list)
	key = binary.AppendUvarint(key, uint64(len(add)))
	for _, x := range add {
		key = appendKeyString(appendKeyString(key, x.Key), x.Value)
	}
	for _, name := range remove {
		key = appendKeyString(key, name)
	}
	return string(key)
}

func appendKeyString(key []byte, s string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(s))), s...)
}

// changeGroup returns the group without the string attributes of the removed keys, and with the
// ones that are added, each of which replaces the attribute of its key.
func changeGroup(g groupRecord, add []ir.Attribute, remove []string) groupRecord {
	changed := groupRecord{index: g.index}
	for p := (attributeParser{list: g.attributes}); !p.atEnd(); {
		x := p.nextAttribute()
		isString := x.form == llvmschema.AttributeString || x.form == llvmschema.AttributeStringValue
		if isString && (slices.Contains(remove, x.key) || slices.ContainsFunc(add, func(n ir.Attribute) bool { return n.Key == x.key })) {
			continue
		}
		changed.attributes = append(changed.attributes, g.attributes[x.start:x.end]...)
		if x.form == llvmschema.AttributeTyped {
			changed.types = append(changed.types, len(changed.attributes)-1)
		}
	}
	for _, x := range add {
		changed.attributes = appendString(changed.attributes, x)
	}
	return changed
}

// appendString appends a string attribute in its encoded form.
func appendString(list []uint64, a ir.Attribute) []uint64 {
	form := uint64(llvmschema.AttributeString)
	if a.Value != "" {
		form = llvmschema.AttributeStringValue
	}
	list = append(appendText(append(list, form), a.Key), 0)
	if a.Value != "" {
		list = append(appendText(list, a.Value), 0)
	}
	return list
}
