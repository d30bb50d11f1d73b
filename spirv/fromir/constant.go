package fromir

import (
	"slices"

	"offlink/ir"
	"offlink/spirv"
)

// constInt returns an integer constant, or a truth value for one bit.
func (t *translator) constInt(bits uint32, value uint64) id {
	typ := t.intType(bits)
	if bits == 1 {
		return t.constBool(value != 0)
	}
	return t.b.constantEntry(spirv.OpConstant, typ, constantWords(bits, []uint64{value}))
}

func (t *translator) constBool(value bool) id {
	op := spirv.OpConstantFalse
	if value {
		op = spirv.OpConstantTrue
	}
	return t.b.constantEntry(op, t.boolType(), nil)
}

// constWord returns a constant of 32 bits.
func (t *translator) constWord(value uint32) id { return t.constInt(32, uint64(value)) }

// sizeConstant returns a constant as wide as a pointer.
func (t *translator) sizeConstant(value uint64) id { return t.constInt(t.pointerBits, value) }

// constNull returns OpConstantNull of a type.
func (t *translator) constNull(typ id) id { return t.b.constantEntry(spirv.OpConstantNull, typ, nil) }

// constUndef returns OpUndef of a type.
func (t *translator) constUndef(typ id) id { return t.b.constantEntry(spirv.OpUndef, typ, nil) }

// undefinedOf returns an undefined constant. That of an integer which is held in more bits
// is zero: instructions rely on the bits above its width being zero (width.go).
func (t *translator) undefinedOf(n ir.TypeID, typ id) id {
	held := n
	if v := t.moduleType(n); v.Kind == ir.TypeVector {
		held = v.Elements[0]
	}
	if v := t.moduleType(held); v.Kind == ir.TypeInteger && t.heldBits(v.Bits) != v.Bits {
		return t.constNull(typ)
	}
	return t.constUndef(typ)
}

// constantWords cuts a number into the words of an OpConstant, the lowest first. A type of
// fewer than 32 bits has its value in the low bits of one word.
func constantWords(bits uint32, words []uint64) []uint32 {
	list := make([]uint32, (bits+31)/32)
	for i := range list {
		if i/2 < len(words) {
			list[i] = uint32(words[i/2] >> (32 * (i % 2)))
		}
	}
	return list
}

// plainConstant returns a constant that needs no instruction, or 0 for expressions and
// addresses. typ is the type that it must have; value makes the parts of aggregates.
func (t *translator) plainConstant(c *ir.ConstantNode, typ id, value func(ir.Value, id) id) id {
	switch c.Kind {
	case ir.ConstantOther:
		t.failf("a number of more bits, or a vector of more elements, than SPIR-V has")
	case ir.ConstantInt:
		if n := t.moduleType(c.Type); n.Bits == 1 {
			return t.constBool(c.Words[0] != 0)
		} else {
			return t.b.constantEntry(spirv.OpConstant, typ, constantWords(n.Bits, c.Words))
		}
	case ir.ConstantFloat:
		return t.b.constantEntry(spirv.OpConstant, typ, constantWords(t.moduleType(c.Type).Bits, c.Words))
	case ir.ConstantZero:
		return t.constNull(typ)
	case ir.ConstantUndef:
		return t.undefinedOf(c.Type, typ)
	case ir.ConstantPoison:
		if t.usesFreezeExtension() {
			t.useExtension("SPV_KHR_poison_freeze")
			t.useCapabilities(capPoisonFreeze)
			return t.b.constantEntry(spirv.OpPoisonKHR, typ, nil)
		}
		return t.undefinedOf(c.Type, typ)
	case ir.ConstantData, ir.ConstantBytes:
		return t.dataConstant(c, typ)
	case ir.ConstantAggregate:
		return t.aggregateConstant(c, typ, value)
	case ir.ConstantBlockAddress:
		t.failf("addresses of blocks have no counterpart in SPIR-V")
	}
	return 0
}

// dataConstant returns an array or vector of numbers.
func (t *translator) dataConstant(c *ir.ConstantNode, typ id) id {
	n := t.moduleType(c.Type)
	element := t.moduleType(n.Elements[0])
	elementID := t.typeID(n.Elements[0])
	words := c.Words
	if c.Kind == ir.ConstantBytes {
		words = make([]uint64, len(c.Bytes))
		for i, b := range c.Bytes {
			words[i] = uint64(b)
		}
	}
	// Only integer vectors of zeros are OpConstantNull, as the Khronos translator writes
	// them; arrays of zeros list their elements.
	zero := true
	for _, w := range words {
		zero = zero && w == 0
	}
	// An aggregate of no elements has nothing to list.
	if zero && (len(words) > 0 && n.Kind == ir.TypeVector && element.Kind == ir.TypeInteger || len(words) == 0) {
		return t.constNull(typ)
	}
	parts := make([]id, len(words))
	for i, w := range words {
		if element.Bits == 1 {
			parts[i] = t.constBool(w != 0)
			continue
		}
		parts[i] = t.b.constantEntry(spirv.OpConstant, elementID, constantWords(element.Bits, []uint64{w}))
	}
	if n.Kind == ir.TypeVector && n.Length == 1 {
		return parts[0]
	}
	return t.constComposite(typ, parts)
}

// constComposite returns an OpConstantComposite.
func (t *translator) constComposite(typ id, parts []id) id {
	if len(parts) == 0 {
		return t.constNull(typ)
	}
	if len(parts) > maxWords-3 {
		t.longComposite("constants", len(parts))
	}
	op := spirv.OpConstantComposite
	if slices.ContainsFunc(parts, t.isSpecialization) {
		op = spirv.OpSpecConstantComposite
	}
	return t.b.constantEntry(op, typ, parts, parts...)
}

// isSpecialization reports whether SPIR-V counts a constant as a specialization constant,
// as it does every OpSpecConstantOp: an OpConstantComposite must not have such parts.
func (t *translator) isSpecialization(n id) bool {
	e := t.b.entryOf(n)
	return e != nil && (e.op == spirv.OpSpecConstantOp || e.op == spirv.OpSpecConstantComposite)
}

// aggregateConstant returns a struct, array or vector; 0 if an element needs an instruction.
func (t *translator) aggregateConstant(c *ir.ConstantNode, typ id, value func(ir.Value, id) id) id {
	n := *t.moduleType(c.Type)
	if n.Kind == ir.TypeStruct && (n.Name == "spirv.ConstantSampler" || n.Name == "spirv.ConstantPipeStorage") {
		return 0
	}
	parts := make([]id, len(c.Operands))
	for i, v := range c.Operands {
		part := t.typeID(t.elementType(c.Type, uint64(i)))
		parts[i] = t.compositePart(v, value(v, part), part)
	}
	if n.Kind == ir.TypeVector && n.Length == 1 {
		return parts[0]
	}
	for _, p := range parts {
		if p == 0 {
			return 0
		}
	}
	return t.constComposite(typ, parts)
}

// globalConstant returns a constant outside of functions. want is the type that it must
// have, or 0 for its own. An expression is an OpSpecConstantOp there, the only instruction
// that computes outside of functions; it takes few opcodes, and all others are errors.
func (t *translator) globalConstant(pool *ir.ConstantPool, v ir.Value, want id) id {
	if t.nesting++; t.nesting > 300 {
		t.failf("constants nested too deep")
	}
	defer func() { t.nesting-- }()
	switch v.Kind {
	case ir.ValueGlobal:
		return t.castConstant(t.globalAddress(ir.ValueID(v.Index)), t.globalAddressType(ir.ValueID(v.Index)), want, ir.ValueID(v.Index))
	case ir.ValueConstant:
	default:
		t.failf("an initialiser that is not a constant")
	}
	key := constantKey{pool, v.Index, want}
	if known, ok := t.constants[key]; ok {
		return known
	}
	c := pool.At(v)
	var made id
	switch {
	case t.isBlockBody(pool, v):
		made = t.constNull(t.blockBodyType(v, want))
	case c.Kind != ir.ConstantExpression:
		if want == 0 {
			want = t.typeID(c.Type)
		}
		made = t.plainConstant(c, want, func(v ir.Value, typ id) id { return t.globalConstant(pool, v, typ) })
	case want == 0:
		made = t.constantExpression(pool, v, t.typeID(c.Type))
	default:
		made = t.constantExpression(pool, v, want)
	}
	t.constants[key] = made
	return made
}

// constantKey names a constant of a pool and the type that is wanted of it. Constants share
// parts, and each part must be made only once: otherwise the work could be exponential.
type constantKey struct {
	pool  *ir.ConstantPool
	index uint32
	want  id
}

// compositePart returns a part of a composite constant. The address of a variable is cast
// there to make a constant of it: SPIR-V takes a variable itself only as a whole
// initialiser.
func (t *translator) compositePart(v ir.Value, n, typ id) id {
	if e := t.b.entryOf(n); v.Kind == ir.ValueGlobal && e != nil && e.section == sectionExternal && t.module.Values[v.Index].Kind == ir.Variable {
		return t.specOp(typ, spirv.OpBitcast, n)
	}
	return n
}

// castConstant casts the address of a global to the type that is wanted. The address of a
// string becomes that of its first character, as the translators write it.
func (t *translator) castConstant(n, typ, want id, global ir.ValueID) id {
	if want == 0 || typ == want {
		return n
	}
	if v := &t.module.Values[global]; v.Kind == ir.Variable {
		if e := t.moduleType(v.Type); e.Kind == ir.TypeArray && t.moduleType(e.Elements[0]).Kind == ir.TypeInteger && t.moduleType(e.Elements[0]).Bits == 8 {
			zero := t.constWord(0)
			return t.specOp(want, spirv.OpInBoundsPtrAccessChain, n, zero, zero)
		}
	}
	return t.specOp(want, spirv.OpBitcast, n)
}

// specOp returns an OpSpecConstantOp.
func (t *translator) specOp(typ id, op spirv.Opcode, operands ...id) id {
	return t.b.constantEntry(spirv.OpSpecConstantOp, typ, append([]uint32{uint32(op)}, operands...), operands...)
}

// constantExpression returns a constant expression outside of functions.
func (t *translator) constantExpression(pool *ir.ConstantPool, v ir.Value, want id) id {
	c := pool.At(v)
	e := c.Expression
	operand := func(i int, want id) id { return t.globalConstant(pool, c.Operands[i], want) }
	pointee := func(i int) id { return t.constantPointer(pool, c.Operands[i]) }
	switch op := e.Op; op {
	case ir.OpGEP:
		space := t.moduleType(c.Operands[0].Type).AddressSpace
		base := operand(0, t.pointerType(t.typeID(e.Element), space))
		list := []id{base}
		for i := range c.Operands[1:] {
			list = append(list, operand(i+1, 0))
		}
		own := t.pointerType(t.termID(t.constantTerm(pool, v)), space)
		code := spirv.OpPtrAccessChain
		if e.Flags&ir.FlagInBounds != 0 {
			code = spirv.OpInBoundsPtrAccessChain
		}
		return t.castPlain(t.specOp(own, code, list...), own, want)
	case ir.OpBitCast:
		return t.castPlain(operand(0, 0), pointee(0), want)
	case ir.OpAddrSpaceCast:
		from := t.moduleType(c.Operands[0].Type).AddressSpace
		to := t.moduleType(c.Type).AddressSpace
		code, ok := spaceCast(from, to)
		if !ok {
			t.failKind(ErrorModule, ir.OpAddrSpaceCast.String(), "a cast from address space %d to %d", from, to)
		}
		target := t.pointerType(t.pointeeOfConstant(pool, c.Operands[0]), to)
		return t.castPlain(t.specOp(target, code, operand(0, 0)), target, want)
	case ir.OpPtrToInt, ir.OpPtrToAddr:
		return t.specOp(want, spirv.OpConvertPtrToU, operand(0, 0))
	case ir.OpIntToPtr:
		return t.specOp(want, spirv.OpConvertUToPtr, operand(0, 0))
	default:
		if code := plainOpcodes[op]; code != spirv.OpNop && len(c.Operands) <= 2 {
			list := []id{operand(0, 0)}
			if len(c.Operands) == 2 {
				list = append(list, operand(1, 0))
			}
			return t.specOp(want, code, list...)
		}
	}
	t.failf("a constant expression of %v in an initialiser", e.Op)
	return 0
}

// castPlain casts a constant address of type typ to the type that is wanted.
func (t *translator) castPlain(n, typ, want id) id {
	if want == 0 || want == typ {
		return n
	}
	return t.specOp(want, spirv.OpBitcast, n)
}

// pointeeOfConstant returns the type that a constant address points to.
func (t *translator) pointeeOfConstant(pool *ir.ConstantPool, v ir.Value) id {
	if found := t.constantTerm(pool, v); found != noTerm {
		return t.termID(found)
	}
	return t.intType(8)
}

// constantPointer returns the type of a constant; that of a pointer has the pointee that was
// found for it.
func (t *translator) constantPointer(pool *ir.ConstantPool, v ir.Value) id {
	if t.moduleType(v.Type).Kind != ir.TypePointer {
		return t.typeID(v.Type)
	}
	return t.pointerType(t.pointeeOfConstant(pool, v), t.moduleType(v.Type).AddressSpace)
}

// spaceCast returns the instruction that casts between two address spaces; ok is false if
// there is none. Constant memory (2) is not part of the generic address space, 4 (OpenCL C
// 3.0, "Generic Address Space").
func spaceCast(from, to uint32) (spirv.Opcode, bool) {
	switch {
	case to == 4 && from != 2:
		return spirv.OpPtrCastToGeneric, true
	case from == 4 && to != 2:
		return spirv.OpGenericCastToPtr, true
	}
	return spirv.OpNop, false
}
