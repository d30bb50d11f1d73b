package fromir

import (
	"fmt"

	"offlink/ir"
	"offlink/spirv"
)

// maskedAccess is a load or store of those elements of a vector that a mask selects. It
// becomes a call of a function that is added and that has a branch for each element: the
// memory of the others must not be touched.
type maskedAccess struct {
	*callSite
	store  bool
	packed bool // the elements lie in memory side by side (expandload, compressstore)

	pointer, mask, other int // the numbers of the arguments; other is the stored value, or the result where nothing is loaded

	vector  ir.TypeID
	element id
	size    uint64 // of an element in memory
	align   uint64
	length  int
}

// maskedLoad writes llvm.masked.load, whose alignment is an argument before
// LLVM 22.
func (c *callSite) maskedLoad() {
	n := len(c.operands)
	c.maskedCall(maskedAccess{mask: n - 2, other: n - 1, vector: c.in.Type, align: c.maskedAlign(0, n == 4, 1)})
}

func (c *callSite) maskedStore() {
	n := len(c.operands)
	c.maskedCall(maskedAccess{store: true, pointer: 1, mask: n - 1, vector: c.operand(0).Type, align: c.maskedAlign(1, n == 4, 2)})
}

func (c *callSite) expandLoad() {
	c.maskedCall(maskedAccess{packed: true, mask: 1, other: 2, vector: c.in.Type, align: c.alignOf(0)})
}

func (c *callSite) compressStore() {
	c.maskedCall(maskedAccess{store: true, packed: true, pointer: 1, mask: 2, vector: c.operand(0).Type, align: c.alignOf(1)})
}

// maskedAlign returns the alignment: argument at if the intrinsic has it as an argument,
// else the attribute of the pointer.
func (c *callSite) maskedAlign(pointer int, argument bool, at int) uint64 {
	if argument {
		return min(max(c.constantArgument(at), 1), 1<<30)
	}
	return c.alignOf(pointer)
}

// maskedCall writes the call, and the function if no earlier call needed the same.
func (c *callSite) maskedCall(m maskedAccess) {
	m.callSite = c
	vector := *c.function.moduleType(m.vector)
	if vector.Kind != ir.TypeVector {
		c.failf("a masked access of a type that is not a vector")
	}
	scalar := vector.Elements[0]
	if _, odd := c.oddBytes(scalar); odd || c.isBool(scalar) || c.isPointer(scalar) || c.hasOddWidth(scalar) {
		c.failf("masked accesses of elements of this type have no counterpart in SPIR-V")
	}
	m.element, m.length = c.typeID(scalar), int(vector.Length)
	m.size, _ = c.memoryLayout(scalar)
	space := c.function.moduleType(c.operand(m.pointer).Type).AddressSpace
	key := fmt.Sprintf("masked %t %t %d %d %d %d", m.store, m.packed, m.vector, space, m.align, m.mask)
	callee := c.b.newIDOnce(key, func(n id) []uint32 { return m.writeFunction(n, c.pointerType(m.element, space)) })
	words := []uint32{callee, c.argAs(m.pointer, m.element), c.argumentID(m.mask), c.argumentID(m.other)}
	if m.store {
		c.emitResult(spirv.OpFunctionCall, c.voidType(), words...)
		return
	}
	c.finishCall(c.emitResult(spirv.OpFunctionCall, c.typ, words...))
}

// writeFunction writes the function, whose parameters are a pointer, a mask and a vector. For
// each element it has a block with the access, around which a branch leads; phis carry the
// vector, and for packed memory the index of the next element, on to the next branch.
func (m *maskedAccess) writeFunction(self, pointer id) []uint32 {
	vector, mask := m.typeID(m.vector), m.typeID(m.operands[m.mask].Type)
	result := m.voidType()
	if !m.store {
		result = vector
	}
	w := functionWriter{b: m.b}
	w.emitPlain(spirv.OpFunction, result, self, 0, m.functionType(result, []id{pointer, mask, vector}))
	base := w.emitResult(spirv.OpFunctionParameter, pointer)
	chosen := w.emitResult(spirv.OpFunctionParameter, mask)
	value := w.emitResult(spirv.OpFunctionParameter, vector)
	m.b.setName(self, "spirv.masked_"+map[bool]string{true: "store", false: "load"}[m.store])
	before := w.newLabel()
	index := m.sizeConstant(0)
	for k := range m.length {
		if !m.packed {
			index = m.sizeConstant(uint64(k))
		}
		bit := w.vectorPart(m.boolType(), chosen, k, m.length)
		do, next := m.b.newID(), m.b.newID()
		w.emitPlain(spirv.OpBranchConditional, bit, do, next)
		w.emitPlain(spirv.OpLabel, do)
		at := w.emitResult(spirv.OpPtrAccessChain, pointer, base, index)
		after := m.accessElement(&w, at, vector, value, k)
		following := w.advanceIndex(m.packed, m.intType(m.pointerBits), index, m.sizeConstant(1))
		w.emitPlain(spirv.OpBranch, next)
		w.emitPlain(spirv.OpLabel, next)
		if !m.store {
			value = w.emitResult(spirv.OpPhi, vector, after, do, value, before)
		}
		if m.packed {
			index = w.emitResult(spirv.OpPhi, m.intType(m.pointerBits), following, do, index, before)
		}
		before = next
	}
	if m.store {
		w.emitPlain(spirv.OpReturn)
	} else {
		w.emitPlain(spirv.OpReturnValue, value)
	}
	w.emitPlain(spirv.OpFunctionEnd)
	return w.words
}

// accessElement loads or stores element k, and returns the vector with the loaded element.
// The alignment of an element is as good as its offset allows; in packed memory any multiple
// of its size is possible.
func (m *maskedAccess) accessElement(w *functionWriter, at, vector, value id, k int) id {
	align := m.align
	if m.packed {
		align = min(align, m.size&-m.size)
	} else if offset := uint64(k) * m.size; offset != 0 {
		align = min(align, offset&-offset)
	}
	if m.store {
		w.emitPlain(spirv.OpStore, at, w.vectorPart(m.element, value, k, m.length), accessAligned, uint32(align))
		return value
	}
	loaded := w.emitResult(spirv.OpLoad, m.element, at, accessAligned, uint32(align))
	if m.length == 1 {
		return loaded
	}
	return w.emitResult(spirv.OpCompositeInsert, vector, loaded, value, uint32(k))
}

// functionWriter collects the words of a function that is added.
type functionWriter struct {
	b     *builder
	words []uint32
}

func (w *functionWriter) emitResult(op spirv.Opcode, typ id, operands ...uint32) id {
	n := w.b.newID()
	w.words = appendInstruction(w.words, op, append([]uint32{typ, n}, operands...)...)
	return n
}

func (w *functionWriter) emitPlain(op spirv.Opcode, operands ...uint32) {
	w.words = appendInstruction(w.words, op, operands...)
}

// newLabel begins a block.
func (w *functionWriter) newLabel() id {
	n := w.b.newID()
	w.emitPlain(spirv.OpLabel, n)
	return n
}

// vectorPart returns element k of a vector; a vector of one element is the element itself.
func (w *functionWriter) vectorPart(typ, vector id, k, length int) id {
	if length == 1 {
		return vector
	}
	return w.emitResult(spirv.OpCompositeExtract, typ, vector, uint32(k))
}

// advanceIndex returns the index of the next element of packed memory.
func (w *functionWriter) advanceIndex(packed bool, typ, index, one id) id {
	if !packed {
		return index
	}
	return w.emitResult(spirv.OpIAdd, typ, index, one)
}
