package fromir

import (
	"fmt"

	"offlink/spirv"
)

// memoryFunction writes a memset or memmove whose length or value is not constant as a
// call of a function that is added, a loop over bytes. The function has no linkage, so
// images that have the same one can be linked. Its name must not begin with spirv.llvm_:
// compilers that read SPIR-V with llvm-spirv's library turn such functions back into
// intrinsics, whose names differ between versions.
func (c *callSite) memoryFunction(kind string) {
	bits := c.function.moduleType(c.operand(2).Type).Bits
	w := memoryWriter{translator: c.translator, bits: bits, typ: c.typeID(c.operand(2).Type), second: c.intType(8)}
	w.pointer = c.bytePointer(0)
	arguments := []id{c.argAs(0, c.intType(8))}
	name := fmt.Sprintf("offlink.%s.p%d", kind, c.function.moduleType(c.operand(0).Type).AddressSpace)
	if kind == "memmove" {
		w.second = c.bytePointer(1)
		arguments = append(arguments, c.argAs(1, c.intType(8)))
		name += fmt.Sprintf(".p%d", c.function.moduleType(c.operand(1).Type).AddressSpace)
	} else {
		arguments = append(arguments, c.valueID(c.operand(1)))
	}
	name += fmt.Sprintf(".i%d", bits)
	if w.access = c.memoryAccess(1); w.access[0]&accessVolatile != 0 {
		name += ".volatile"
	}
	arguments = append(arguments, c.valueID(c.operand(2)))
	n := c.b.newIDOnce("function "+name, func(n id) []uint32 {
		c.b.setName(n, name)
		w.self = n
		return w.writeFunction(kind)
	})
	c.emitResult(spirv.OpFunctionCall, c.voidType(), append([]uint32{n}, arguments...)...)
}

// bytePointer returns the type of a pointer argument as one to bytes.
func (c *callSite) bytePointer(i int) id {
	return c.pointerType(c.intType(8), c.function.moduleType(c.operand(i).Type).AddressSpace)
}

// memoryWriter writes such a function. pointer and second are the types of the first two
// parameters, typ is that of the length, which has bits bits.
type memoryWriter struct {
	*translator
	self                 id
	pointer, second, typ id
	bits                 uint32
	access               []uint32 // of each byte
	words                []uint32
}

// emitResult appends an instruction with a result and returns that.
func (w *memoryWriter) emitResult(op spirv.Opcode, typ id, operands ...uint32) id {
	n := w.b.newID()
	w.words = appendInstruction(w.words, op, append([]uint32{typ, n}, operands...)...)
	return n
}

func (w *memoryWriter) emitPlain(op spirv.Opcode, operands ...uint32) {
	w.words = appendInstruction(w.words, op, operands...)
}

// writeFunction writes the function: nothing for a length of 0, else its loops.
func (w *memoryWriter) writeFunction(kind string) []uint32 {
	typ := w.functionType(w.voidType(), []id{w.pointer, w.second, w.typ})
	w.emitPlain(spirv.OpFunction, w.voidType(), w.self, 0, typ)
	to := w.emitResult(spirv.OpFunctionParameter, w.pointer)
	from := w.emitResult(spirv.OpFunctionParameter, w.second)
	length := w.emitResult(spirv.OpFunctionParameter, w.typ)
	entry, work, end := w.b.newID(), w.b.newID(), w.b.newID()
	w.emitPlain(spirv.OpLabel, entry)
	none := w.emitResult(spirv.OpIEqual, w.boolType(), length, w.constInt(w.bits, 0))
	w.emitPlain(spirv.OpBranchConditional, none, end, work)
	w.emitPlain(spirv.OpLabel, work)
	if kind == "memset" {
		w.writeForward(work, end, length, func(index id) {
			at := w.emitResult(spirv.OpInBoundsPtrAccessChain, w.pointer, to, index)
			w.emitPlain(spirv.OpStore, append([]uint32{at, from}, w.access...)...)
		})
	} else {
		w.writeMove(work, end, to, from, length)
	}
	w.emitPlain(spirv.OpLabel, end)
	w.emitPlain(spirv.OpReturn)
	w.emitPlain(spirv.OpFunctionEnd)
	return w.words
}

// writeMove copies bytes in the direction in which none is overwritten before it is read:
// backward if the source is below the target.
func (w *memoryWriter) writeMove(block, end, to, from, length id) {
	copyByte := func(index id) {
		source := w.emitResult(spirv.OpInBoundsPtrAccessChain, w.second, from, index)
		value := w.emitResult(spirv.OpLoad, w.intType(8), append([]uint32{source}, w.access...)...)
		at := w.emitResult(spirv.OpInBoundsPtrAccessChain, w.pointer, to, index)
		w.emitPlain(spirv.OpStore, append([]uint32{at, value}, w.access...)...)
	}
	size := w.intType(w.pointerBits)
	a, b := w.emitResult(spirv.OpConvertPtrToU, size, to), w.emitResult(spirv.OpConvertPtrToU, size, from)
	backward, forward := w.b.newID(), w.b.newID()
	w.emitPlain(spirv.OpBranchConditional, w.emitResult(spirv.OpULessThan, w.boolType(), b, a), backward, forward)
	w.emitPlain(spirv.OpLabel, forward)
	w.writeForward(forward, end, length, copyByte)
	w.emitPlain(spirv.OpLabel, backward)
	w.writeLoop(backward, end, length, func(index id) (next, last id) {
		next = w.emitResult(spirv.OpISub, w.typ, index, w.constInt(w.bits, 1))
		copyByte(next)
		return next, w.emitResult(spirv.OpIEqual, w.boolType(), next, w.constInt(w.bits, 0))
	})
}

// writeForward writes a loop over the indices from 0 up to length. The length is not 0.
func (w *memoryWriter) writeForward(before, end, length id, visit func(index id)) {
	w.writeLoop(before, end, w.constInt(w.bits, 0), func(index id) (next, last id) {
		visit(index)
		next = w.emitResult(spirv.OpIAdd, w.typ, index, w.constInt(w.bits, 1))
		return next, w.emitResult(spirv.OpIEqual, w.boolType(), next, length)
	})
}

// writeLoop writes a loop of one block, which follows the block before. The phi of the index
// names next, which only body makes, so its word is set afterwards.
func (w *memoryWriter) writeLoop(before, end, first id, body func(index id) (next, last id)) {
	head, index := w.b.newID(), w.b.newID()
	w.emitPlain(spirv.OpBranch, head)
	w.emitPlain(spirv.OpLabel, head)
	w.emitPlain(spirv.OpPhi, w.typ, index, first, before, 0, head)
	phi := len(w.words) - 2
	next, last := body(index)
	w.words[phi] = next
	w.emitPlain(spirv.OpBranchConditional, last, end, head)
}
