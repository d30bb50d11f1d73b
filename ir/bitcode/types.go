package bitcode

import (
	"strconv"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// typeRecord is an entry of the type table as read. A partition writes its operands
// again, with the numbers that the types have there.
type typeRecord struct {
	code     uint32
	name     string // of a named struct or target type
	operands []uint64
}

// childFields returns the range of the operands that name types. The reader, the model's types and
// the writer of partitions all use it, so a new type record with types in it needs one line here.
func (t *typeRecord) childFields() (first, last int) {
	n := len(t.operands)
	switch t.code {
	case llvmschema.TypePointer:
		return 0, min(1, n)
	case llvmschema.TypeArray, llvmschema.TypeVector:
		return min(1, n), min(2, n)
	case llvmschema.TypeStructAnon, llvmschema.TypeStructNamed, llvmschema.TypeFunction:
		return min(1, n), n
	case llvmschema.TypeTarget:
		return 1, 1 + int(t.operands[0])
	}
	return 0, 0
}

// readTypes reads the type table. NUMENTRY is a hint for room and is not used: a hostile one would
// ask for gigabytes.
func (r *moduleReader) readTypes(c *bitstream.Cursor) error {
	if r.source.types != nil {
		return c.Errorf("second type table")
	}
	// A name is a record of its own, and belongs to the next struct or target type.
	name := ""
	for {
		e, err := c.Next()
		if err != nil {
			return err
		}
		if e.Kind == bitstream.End {
			return r.checkTypes(c)
		}
		if e.Kind == bitstream.SubBlock {
			continue
		}
		switch c.Code {
		case llvmschema.TypeNumEntries:
		case llvmschema.TypeStructName:
			name = textOf(c.Operands)
		default:
			t := typeRecord{code: c.Code, operands: append([]uint64(nil), c.Operands...)}
			if c.Code == llvmschema.TypeStructNamed || c.Code == llvmschema.TypeOpaque || c.Code == llvmschema.TypeTarget {
				t.name, name = name, ""
			}
			if err := r.addType(c, t); err != nil {
				return err
			}
		}
	}
}

// addType adds a type after its record has been checked against the schema.
func (r *moduleReader) addType(c *bitstream.Cursor, t typeRecord) error {
	if known, ok := llvmschema.Types.Get()[t.code]; !ok {
		return c.Errorf("type record %d is not known: the bitcode is %s", t.code, llvmschema.NewerOrOlder())
	} else if len(t.operands) < known.Least {
		return c.Errorf("type record %d with %d operands", t.code, len(t.operands))
	}
	if t.code == llvmschema.TypeTarget && t.operands[0] >= uint64(len(t.operands)) {
		return c.Errorf("target type with more type parameters than operands")
	}
	r.source.types = append(r.source.types, t)
	r.source.typedPointers = r.source.typedPointers || t.code == llvmschema.TypePointer
	r.module.Types = append(r.module.Types, modelType(&t))
	return nil
}

// checkTypes checks that types are made of types of the table. Only named
// structs may be named before they are defined, so that no type is made of
// itself other than through a pointer or named struct.
func (r *moduleReader) checkTypes(c *bitstream.Cursor) error {
	types := r.source.types
	for i := range types {
		first, last := types[i].childFields()
		for _, v := range types[i].operands[first:last] {
			if v >= uint64(len(types)) {
				return c.Errorf("type %d is made of type %d of %d", i, v, len(types))
			}
			// Walks over types end because of this: a cycle needs a pointer of LLVM 14 or a named
			// struct, at which they stop.
			if v >= uint64(i) && types[v].code != llvmschema.TypeStructNamed && types[v].code != llvmschema.TypeOpaque {
				return c.Errorf("type %d is made of type %d, which follows and is not a named struct", i, v)
			}
		}
	}
	if len(types) > ir.MaxIndex {
		return c.Errorf("%d types", len(types))
	}
	return nil
}

// modelType returns the model's view of a type. Kinds without operands have the names that text
// gives them, so that one set of rules reads both.
func modelType(t *typeRecord) ir.Type {
	first, last := t.childFields()
	m := ir.Type{Elements: make([]ir.TypeID, 0, last-first)}
	for _, v := range t.operands[first:last] {
		// A number beyond the table is refused by checkTypes, which runs when all types are there.
		m.Elements = append(m.Elements, ir.TypeID(min(v, ir.MaxIndex)))
	}
	switch t.code {
	case llvmschema.TypeInteger:
		m.Kind, m.Bits = ir.TypeInteger, uint32(t.operands[0])
	case llvmschema.TypePointer:
		m.Kind = ir.TypePointer
		if len(t.operands) > 1 {
			m.AddressSpace = uint32(t.operands[1])
		}
	case llvmschema.TypeOpaquePointer:
		m.Kind, m.AddressSpace = ir.TypePointer, uint32(t.operands[0])
	case llvmschema.TypeArray:
		m.Kind, m.Length = ir.TypeArray, t.operands[0]
	case llvmschema.TypeVector:
		m.Kind, m.Length = ir.TypeVector, t.operands[0]
		m.Scalable = len(t.operands) > 2 && t.operands[2] != 0
	case llvmschema.TypeStructAnon, llvmschema.TypeStructNamed:
		m.Kind, m.Name, m.Packed = ir.TypeStruct, t.name, t.operands[0] != 0
		m.Identified = t.code == llvmschema.TypeStructNamed
	case llvmschema.TypeOpaque:
		m.Kind, m.Name, m.Opaque, m.Identified = ir.TypeStruct, t.name, true, true
	case llvmschema.TypeFunction:
		m.Kind, m.Variadic = ir.TypeFunction, t.operands[0] != 0
	case llvmschema.TypeTarget:
		m.Kind, m.Name, m.Target = ir.TypeTarget, t.name, t.name
		for _, v := range t.operands[last:] {
			m.Numbers = append(m.Numbers, uint32(v))
		}
	case llvmschema.TypeByte:
		m.Name, m.Bits = "b"+strconv.FormatUint(t.operands[0], 10), uint32(t.operands[0])
	default:
		// The schema has the code, as addType has checked it.
		m.Kind, m.Name, m.Bits = plainType(t.code)
	}
	return m
}

// plainType returns the kind, keyword and width of a type without operands.
func plainType(code uint32) (ir.TypeKind, string, uint32) {
	switch code {
	case llvmschema.TypeHalf:
		return ir.TypeFloat, "half", 16
	case llvmschema.TypeBFloat:
		return ir.TypeFloat, "bfloat", 16
	case llvmschema.TypeFloat:
		return ir.TypeFloat, "float", 32
	case llvmschema.TypeDouble:
		return ir.TypeFloat, "double", 64
	case llvmschema.TypeX86FP80:
		return ir.TypeFloat, "x86_fp80", 80
	case llvmschema.TypeFP128:
		return ir.TypeFloat, "fp128", 128
	case llvmschema.TypePPCFP128:
		return ir.TypeFloat, "ppc_fp128", 128
	case llvmschema.TypeLabel:
		return ir.TypeOther, "label", 0
	case llvmschema.TypeMetadata:
		return ir.TypeOther, "metadata", 0
	case llvmschema.TypeToken:
		return ir.TypeOther, "token", 0
	case llvmschema.TypeX86MMX:
		return ir.TypeOther, "x86_mmx", 64
	case llvmschema.TypeX86AMX:
		return ir.TypeOther, "x86_amx", 8192
	}
	return ir.TypeOther, "void", 0
}
