package fromir

import "offlink/ir"

// shape is a pointee in the form in which units pass it to each other: a term without its
// table. It does not change after it is made. A nil shape is that of a value that is not a
// pointer.
type shape struct {
	kind  termKind
	space uint32
	typ   uint32
	elem  *shape
	made  mangledType
}

var (
	unknownShape = &shape{}
	byteShape    = &shape{kind: termMade, made: byteType}
)

// shapeOf returns the shape of a term, with a byte for its unknown part and for a function
// (freezeTerm).
func (u *terms) shapeOf(a term) *shape {
	if a == noTerm {
		return nil
	}
	n := u.nodes[u.findRoot(a)]
	switch n.kind {
	case termUnknown, termFunction:
		return byteShape
	case termPointer:
		return &shape{kind: n.kind, space: n.space, elem: u.shapeOf(n.elem)}
	case termMade, termOpaque:
		return &shape{kind: n.kind, made: *n.made}
	}
	return &shape{kind: n.kind, typ: n.typ}
}

// shapeTerm returns a term of the unit for a shape. An unknown part is a new unknown term.
func (t *translator) shapeTerm(s *shape) term {
	switch {
	case s == nil:
		return noTerm
	case s.kind == termUnknown:
		return t.terms.unknownTerm()
	case s.kind == termPointer:
		return t.terms.addTerm(termNode{kind: termPointer, space: s.space, elem: t.shapeTerm(s.elem)})
	case s.kind == termType:
		return t.exactTerm(ir.TypeID(s.typ))
	case s.kind == termMade || s.kind == termOpaque:
		return t.madeTerm(s.kind, s.made)
	}
	return t.terms.addTerm(termNode{kind: s.kind, typ: s.typ})
}
