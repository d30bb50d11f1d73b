package irtext

import (
	"strconv"

	"offlink/ir"
)

// appendType appends a type as text.
func (t *text) appendType(b []byte, id ir.TypeID) []byte {
	typ := &t.module.Types[id]
	switch typ.Kind {
	case ir.TypeInteger:
		return strconv.AppendUint(append(b, 'i'), uint64(typ.Bits), 10)
	case ir.TypeFloat, ir.TypeOther:
		return append(b, typ.Name...)
	case ir.TypePointer:
		return t.appendPointer(b, typ)
	case ir.TypeArray:
		b = strconv.AppendUint(append(b, '['), typ.Length, 10)
		b = t.appendType(append(b, " x "...), typ.Elements[0])
		return append(b, ']')
	case ir.TypeVector:
		return t.appendVector(b, typ)
	case ir.TypeStruct:
		return t.appendStruct(b, id, typ)
	case ir.TypeFunction:
		b = append(t.appendType(b, typ.Elements[0]), " ("...)
		b = t.appendTypes(b, typ.Elements[1:])
		if typ.Variadic {
			if len(typ.Elements) > 1 {
				b = append(b, ", "...)
			}
			b = append(b, "..."...)
		}
		return append(b, ')')
	case ir.TypeTarget:
		return append(append(append(b, "target("...), typ.Name...), ')')
	}
	return b
}

// appendTypes appends types with commas between them.
func (t *text) appendTypes(b []byte, list []ir.TypeID) []byte {
	for i, e := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = t.appendType(b, e)
	}
	return b
}

// appendPointer appends a pointer type, in the form that the module has.
func (t *text) appendPointer(b []byte, typ *ir.Type) []byte {
	if len(typ.Elements) == 0 {
		return appendSpace(append(b, "ptr"...), typ.AddressSpace)
	}
	return append(appendSpace(t.appendType(b, typ.Elements[0]), typ.AddressSpace), '*')
}

// appendSpace appends an address space after a pointer or its pointee.
func appendSpace(b []byte, space uint32) []byte {
	if space == 0 {
		return b
	}
	b = strconv.AppendUint(append(b, " addrspace("...), uint64(space), 10)
	return append(b, ')')
}

// appendVector appends a vector type.
func (t *text) appendVector(b []byte, typ *ir.Type) []byte {
	b = append(b, '<')
	if typ.Scalable {
		b = append(b, "vscale x "...)
	}
	b = strconv.AppendUint(b, typ.Length, 10)
	b = t.appendType(append(b, " x "...), typ.Elements[0])
	return append(b, '>')
}

// appendStruct appends a literal struct, or the name of an identified one.
func (t *text) appendStruct(b []byte, id ir.TypeID, typ *ir.Type) []byte {
	if typ.Identified {
		return append(b, t.typeText(id)...)
	}
	open, end := "{ ", " }"
	if typ.Packed {
		open, end = "<{ ", " }>"
	}
	return append(t.appendTypes(append(b, open...), typ.Elements), end...)
}
