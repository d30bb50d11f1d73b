package fromir

import (
	"slices"

	"offlink/ir"
)

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

// termNode is a term. The root of a class has the known facts; in others only parent counts.
type termNode struct {
	parent term
	kind   termKind
	space  uint32
	elem   term
	typ    uint32
	made   *mangledType
	loads  int // the length of the chain of loads that made it
}

// maxLoads bounds how deep pointers to pointers are inferred: a chain of loads in hostile
// input is as long as the body.
const maxLoads = 16

// terms holds the equivalence classes of terms with the facts that are known of each: a
// union-find structure, with a table of the terms of types that need only one.
type terms struct {
	nodes  []termNode
	byType map[ir.TypeID]term
	byMade map[mangledType]term
}

// resetTerms empties the table and keeps its memory.
func (u *terms) resetTerms() {
	u.nodes = u.nodes[:0]
	clear(u.byType)
	clear(u.byMade)
}

// addTerm adds a term that is a class of its own.
func (u *terms) addTerm(n termNode) term {
	n.parent = term(len(u.nodes))
	u.nodes = append(u.nodes, n)
	return n.parent
}

// unknownTerm returns a new term of which nothing is known.
func (u *terms) unknownTerm() term { return u.addTerm(termNode{}) }

// findRoot returns the term that represents the class of a term. It shortens the path.
func (u *terms) findRoot(t term) term {
	for u.nodes[t].parent != t {
		u.nodes[t].parent = u.nodes[u.nodes[t].parent].parent
		t = u.nodes[t].parent
	}
	return t
}

// unifyTerms merges the classes of two terms. It returns false and changes nothing if they
// are known to differ, or if one of them is noTerm.
func (u *terms) unifyTerms(a, b term) bool {
	if a == noTerm || b == noTerm {
		return false
	}
	if a, b = u.findRoot(a), u.findRoot(b); a == b {
		return true
	}
	x, y := &u.nodes[a], &u.nodes[b]
	switch {
	case x.kind == termUnknown:
		return u.bindUnknown(a, b)
	case y.kind == termUnknown:
		return u.bindUnknown(b, a)
	case x.kind != y.kind || x.space != y.space || x.typ != y.typ:
		return false
	case x.made != nil:
		return *x.made == *y.made
	case x.kind == termPointer:
		return u.unifyTerms(x.elem, y.elem)
	}
	return true
}

// bindUnknown makes an unknown term the same as another. It refuses a term that contains the
// unknown one, which would have no finite type, and one that is nested too deep to tell.
func (u *terms) bindUnknown(unknown, known term) bool {
	for t, depth := known, 0; u.nodes[t].kind == termPointer; depth++ {
		t = u.findRoot(u.nodes[t].elem)
		if t == unknown || depth > 16 {
			return false
		}
	}
	u.nodes[unknown].parent = known
	return true
}

// memoryTerm returns the term of a type of values in memory. An opaque pointer there has a
// pointee of its own that is still to be found.
func (t *translator) memoryTerm(n ir.TypeID) term {
	if typ := t.moduleType(n); typ.Kind == ir.TypePointer {
		if len(typ.Elements) == 0 {
			return t.terms.addTerm(termNode{kind: termPointer, space: typ.AddressSpace, elem: t.terms.unknownTerm()})
		}
		if t.isPointer(n) {
			return t.terms.addTerm(termNode{kind: termPointer, space: typ.AddressSpace, elem: t.memoryTerm(typ.Elements[0])})
		}
	}
	return t.exactTerm(n)
}

// memberTerm returns the term of a type that is part of an aggregate. Opaque pointers point
// to bytes there, since the type of the aggregate must be the same in every function.
func (t *translator) memberTerm(n ir.TypeID) term {
	if typ := t.moduleType(n); typ.Kind == ir.TypePointer && len(typ.Elements) == 0 {
		return t.terms.addTerm(termNode{kind: termPointer, space: typ.AddressSpace, elem: t.byteTerm()})
	}
	return t.memoryTerm(n)
}

// exactTerm returns the term of a type that is taken as it is, without an inferred part.
func (t *translator) exactTerm(n ir.TypeID) term {
	if known, ok := t.terms.byType[n]; ok {
		return known
	}
	made := term(0)
	if number, ok := t.numberType(n); ok {
		made = t.madeTerm(termMade, number)
	} else {
		made = t.terms.addTerm(termNode{kind: termType, typ: uint32(n)})
	}
	t.terms.byType[n] = made
	return made
}

// byteTerm returns the term of a byte.
func (t *translator) byteTerm() term { return t.madeTerm(termMade, byteType) }

// isPointer reports whether a type is a pointer in SPIR-V too. A typed pointer to an opaque
// struct of OpenCL is not: it is the opaque type itself.
func (t *translator) isPointer(n ir.TypeID) bool {
	if n == ir.NoType {
		return false
	}
	typ := t.moduleType(n)
	if typ.Kind != ir.TypePointer {
		return false
	}
	if len(typ.Elements) == 0 {
		return true
	}
	p := t.moduleType(typ.Elements[0])
	return p.Kind != ir.TypeStruct || !p.Opaque || !t.isOpenCLStruct(p.Name)
}

// pointeeShape is pointeeTerm as a shape.
func (t *translator) pointeeShape(n ir.TypeID) *shape {
	if !t.isPointer(n) {
		return nil
	}
	if typ := t.moduleType(n); len(typ.Elements) > 0 {
		return t.memoryShape(typ.Elements[0])
	}
	return unknownShape
}

// memoryShape is memoryTerm as a shape.
func (t *translator) memoryShape(n ir.TypeID) *shape {
	typ := t.moduleType(n)
	if typ.Kind == ir.TypePointer && len(typ.Elements) == 0 {
		return &shape{kind: termPointer, space: typ.AddressSpace, elem: unknownShape}
	}
	if typ.Kind == ir.TypePointer && t.isPointer(n) {
		return &shape{kind: termPointer, space: typ.AddressSpace, elem: t.memoryShape(typ.Elements[0])}
	}
	return &shape{kind: termType, typ: uint32(n)}
}

// pointeeTerm returns the term of a pointer type's pointee: an unknown one for an opaque
// pointer, noTerm for types that are not pointers.
func (t *translator) pointeeTerm(n ir.TypeID) term {
	if !t.isPointer(n) {
		return noTerm
	}
	if typ := t.moduleType(n); len(typ.Elements) > 0 {
		return t.memoryTerm(typ.Elements[0])
	}
	return t.terms.unknownTerm()
}

// termID returns the type that a term stands for, a byte if it is unknown.
func (t *translator) termID(a term) id {
	n := t.terms.nodes[t.terms.findRoot(a)]
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
	if n := &t.terms.nodes[t.terms.findRoot(a)]; n.kind == termOpaque {
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

// inferPointees finds the pointees of the pointers of a body, and with them those of its
// function's parameters and result. It returns the terms of the instructions.
func (t *translator) inferPointees(body *ir.Body, info *functionInfo) []term {
	t.memory.terms = slices.Grow(t.memory.terms[:0], len(body.Instructions))[:len(body.Instructions)]
	f := &inference{translator: t, body: body, info: info, terms: t.memory.terms}
	for i := range f.terms {
		f.terms[i] = noTerm
	}
	for i := range body.Instructions {
		in := &body.Instructions[i]
		if t.isPointer(in.Type) {
			f.defineTerm(i, f.instructionTerm(in))
		}
		f.unifyUses(i, in)
	}
	return f.terms
}

// defineTerm sets the term of an instruction. A use before the instruction may have made
// one already: the two are unified, or the new one wins.
func (f *inference) defineTerm(i int, found term) {
	if f.terms[i] == noTerm || !f.translator.terms.unifyTerms(f.terms[i], found) {
		f.terms[i] = found
	}
}

// termOf returns the term of a value, noTerm for one that has no pointee of its own.
func (f *inference) termOf(v ir.Value) term {
	switch v.Kind {
	case ir.ValueArgument:
		return f.info.parameters[v.Index]
	case ir.ValueInstruction:
		if f.terms[v.Index] == noTerm && f.isPointer(v.Type) {
			f.terms[v.Index] = f.pointeeTerm(v.Type)
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
		if c.Kind != ir.ConstantExpression || !t.isPointer(c.Type) || t.isBlockBody(pool, v) {
			return noTerm
		}
		if len(t.moduleType(c.Type).Elements) > 0 {
			return t.pointeeTerm(c.Type)
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

// instructionTerm returns the term of an instruction's result, by its operands.
func (f *inference) instructionTerm(in *ir.Instruction) term {
	if len(f.moduleType(in.Type).Elements) > 0 {
		return f.pointeeTerm(in.Type)
	}
	found := noTerm
	switch in.Op {
	case ir.OpAlloca:
		return f.memoryTerm(in.Element)
	case ir.OpGEP:
		return f.addressTerm(&f.body.Constants, in, in.Operands, f.termOf)
	case ir.OpLoad:
		return f.loadedTerm(in)
	case ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpFreeze:
		found = f.termOf(in.Operands[0])
	case ir.OpPhi:
		for i := 0; i+1 < len(in.Operands) && found == noTerm; i += 2 {
			if v := in.Operands[i]; v.Kind != ir.ValueInstruction || f.terms[v.Index] != noTerm {
				found = f.termOf(v)
			}
		}
	case ir.OpSelect:
		if found = f.termOf(in.Operands[1]); found == noTerm {
			found = f.termOf(in.Operands[2])
		}
	case ir.OpCall:
		found = f.callResult(in)
	case ir.OpExtractValue, ir.OpExtractElement:
		return f.byteTerm()
	case ir.OpAtomicRMW:
		found = f.termOf(in.Operands[1])
	}
	if found == noTerm {
		return f.translator.terms.unknownTerm()
	}
	return found
}

// loadedTerm returns the term of a pointer that is loaded: the memory that it comes from
// holds pointers to it. Beyond maxLoads the two are not connected.
func (f *inference) loadedTerm(in *ir.Instruction) term {
	terms := &f.translator.terms
	base, loads := f.termOf(in.Operands[0]), 1
	if base != noTerm {
		loads += terms.nodes[terms.findRoot(base)].loads
	}
	elem := terms.addTerm(termNode{loads: loads})
	want := terms.addTerm(termNode{kind: termPointer, space: f.moduleType(in.Type).AddressSpace, elem: elem, loads: loads})
	if base != noTerm && loads <= maxLoads {
		terms.unifyTerms(base, want)
	} else {
		terms.nodes[elem].loads = 0
	}
	return elem
}

// addressTerm returns the term of the address that a getelementptr computes: that of the
// member to which its indices lead. Steps over opaque pointers keep the term of their base,
// which knows more about the pointers than the element type does.
func (t *translator) addressTerm(pool *ir.ConstantPool, in *ir.Instruction, operands []ir.Value, of func(ir.Value) term) term {
	if t.isOpaquePointer(in.Element) && len(operands) == 2 && t.moduleType(in.Type).Kind != ir.TypeVector {
		if base := of(operands[0]); base != noTerm {
			if n := t.terms.nodes[t.terms.findRoot(base)]; n.kind == termPointer || n.kind == termUnknown {
				return base
			}
		}
		return t.memoryTerm(in.Element)
	}
	element := in.Element
	if len(operands) > 2 {
		for _, v := range operands[2:] {
			element = t.elementType(element, constantNumber(pool, v))
		}
	}
	return t.memberTerm(element)
}

func (t *translator) isOpaquePointer(n ir.TypeID) bool {
	typ := t.moduleType(n)
	return typ.Kind == ir.TypePointer && len(typ.Elements) == 0
}

// elementType returns the type of an element of an aggregate or vector.
func (t *translator) elementType(n ir.TypeID, index uint64) ir.TypeID {
	typ := t.moduleType(n)
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

// unifyPointee notes that a value of that type is where the pointer leads.
func (f *inference) unifyPointee(pointer, value ir.Value) {
	terms := &f.translator.terms
	if !f.isPointer(value.Type) {
		terms.unifyTerms(f.termOf(pointer), f.memoryTerm(value.Type))
		return
	}
	if elem := f.termOf(value); elem != noTerm {
		space := f.moduleType(value.Type).AddressSpace
		terms.unifyTerms(f.termOf(pointer), terms.addTerm(termNode{kind: termPointer, space: space, elem: elem}))
	}
}

// unifyUses unifies the terms of an instruction's operands with the types that it states,
// and with each other where it wants them equal.
func (f *inference) unifyUses(i int, in *ir.Instruction) {
	unify := f.translator.terms.unifyTerms
	switch in.Op {
	case ir.OpLoad:
		if !f.isPointer(in.Type) {
			unify(f.termOf(in.Operands[0]), f.memoryTerm(in.Element))
		}
	case ir.OpStore:
		f.unifyPointee(in.Operands[1], in.Operands[0])
	case ir.OpCmpXchg, ir.OpAtomicRMW:
		f.unifyPointee(in.Operands[0], in.Operands[1])
	case ir.OpGEP:
		if f.moduleType(in.Operands[0].Type).Kind == ir.TypePointer {
			unify(f.termOf(in.Operands[0]), f.memoryTerm(in.Element))
		}
	case ir.OpPhi:
		for j := 0; j+1 < len(in.Operands); j += 2 {
			unify(f.terms[i], f.termOf(in.Operands[j]))
		}
	case ir.OpSelect:
		unify(f.terms[i], f.termOf(in.Operands[1]))
		unify(f.terms[i], f.termOf(in.Operands[2]))
	case ir.OpICmp:
		unify(f.termOf(in.Operands[0]), f.termOf(in.Operands[1]))
	case ir.OpRet:
		if len(in.Operands) == 1 {
			unify(f.info.resultTerm, f.termOf(in.Operands[0]))
		}
	case ir.OpCall:
		f.callUses(in)
	}
}
