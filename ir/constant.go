package ir

import "fmt"

// ConstantKind tells decoded constants apart.
type ConstantKind uint8

// The kinds of constants.
const (
	ConstantOther     ConstantKind = iota // not decoded: of a function, or beyond the limits of the readers
	ConstantInt                           // Int, Bits: two's complement in the lowest Bits of Int; at most 64 bits
	ConstantFloat                         // Int holds the bits, Bits the width; at most 64 bits
	ConstantBytes                         // Bytes: an array of i8 (c"..." or elements)
	ConstantAggregate                     // Elements: array, struct or vector
	ConstantZero                          // zeroinitializer, null
	ConstantUndef                         // undef, poison
	ConstantValue                         // Value: address of a global value, casts and constant geps looked through
	ConstantWide                          // Words: the bits of a number of more than 64

	// The rest are of ConstantNode only, which tells poison from undef and
	// has expressions.
	ConstantPoison
	ConstantData         // Words: an array or vector of numbers of at most 64 bits
	ConstantExpression   // Expression, Operands
	ConstantBlockAddress // Operands: the function
)

// Constant is a decoded constant expression.
type Constant struct {
	Kind     ConstantKind
	Type     TypeID
	Int      uint64
	Bits     int
	Bytes    []byte
	Elements []Constant
	Value    ValueID
	// Words are lowest first, as many as the width takes.
	Words []uint64
}

// Limits of a constant's tree. Constants of a pool share parts, so a few nodes can spell
// a tree that has no end in practice.
const (
	maxTreeDepth = 256
	maxTreeParts = 1 << 22
)

// Initializer decodes the initialiser of a variable, or the aliasee or resolver of an alias or
// ifunc. Types that the module does not record are NoType. It is meant for the few variables that
// lists and annotations are made of. A body reader, which keeps constants in a pool that shares
// parts, costs less.
func (m *Module) Initializer(id ValueID) (Constant, error) {
	source, ok := m.Source.(BodySource)
	if !ok {
		return Constant{}, fmt.Errorf("%s: the constants of this module cannot be decoded", m.Path)
	}
	r := source.NewBodyReader()
	var pool ConstantPool
	v, err := r.ReadInitializer(id, &pool)
	if err != nil {
		return Constant{}, err
	}
	c, err := NewConstantTree(m, r.Types(), &pool).Constant(v)
	if err != nil {
		return Constant{}, fmt.Errorf("%s: %s: %w", m.Path, m.Values[id].Name, err)
	}
	return c, nil
}

// ConstantTree makes trees of the constants of a pool.
type ConstantTree struct {
	module *Module
	types  []Type
	pool   *ConstantPool
	parts  int
}

// NewConstantTree returns a ConstantTree for a pool whose types are those of the reader.
func NewConstantTree(m *Module, types []Type, pool *ConstantPool) *ConstantTree {
	return &ConstantTree{module: m, types: types, pool: pool}
}

// Constant returns the tree of a value. A value of a function, and an expression other
// than an address, is ConstantOther. It fails for trees beyond the limits.
func (t *ConstantTree) Constant(v Value) (Constant, error) { return t.expandValue(v, 0) }

func (t *ConstantTree) expandValue(v Value, depth int) (Constant, error) {
	c := Constant{Type: t.recordedType(v.Type)}
	switch v.Kind {
	case ValueGlobal:
		c.Kind, c.Value = ConstantValue, ValueID(v.Index)
		return c, nil
	case ValueConstant:
	default:
		return c, nil
	}
	n := t.pool.At(v)
	t.parts += 1 + len(n.Words) + len(n.Operands)
	switch {
	case depth > maxTreeDepth:
		return c, fmt.Errorf("constant of more than %d levels", maxTreeDepth)
	case t.parts > maxTreeParts:
		return c, fmt.Errorf("constant of more than %d parts", maxTreeParts)
	}
	switch n.Kind {
	case ConstantZero, ConstantUndef:
		c.Kind = n.Kind
	case ConstantPoison:
		c.Kind = ConstantUndef
	case ConstantBytes:
		c.Kind, c.Bytes = ConstantBytes, n.Bytes
	case ConstantInt, ConstantFloat:
		number := scalarConstant(t.types, n)
		number.Type = c.Type
		return number, nil
	case ConstantData:
		return t.dataElements(n, c), nil
	case ConstantAggregate:
		return t.aggregateElements(n, c, depth)
	case ConstantExpression:
		return t.addressBase(n, c, depth)
	}
	return c, nil
}

// recordedType returns the type if the module has it, or NoType: types that only the reader has
// mean nothing to others.
func (t *ConstantTree) recordedType(id TypeID) TypeID {
	if int64(id) < int64(len(t.module.Types)) {
		return id
	}
	return NoType
}

// scalarConstant returns a number, as ConstantWide if it has more than 64 bits.
func scalarConstant(types []Type, n *ConstantNode) Constant {
	c := Constant{Type: n.Type}
	if int64(n.Type) >= int64(len(types)) || len(n.Words) == 0 {
		return c
	}
	c.Kind, c.Int, c.Bits = n.Kind, n.Words[0], int(types[n.Type].Bits)
	if c.Bits > 64 {
		c.Kind, c.Int, c.Words = ConstantWide, 0, n.Words
	}
	return c
}

// dataElements returns the numbers of an array or vector, or a string for an array of bytes.
func (t *ConstantTree) dataElements(n *ConstantNode, c Constant) Constant {
	if int64(n.Type) >= int64(len(t.types)) || len(t.types[n.Type].Elements) != 1 {
		return c
	}
	list := &t.types[n.Type]
	element := &t.types[list.Elements[0]]
	if list.Kind == TypeArray && element.Kind == TypeInteger && element.Bits == 8 {
		c.Kind, c.Bytes = ConstantBytes, make([]byte, len(n.Words))
		for i, w := range n.Words {
			c.Bytes[i] = byte(w)
		}
		return c
	}
	part := Constant{Kind: ConstantInt, Type: t.recordedType(list.Elements[0]), Bits: int(element.Bits)}
	if element.Kind == TypeFloat {
		part.Kind = ConstantFloat
	}
	c.Kind, c.Elements = ConstantAggregate, make([]Constant, len(n.Words))
	for i, w := range n.Words {
		c.Elements[i] = part
		c.Elements[i].Int = w
	}
	return c
}

// aggregateElements expands the elements of an array, struct or vector.
func (t *ConstantTree) aggregateElements(n *ConstantNode, c Constant, depth int) (Constant, error) {
	c.Kind, c.Elements = ConstantAggregate, make([]Constant, len(n.Operands))
	for i, v := range n.Operands {
		var err error
		if c.Elements[i], err = t.expandValue(v, depth+1); err != nil {
			return c, err
		}
	}
	return c, nil
}

// addressBase looks through casts of addresses, and through getelementptrs into global values.
func (t *ConstantTree) addressBase(n *ConstantNode, c Constant, depth int) (Constant, error) {
	if !isAddressOperation(n.Expression.Op) || len(n.Operands) == 0 {
		return c, nil
	}
	base, err := t.expandValue(n.Operands[0], depth+1)
	if err != nil || base.Kind != ConstantValue {
		return c, err
	}
	base.Type = c.Type
	return base, nil
}
