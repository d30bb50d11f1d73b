package fromir

import "offlink/ir"

// term is the pointee of a pointer, as far as it is known: an index into
// terms.nodes, or noTerm for values that are not pointers.
type term int32

const noTerm term = -1

type termKind uint8

const (
	termUnknown  termKind = iota
	termType              // typ
	termPointer           // a pointer in space to elem
	termFunction          // the function of the module that typ counts
	termMade              // the number or vector of numbers that made is
	termOpaque            // the type of OpenCL that made names; the pointer to it is that type itself (LLVM 16)
)

type termNode struct {
	parent term
	kind   termKind
	space  uint32
	elem   term
	typ    uint32
	made   *mangledType
}

// terms are equivalence classes of terms, each with its known facts.
type terms struct {
	nodes  []termNode
	byType map[ir.TypeID]term
	byMade map[mangledType]term
}

// reset empties the table and keeps its memory.
func (u *terms) reset() {
	u.nodes = u.nodes[:0]
	clear(u.byType)
	clear(u.byMade)
}

func (u *terms) add(n termNode) term {
	n.parent = term(len(u.nodes))
	u.nodes = append(u.nodes, n)
	return n.parent
}

func (u *terms) unknown() term { return u.add(termNode{}) }

func (u *terms) find(t term) term {
	for u.nodes[t].parent != t {
		u.nodes[t].parent = u.nodes[u.nodes[t].parent].parent
		t = u.nodes[t].parent
	}
	return t
}

// unify makes two terms one. It returns false, and changes nothing, when they
// are known to differ.
func (u *terms) unify(a, b term) bool {
	if a == noTerm || b == noTerm {
		return false
	}
	if a, b = u.find(a), u.find(b); a == b {
		return true
	}
	x, y := &u.nodes[a], &u.nodes[b]
	switch {
	case x.kind == termUnknown:
		return u.bind(a, b)
	case y.kind == termUnknown:
		return u.bind(b, a)
	case x.kind != y.kind || x.space != y.space || x.typ != y.typ:
		return false
	case x.made != nil:
		return *x.made == *y.made
	case x.kind == termPointer:
		return u.unify(x.elem, y.elem)
	}
	return true
}

// bind makes an unknown term the same as another, unless that is made of it.
func (u *terms) bind(unknown, known term) bool {
	for t, depth := known, 0; u.nodes[t].kind == termPointer; depth++ {
		t = u.find(u.nodes[t].elem)
		if t == unknown || depth > 16 {
			return false
		}
	}
	u.nodes[unknown].parent = known
	return true
}

// memory returns the term of a type as it lies in memory: an opaque pointer
// there has a pointee that is still to be found.
func (t *translator) memory(n ir.TypeID) term {
	if typ := t.typ(n); typ.Kind == ir.TypePointer {
		if len(typ.Elements) == 0 {
			return t.terms.add(termNode{kind: termPointer, space: typ.AddressSpace, elem: t.terms.unknown()})
		}
		if t.isPointer(n) {
			return t.terms.add(termNode{kind: termPointer, space: typ.AddressSpace, elem: t.memory(typ.Elements[0])})
		}
	}
	return t.exact(n)
}

// member returns the term of a type that is part of an aggregate, where opaque
// pointers point to bytes.
func (t *translator) member(n ir.TypeID) term {
	if typ := t.typ(n); typ.Kind == ir.TypePointer && len(typ.Elements) == 0 {
		return t.terms.add(termNode{kind: termPointer, space: typ.AddressSpace, elem: t.bytes()})
	}
	return t.memory(n)
}

// exact returns the term of a type that is not a pointer.
func (t *translator) exact(n ir.TypeID) term {
	if known, ok := t.terms.byType[n]; ok {
		return known
	}
	made := term(0)
	if number, ok := t.numberType(n); ok {
		made = t.madeTerm(termMade, number)
	} else {
		made = t.terms.add(termNode{kind: termType, typ: uint32(n)})
	}
	t.terms.byType[n] = made
	return made
}

// bytes returns the term of a byte.
func (t *translator) bytes() term { return t.madeTerm(termMade, byteType) }

// isPointer reports whether a type is a pointer in SPIR-V too: a typed pointer
// to an opaque struct of OpenCL is not.
func (t *translator) isPointer(n ir.TypeID) bool {
	if n == ir.NoType {
		return false
	}
	typ := t.typ(n)
	if typ.Kind != ir.TypePointer {
		return false
	}
	if len(typ.Elements) == 0 {
		return true
	}
	p := t.typ(typ.Elements[0])
	return p.Kind != ir.TypeStruct || !p.Opaque || !t.isOpenCLStruct(p.Name)
}

// pointeeShape is pointee as a shape.
func (t *translator) pointeeShape(n ir.TypeID) *shape {
	if !t.isPointer(n) {
		return nil
	}
	if typ := t.typ(n); len(typ.Elements) > 0 {
		return t.memoryShape(typ.Elements[0])
	}
	return unknownShape
}

// memoryShape is memory as a shape.
func (t *translator) memoryShape(n ir.TypeID) *shape {
	typ := t.typ(n)
	if typ.Kind == ir.TypePointer && len(typ.Elements) == 0 {
		return &shape{kind: termPointer, space: typ.AddressSpace, elem: unknownShape}
	}
	if typ.Kind == ir.TypePointer && t.isPointer(n) {
		return &shape{kind: termPointer, space: typ.AddressSpace, elem: t.memoryShape(typ.Elements[0])}
	}
	return &shape{kind: termType, typ: uint32(n)}
}

// pointee returns the term that a typed pointer says, or an unknown one.
func (t *translator) pointee(n ir.TypeID) term {
	if !t.isPointer(n) {
		return noTerm
	}
	if typ := t.typ(n); len(typ.Elements) > 0 {
		return t.memory(typ.Elements[0])
	}
	return t.terms.unknown()
}

// termID returns the type that a term stands for, a byte if it is unknown.
func (t *translator) termID(a term) id {
	n := t.terms.nodes[t.terms.find(a)]
	switch n.kind {
	case termType:
		return t.typeID(ir.TypeID(n.typ))
	case termPointer:
		return t.pointerTo(n.elem, n.space)
	case termMade:
		return t.numberID(n.made)
	case termOpaque:
		return t.openclStruct(n.made.name)
	case termFunction:
		return t.functionTypeOf(ir.ValueID(n.typ))
	}
	return t.intType(8)
}

// pointerTo returns the type of a pointer to the type of a term.
func (t *translator) pointerTo(a term, space uint32) id {
	if n := &t.terms.nodes[t.terms.find(a)]; n.kind == termOpaque {
		return t.openclStruct(n.made.name)
	}
	return t.pointerType(t.termID(a), space)
}

// inference finds the pointees of one body.
type inference struct {
	*translator
	body  *ir.Body
	info  *functionInfo
	terms []term // of the instructions
}

// infer finds the pointees of a body, and of the parameters of
// functions.
func (t *translator) infer(body *ir.Body, info *functionInfo) []term {
	f := &inference{translator: t, body: body, info: info, terms: make([]term, len(body.Instructions))}
	for i := range f.terms {
		f.terms[i] = noTerm
	}
	for i := range body.Instructions {
		in := &body.Instructions[i]
		if t.isPointer(in.Type) {
			f.define(i, f.result(in))
		}
		f.uses(i, in)
	}
	return f.terms
}

// define sets the term of an instruction, which a use before it may have made.
func (f *inference) define(i int, found term) {
	if f.terms[i] == noTerm || !f.translator.terms.unify(f.terms[i], found) {
		f.terms[i] = found
	}
}

// of returns the term of a value, noTerm for one that has no pointee of its own.
func (f *inference) of(v ir.Value) term {
	switch v.Kind {
	case ir.ValueArgument:
		return f.info.parameters[v.Index]
	case ir.ValueInstruction:
		if f.terms[v.Index] == noTerm && f.isPointer(v.Type) {
			f.terms[v.Index] = f.pointee(v.Type)
		}
		return f.terms[v.Index]
	}
	return f.translator.constantTerm(&f.body.Constants, v)
}

// constantTerm returns the term of a global or of a constant that has one.
func (t *translator) constantTerm(pool *ir.ConstantPool, v ir.Value) term {
	switch v.Kind {
	case ir.ValueGlobal:
		return t.globalTerm(ir.ValueID(v.Index))
	case ir.ValueConstant:
		c := pool.At(v)
		if c.Kind != ir.ConstantExpression || !t.isPointer(c.Type) {
			return noTerm
		}
		if len(t.typ(c.Type).Elements) > 0 {
			return t.pointee(c.Type)
		}
		switch c.Expression.Op {
		case ir.OpGEP:
			return t.addressTerm(pool, c.Expression, c.Operands, func(v ir.Value) term { return t.constantTerm(pool, v) })
		case ir.OpBitCast, ir.OpAddrSpaceCast:
			return t.constantTerm(pool, c.Operands[0])
		}
	}
	return noTerm
}

// result returns the term of an instruction's result, by its operands.
func (f *inference) result(in *ir.Instruction) term {
	if len(f.typ(in.Type).Elements) > 0 {
		return f.pointee(in.Type)
	}
	found := noTerm
	switch in.Op {
	case ir.OpAlloca:
		return f.memory(in.Element)
	case ir.OpGEP:
		return f.addressTerm(&f.body.Constants, in, in.Operands, f.of)
	case ir.OpLoad:
		return f.loaded(in)
	case ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpFreeze:
		found = f.of(in.Operands[0])
	case ir.OpPhi:
		for i := 0; i+1 < len(in.Operands) && found == noTerm; i += 2 {
			if v := in.Operands[i]; v.Kind != ir.ValueInstruction || f.terms[v.Index] != noTerm {
				found = f.of(v)
			}
		}
	case ir.OpSelect:
		if found = f.of(in.Operands[1]); found == noTerm {
			found = f.of(in.Operands[2])
		}
	case ir.OpCall:
		found = f.callResult(in)
	case ir.OpExtractValue, ir.OpExtractElement:
		return f.bytes()
	case ir.OpAtomicRMW:
		found = f.of(in.Operands[1])
	}
	if found == noTerm {
		return f.translator.terms.unknown()
	}
	return found
}

// loaded returns the term of a pointer that is loaded.
func (f *inference) loaded(in *ir.Instruction) term {
	typ := f.typ(in.Type)
	want := f.translator.terms.add(termNode{kind: termPointer, space: typ.AddressSpace, elem: f.translator.terms.unknown()})
	if base := f.of(in.Operands[0]); base != noTerm {
		f.translator.terms.unify(base, want)
	}
	return f.translator.terms.nodes[want].elem
}

// addressTerm returns the term of an address computation.
func (t *translator) addressTerm(pool *ir.ConstantPool, in *ir.Instruction, operands []ir.Value, of func(ir.Value) term) term {
	if t.isOpaquePointer(in.Element) && len(operands) == 2 && t.typ(in.Type).Kind != ir.TypeVector {
		if base := of(operands[0]); base != noTerm {
			if n := t.terms.nodes[t.terms.find(base)]; n.kind == termPointer || n.kind == termUnknown {
				return base
			}
		}
		return t.memory(in.Element)
	}
	element := in.Element
	if len(operands) > 2 {
		for _, v := range operands[2:] {
			element = t.elementType(element, constantNumber(pool, v))
		}
	}
	return t.member(element)
}

func (t *translator) isOpaquePointer(n ir.TypeID) bool {
	typ := t.typ(n)
	return typ.Kind == ir.TypePointer && len(typ.Elements) == 0
}

// elementType returns the type of an element of an aggregate or vector.
func (t *translator) elementType(n ir.TypeID, index uint64) ir.TypeID {
	typ := t.typ(n)
	switch typ.Kind {
	case ir.TypeStruct:
		if index < uint64(len(typ.Elements)) {
			return typ.Elements[index]
		}
	case ir.TypeArray, ir.TypeVector:
		return typ.Elements[0]
	}
	t.failf("an index into a type that has no such element")
	return 0
}

// constantNumber returns the value of an integer constant, 0 for others.
func constantNumber(pool *ir.ConstantPool, v ir.Value) uint64 {
	if v.Kind == ir.ValueConstant {
		if c := pool.At(v); c.Kind == ir.ConstantInt {
			return c.Words[0]
		}
	}
	return 0
}

// uses unifies the terms of operands with the instruction's types.
func (f *inference) uses(i int, in *ir.Instruction) {
	unify := f.translator.terms.unify
	pointsTo := func(pointer, value ir.Value) {
		if f.isPointer(value.Type) {
			if elem := f.of(value); elem != noTerm {
				space := f.typ(value.Type).AddressSpace
				unify(f.of(pointer), f.translator.terms.add(termNode{kind: termPointer, space: space, elem: elem}))
			}
			return
		}
		unify(f.of(pointer), f.memory(value.Type))
	}
	switch in.Op {
	case ir.OpLoad:
		if !f.isPointer(in.Type) {
			unify(f.of(in.Operands[0]), f.memory(in.Element))
		}
	case ir.OpStore:
		pointsTo(in.Operands[1], in.Operands[0])
	case ir.OpCmpXchg, ir.OpAtomicRMW:
		pointsTo(in.Operands[0], in.Operands[1])
	case ir.OpGEP:
		if f.typ(in.Operands[0].Type).Kind == ir.TypePointer {
			unify(f.of(in.Operands[0]), f.memory(in.Element))
		}
	case ir.OpPhi:
		for j := 0; j+1 < len(in.Operands); j += 2 {
			unify(f.terms[i], f.of(in.Operands[j]))
		}
	case ir.OpSelect:
		unify(f.terms[i], f.of(in.Operands[1]))
		unify(f.terms[i], f.of(in.Operands[2]))
	case ir.OpICmp:
		unify(f.of(in.Operands[0]), f.of(in.Operands[1]))
	case ir.OpRet:
		if len(in.Operands) == 1 {
			unify(f.info.resultTerm, f.of(in.Operands[0]))
		}
	case ir.OpCall:
		f.callUses(in)
	}
}
