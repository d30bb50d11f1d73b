package fromir

import (
	"strings"

	"offlink/spirv"
)

// memoryFunction writes a memset or memmove whose length or value is not
// constant as a loop over bytes in a function of its own. Name and parameters
// are those of llvm-spirv: compilers that read SPIR-V with its library make the
// intrinsic of that name again, and Intel's crashes on other parameters.
func (c *callSite) memoryFunction(kind string) {
	space := c.function.moduleType(c.operands[0].Type).AddressSpace
	bytePointer := c.pointerType(c.intType(8), space)
	length := c.typeID(c.operands[2].Type)
	second := c.intType(8)
	arguments := []id{c.argAs(0, c.intType(8))}
	if kind == "memmove" {
		from := c.function.moduleType(c.operands[1].Type).AddressSpace
		second = c.pointerType(c.intType(8), from)
		arguments = append(arguments, c.argAs(1, c.intType(8)))
	} else {
		arguments = append(arguments, c.valueID(c.operands[1]))
	}
	arguments = append(arguments, c.valueID(c.operands[2]), c.valueID(c.operands[3]))
	name := "spirv." + strings.ReplaceAll(c.callee.value.Name, ".", "_")
	bits := c.function.moduleType(c.operands[2].Type).Bits
	n := c.b.newIDOnce("function "+name, func(n id) []uint32 {
		c.b.setName(n, name)
		c.useCapabilities(capLinkage)
		c.b.addDecoration(spirv.OpDecorate, n, append(appendText([]uint32{decLinkageAttributes}, name), linkExport))
		w := memoryWriter{c.translator, n, bytePointer, second, length, bits}
		return w.writeFunction(kind)
	})
	c.emitResult(spirv.OpFunctionCall, c.voidType(), append([]uint32{n}, arguments...)...)
}

// memoryWriter writes such a function.
type memoryWriter struct {
	*translator
	self                 id
	pointer, second, typ id
	bits                 uint32
}

func (w *memoryWriter) writeFunction(kind string) []uint32 {
	words := []uint32{}
	emit := func(op spirv.Opcode, typ id, operands ...uint32) id {
		n := w.b.newID()
		words = appendInstruction(words, op, append([]uint32{typ, n}, operands...)...)
		return n
	}
	plain := func(op spirv.Opcode, operands ...uint32) { words = appendInstruction(words, op, operands...) }
	typ := w.functionType(w.voidType(), []id{w.pointer, w.second, w.typ, w.boolType()})
	plain(spirv.OpFunction, w.voidType(), w.self, 0, typ)
	to := emit(spirv.OpFunctionParameter, w.pointer)
	from := emit(spirv.OpFunctionParameter, w.second)
	length := emit(spirv.OpFunctionParameter, w.typ)
	emit(spirv.OpFunctionParameter, w.boolType()) // isvolatile
	labels := make([]id, 5)                       // entry, forward head, backward head, ..., end
	for i := range labels {
		labels[i] = w.b.newID()
	}
	zero, one := w.constInt(w.bits, 0), w.constInt(w.bits, 1)
	byteType := w.intType(8)
	plain(spirv.OpLabel, labels[0])
	none := emit(spirv.OpIEqual, w.boolType(), length, zero)
	if kind == "memset" {
		plain(spirv.OpBranchConditional, none, labels[4], labels[1])
		plain(spirv.OpLabel, labels[1])
		w.writeLoop(&words, labels[0], labels[1], labels[4], zero, func(index id) (id, id) {
			at := emit(spirv.OpInBoundsPtrAccessChain, w.pointer, to, index)
			plain(spirv.OpStore, at, from, accessAligned, 1)
			next := emit(spirv.OpIAdd, w.typ, index, one)
			return next, emit(spirv.OpIEqual, w.boolType(), next, length)
		})
	} else {
		copyByte := func(index id) {
			source := emit(spirv.OpInBoundsPtrAccessChain, w.second, from, index)
			value := emit(spirv.OpLoad, byteType, source, accessAligned, 1)
			at := emit(spirv.OpInBoundsPtrAccessChain, w.pointer, to, index)
			plain(spirv.OpStore, at, value, accessAligned, 1)
		}
		size := w.intType(w.pointerBits)
		a, b := emit(spirv.OpConvertPtrToU, size, to), emit(spirv.OpConvertPtrToU, size, from)
		backward := emit(spirv.OpULessThan, w.boolType(), b, a)
		plain(spirv.OpBranchConditional, none, labels[4], labels[3])
		plain(spirv.OpLabel, labels[3])
		plain(spirv.OpBranchConditional, backward, labels[2], labels[1])
		plain(spirv.OpLabel, labels[1])
		w.writeLoop(&words, labels[3], labels[1], labels[4], zero, func(index id) (id, id) {
			copyByte(index)
			next := emit(spirv.OpIAdd, w.typ, index, one)
			return next, emit(spirv.OpIEqual, w.boolType(), next, length)
		})
		plain(spirv.OpLabel, labels[2])
		w.writeLoop(&words, labels[3], labels[2], labels[4], length, func(index id) (id, id) {
			next := emit(spirv.OpISub, w.typ, index, one)
			copyByte(next)
			return next, emit(spirv.OpIEqual, w.boolType(), next, zero)
		})
	}
	plain(spirv.OpLabel, labels[4])
	plain(spirv.OpReturn)
	plain(spirv.OpFunctionEnd)
	return words
}

// writeLoop writes a loop of one block, whose label is written already.
func (w *memoryWriter) writeLoop(words *[]uint32, before, head, end, first id, body func(index id) (next, last id)) {
	index := w.b.newID()
	*words = appendInstruction(*words, spirv.OpPhi, w.typ, index, first, before, 0, head)
	phi := len(*words) - 2
	next, last := body(index)
	(*words)[phi] = next
	*words = appendInstruction(*words, spirv.OpBranchConditional, last, end, head)
}
