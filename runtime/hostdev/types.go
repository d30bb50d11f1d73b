package hostdev

import (
	"fmt"
	"math/bits"
	"slices"

	"offlink/lazy"
	"offlink/spirv"
)

// kind is the kind of a type.
type kind uint8

const (
	kindUnsupported kind = iota // a type that no kernel may use
	kindVoid
	kindBool
	kindInt
	kindFloat
	kindVector
	kindArray
	kindStruct
	kindPointer
	kindFunction
	kindEvent
	kindImage        // the number of an image among the arguments, plus one
	kindSampler      // samplerWord
	kindSampledImage // both
)

// typ is a type: its layout in memory, which is that of OpenCL C, and the
// words of a value in a frame. A scalar is one word: a zero-extended integer,
// the bits of a float, 0 or 1, or a pointer. A composite has the words of its
// parts in order.
type typ struct {
	id      spirv.ID
	kind    kind
	width   int                // of an integer or float, in bits
	elem    *typ               // of a vector, an array or a pointer; a function's result
	count   int64              // of a vector or an array
	members []*typ             // of a struct; a function's parameters
	offsets []int64            // of the members in memory
	starts  []int64            // of the members among the words
	storage spirv.StorageClass // of a pointer
	shape   imageShape         // of an image

	size, align int64 // in memory, bytes
	words       int64 // of a value
}

const (
	maxTypeSize  = 1 << 38 // bytes; larger types get this size and are refused where they are used
	maxWords     = 1 << 16 // of one value
	maxTypeDepth = 255     // the nesting that a consumer must support (SPIR-V Specification, 2.17)
)

// typeTable has the types of a module by identifier.
type typeTable struct {
	m      *spirv.Module
	length func(spirv.ID) (uint64, bool) // the value of an integer constant
	types  map[spirv.ID]*typ
	depth  map[*typ]int
}

// newTypeTable declares the pointer types first: a struct may refer to a pointer
// type before it is defined.
func newTypeTable(m *spirv.Module, length func(spirv.ID) (uint64, bool)) *typeTable {
	t := &typeTable{m: m, length: length, types: map[spirv.ID]*typ{}, depth: map[*typ]int{}}
	for _, in := range m.Globals() {
		if in.Op == spirv.OpTypePointer {
			t.types[in.Result()] = &typ{id: in.Result(), kind: kindPointer, size: 8, align: 8, words: 1}
		}
	}
	return t
}

// add defines a type and tells whether the instruction defines one.
func (t *typeTable) add(in *spirv.Instruction) (bool, error) {
	define := typeDefinitions.Get()[in.Op]
	if define == nil {
		return false, nil
	}
	if err := t.define(in, define); err != nil {
		return true, fmt.Errorf("type %%%d, %v: %w", in.Result(), in.Op, err)
	}
	return true, nil
}

// define fills in the type of an identifier. A pointer type is there already
// (newTypeTable), and others may hold it. Sizes saturate, so that sums of them
// cannot overflow.
func (t *typeTable) define(in *spirv.Instruction, define func(*typeTable, *typ, []uint32) error) error {
	own := t.types[in.Result()]
	if own == nil {
		own = &typ{id: in.Result(), align: 1}
		t.types[in.Result()] = own
	}
	if err := define(t, own, in.Operands()); err != nil {
		return err
	}
	own.size = min(own.size, maxTypeSize)
	own.words = min(own.words, maxWords+1)
	return t.measureDepth(own)
}

// measureDepth bounds the recursion over a type. A pointer ends it, as its
// element is not part of a value.
func (t *typeTable) measureDepth(own *typ) error {
	if own.kind == kindPointer {
		return nil
	}
	depth := 0
	for _, part := range own.members {
		depth = max(depth, t.depth[part]+1)
	}
	if own.elem != nil {
		depth = max(depth, t.depth[own.elem]+1)
	}
	if depth > maxTypeDepth {
		return fmt.Errorf("nested more than %d deep", maxTypeDepth)
	}
	t.depth[own] = depth
	return nil
}

// get returns a type that was defined earlier.
func (t *typeTable) get(id spirv.ID) (*typ, error) {
	if own := t.types[id]; own != nil {
		return own, nil
	}
	return nil, fmt.Errorf("%%%d is not a type defined earlier", id)
}

var typeDefinitions = lazy.Map[spirv.Opcode, func(*typeTable, *typ, []uint32) error]{New: func() map[spirv.Opcode]func(*typeTable, *typ, []uint32) error {
	table := map[spirv.Opcode]func(*typeTable, *typ, []uint32) error{
		spirv.OpTypeVoid:     func(_ *typeTable, own *typ, _ []uint32) error { own.kind = kindVoid; return nil },
		spirv.OpTypeBool:     (*typeTable).defineBool,
		spirv.OpTypeInt:      (*typeTable).defineInt,
		spirv.OpTypeFloat:    (*typeTable).defineFloat,
		spirv.OpTypeVector:   (*typeTable).defineVector,
		spirv.OpTypeArray:    (*typeTable).defineArray,
		spirv.OpTypeStruct:   (*typeTable).defineStruct,
		spirv.OpTypePointer:  (*typeTable).definePointer,
		spirv.OpTypeFunction: (*typeTable).defineFunction,
		spirv.OpTypeEvent:    (*typeTable).defineEvent,

		spirv.OpTypeImage:        (*typeTable).defineImage,
		spirv.OpTypeSampler:      (*typeTable).defineSampler,
		spirv.OpTypeSampledImage: (*typeTable).defineSampledImage,
	}
	for op := range unsupportedTypes.Get() {
		table[op] = func(*typeTable, *typ, []uint32) error { return nil }
	}
	return table
}}

// unsupportedTypes may be in a module as long as no kernel uses them.
var unsupportedTypes = lazy.Map[spirv.Opcode, bool]{New: func() map[spirv.Opcode]bool {
	return map[spirv.Opcode]bool{
		spirv.OpTypeMatrix: true, spirv.OpTypeRuntimeArray: true, spirv.OpTypeOpaque: true,
		spirv.OpTypeDeviceEvent: true, spirv.OpTypeReserveId: true, spirv.OpTypeQueue: true,
		spirv.OpTypePipe: true, spirv.OpTypePipeStorage: true, spirv.OpTypeNamedBarrier: true,
	}
}}

func (t *typeTable) defineBool(own *typ, _ []uint32) error {
	own.kind, own.size, own.align, own.words = kindBool, 1, 1, 1
	return nil
}

func (t *typeTable) defineEvent(own *typ, _ []uint32) error {
	own.kind, own.size, own.align, own.words = kindEvent, 8, 8, 1
	return nil
}

// defineInt supports every width up to 64. In memory an integer has the next
// power of two of bytes, as LLVM lays it out, and uses as many of them as its
// bits need.
func (t *typeTable) defineInt(own *typ, ops []uint32) error {
	if ops[0] >= 1 && ops[0] <= 64 {
		own.setScalar(kindInt, int(ops[0]))
	}
	return nil
}

func (t *typeTable) defineFloat(own *typ, ops []uint32) error {
	switch ops[0] {
	case 16, 32, 64:
		own.setScalar(kindFloat, int(ops[0]))
	}
	return nil
}

// setScalar gives an integer of 24 bits, say, four bytes, and one of 33 eight.
func (own *typ) setScalar(k kind, width int) {
	own.kind, own.width, own.words = k, width, 1
	own.size = int64(1) << bits.Len(uint((width-1)/8))
	own.align = own.size
}

// explicitSIMD is why code that is written for the registers of Intel's GPUs is refused.
const explicitSIMD = "the code is explicit SIMD (ESIMD) for Intel's GPUs, which the embedded device does not run"

// maxComponents limits the components of a vector.
const maxComponents = 64

// defineVector supports the numbers of components of OpenCL C, and others, which
// optimizers make. A vector has the next power of two of bytes: one of 3
// components has the size of one of 4.
func (t *typeTable) defineVector(own *typ, ops []uint32) error {
	elem, err := t.get(spirv.ID(ops[0]))
	if err != nil {
		return err
	}
	if ops[1] < 2 || ops[1] > maxComponents {
		if t.m.Declares(spirv.CapabilityVectorComputeINTEL) {
			return fmt.Errorf("%d components: %s", ops[1], explicitSIMD)
		}
		return fmt.Errorf("%d components", ops[1])
	}
	if elem.kind != kindBool && elem.kind != kindInt && elem.kind != kindFloat && elem.kind != kindPointer {
		return nil
	}
	own.kind, own.elem, own.count, own.words = kindVector, elem, int64(ops[1]), int64(ops[1])
	own.size = 1 << bits.Len64(uint64(elem.size*own.count-1))
	own.align = own.size
	return nil
}

func (t *typeTable) defineArray(own *typ, ops []uint32) error {
	elem, err := t.get(spirv.ID(ops[0]))
	if err != nil {
		return err
	}
	count, ok := t.length(spirv.ID(ops[1]))
	if !ok {
		return fmt.Errorf("the length %%%d is not an integer constant", ops[1])
	}
	own.setArray(elem, count)
	return nil
}

// setArray leaves an array of something that has no values unsupported, like
// its element.
func (own *typ) setArray(elem *typ, count uint64) {
	if !elem.isValue() {
		return
	}
	count = min(count, maxTypeSize)
	own.kind, own.elem, own.count, own.align = kindArray, elem, int64(count), elem.align
	own.size = saturatingMul(elem.size, int64(count), maxTypeSize)
	own.words = saturatingMul(elem.words, int64(count), maxWords+1)
}

// isValue tells whether values of the type exist.
func (t *typ) isValue() bool {
	return t.kind != kindUnsupported && t.kind != kindVoid && t.kind != kindFunction
}

func saturatingMul(a, b, limit int64) int64 {
	if a != 0 && b > limit/a {
		return limit
	}
	return a * b
}

// defineStruct lays the members out by their alignment, or without gaps if
// the type is decorated CPacked.
func (t *typeTable) defineStruct(own *typ, ops []uint32) error {
	_, packed := t.m.Decoration(own.id, spirv.DecorationCPacked)
	for _, id := range ops {
		member, err := t.get(spirv.ID(id))
		if err != nil {
			return err
		}
		// The struct stays without a kind: a module may declare it as long as
		// no kernel has a value of it.
		if !member.isValue() {
			own.members, own.offsets, own.starts = nil, nil, nil
			return nil
		}
		own.addMember(member, packed)
	}
	own.kind = kindStruct
	own.size = min(alignUp(own.size, own.align), maxTypeSize)
	return nil
}

func (own *typ) addMember(member *typ, packed bool) {
	align := member.align
	if packed {
		align = 1
	}
	offset := alignUp(own.size, align)
	own.members = append(own.members, member)
	own.offsets = append(own.offsets, offset)
	own.starts = append(own.starts, own.words)
	own.size = min(offset+member.size, maxTypeSize)
	own.align = max(own.align, align)
	own.words = min(own.words+member.words, maxWords+1)
}

func alignUp(n, align int64) int64 {
	return (n + align - 1) / align * align
}

func (t *typeTable) definePointer(own *typ, ops []uint32) error {
	own.storage = spirv.StorageClass(ops[0])
	elem := t.types[spirv.ID(ops[1])]
	if elem == nil {
		return fmt.Errorf("%%%d is not a type defined earlier", ops[1])
	}
	own.elem = elem
	return nil
}

func (t *typeTable) defineFunction(own *typ, ops []uint32) error {
	own.kind = kindFunction
	result, err := t.get(spirv.ID(ops[0]))
	if err != nil {
		return err
	}
	own.elem = result
	for _, id := range ops[1:] {
		param, err := t.get(spirv.ID(id))
		if err != nil {
			return err
		}
		own.members = append(own.members, param)
	}
	return nil
}

// scalar is the type itself, or a vector's component.
func (t *typ) scalar() *typ {
	if t.kind == kindVector {
		return t.elem
	}
	return t
}

// is tells whether t is a scalar of the kind or a vector of such scalars.
func (t *typ) is(k kind) bool { return t.scalar().kind == k }

// part returns the type of a part of a composite, its offset in memory and its
// word.
func (t *typ) part(i uint64) (part *typ, offset, word int64, ok bool) {
	switch {
	case t.kind == kindStruct && i < uint64(len(t.members)):
		return t.members[i], t.offsets[i], t.starts[i], true
	case (t.kind == kindVector || t.kind == kindArray) && i < uint64(t.count):
		return t.elem, int64(i) * t.elem.size, int64(i) * t.elem.words, true
	}
	return nil, 0, 0, false
}

// storeSize is the number of bytes that a scalar's bits need, which may be
// fewer than its size.
func (t *typ) storeSize() int64 {
	if t.kind == kindInt {
		return int64(t.width+7) / 8
	}
	return t.size
}

// bits is how many bits a scalar has, or each component of a vector.
func (t *typ) bits() int {
	switch s := t.scalar(); s.kind {
	case kindBool:
		return 1
	case kindPointer:
		return 64
	default:
		return s.width
	}
}

// isWhole tells whether every bit pattern of a scalar's bytes, or of a vector
// component's, is a value. Loads of such types need no bits cut, and have steps
// of their own.
func (t *typ) isWhole() bool { return t.bits() == int(8*t.scalar().size) }

// hasPackedBits tells whether a part of the type is a vector whose components
// share bytes. LLVM packs a vector of booleans or of odd integers into bits;
// OpenCL has no such vectors in memory, and they are refused there.
func (t *typ) hasPackedBits() bool {
	if t.words == 0 {
		return false
	}
	switch t.kind {
	case kindVector:
		return !t.isWhole()
	case kindArray:
		return t.elem.hasPackedBits()
	case kindStruct:
		return slices.ContainsFunc(t.members, (*typ).hasPackedBits)
	}
	return false
}

// leaf is one word of a value and its offset in memory.
type leaf struct {
	offset int64
	size   int64
	bits   int // the number of significant bits
}

// leaves lists the words of a type. The caller must know that they are few
// (maxWords).
func (t *typ) leaves() []leaf { return t.appendLeaves(nil, 0) }

// appendLeaves stops at types without words: an array of empty structs may have any length.
func (t *typ) appendLeaves(list []leaf, offset int64) []leaf {
	if t.words == 0 {
		return list
	}
	switch t.kind {
	case kindVector, kindArray:
		for i := range t.count {
			list = t.elem.appendLeaves(list, offset+i*t.elem.size)
		}
		return list
	case kindStruct:
		for i, m := range t.members {
			list = m.appendLeaves(list, offset+t.offsets[i])
		}
		return list
	}
	return append(list, leaf{offset, t.storeSize(), t.bits()})
}
