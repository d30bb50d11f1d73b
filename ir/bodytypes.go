package ir

import "fmt"

// Both codecs derive the types of results that no input states: text leaves
// them out because LLVM's parser derives them too, bitcode because its reader
// does. The rules are those of the Language Reference, once for both.

// TypeInterner numbers types beyond those of a module. Readers of bodies are
// such. It is not safe for concurrent use.
type TypeInterner interface {
	// Types returns the types that TypeIDs count, as [BodyReader.Types] does.
	Types() []Type
	// InternType returns the number of a type that is not an identified
	// struct: the same for equal types.
	InternType(want Type) TypeID
	// IntegerType returns the type of integers of that width.
	IntegerType(bits uint32) TypeID
	// PointerTo returns the type of pointers into an address space. The
	// pointee only counts in modules with typed pointers (before LLVM 15).
	PointerTo(pointee TypeID, space uint32) TypeID
}

// ElementType returns the type of an element of an aggregate or vector. Only structs use the index:
// LLVM, too, does not compare the index of an array with its length.
func ElementType(types []Type, id TypeID, index uint64) (TypeID, error) {
	switch t := typeOf(types, id); t.Kind {
	case TypeStruct:
		if index < uint64(len(t.Elements)) {
			return t.Elements[index], nil
		}
	case TypeArray, TypeVector:
		return t.Elements[0], nil
	}
	return NoType, fmt.Errorf("index %d into a type that has no such element", index)
}

// ComparisonType returns the result type of icmp and fcmp: i1, or for vectors a vector of i1 of the
// same length.
func ComparisonType(n TypeInterner, operand TypeID) TypeID {
	bit := n.IntegerType(1)
	if like := vectorType(n.Types(), operand); like != nil {
		return vectorLike(n, like, bit)
	}
	return bit
}

// ShuffleType returns the result type of shufflevector: the elements are those
// of the vector, their number is that of the mask.
func ShuffleType(n TypeInterner, vector, mask TypeID) (TypeID, error) {
	from, like := vectorType(n.Types(), vector), vectorType(n.Types(), mask)
	if from == nil || like == nil {
		return NoType, fmt.Errorf("shufflevector of a value that is not a vector")
	}
	return vectorLike(n, like, from.Elements[0]), nil
}

// AddressType returns the result type of a getelementptr that indexes element.
// A vector among the operands makes it a vector of addresses, with the other
// operands repeated. A typed pointer points to the part that the indices after
// the first walk to; pool has those that are constants.
func AddressType(n TypeInterner, pool *ConstantPool, element TypeID, operands []Value) (TypeID, error) {
	types := n.Types()
	if len(operands) == 0 || operands[0].Type == NoType {
		return NoType, fmt.Errorf("the type of an address is not known")
	}
	base := typeOf(types, operands[0].Type)
	if base.Kind == TypeVector {
		base = typeOf(types, base.Elements[0])
	}
	if base.Kind != TypePointer {
		return NoType, fmt.Errorf("getelementptr on a value that is not a pointer")
	}
	if len(base.Elements) > 0 {
		for _, v := range operands[min(2, len(operands)):] {
			part, err := ElementType(types, element, pool.structIndex(v))
			if err != nil {
				return NoType, err
			}
			element = part
		}
	}
	pointer := n.PointerTo(element, base.AddressSpace)
	for _, v := range operands {
		if like := vectorType(types, v.Type); like != nil {
			return vectorLike(n, like, pointer), nil
		}
	}
	return pointer, nil
}

// typeOf returns the type of that number. Labels and values whose type the reader could not tell
// have NoType, for which it returns a type of no kind. The comparison is unsigned, as NoType is -1
// where an int has 32 bits.
func typeOf(types []Type, id TypeID) *Type {
	if uint64(id) < uint64(len(types)) {
		return &types[id]
	}
	return new(Type)
}

// vectorType returns the type of that number if it is a vector, else nil.
func vectorType(types []Type, id TypeID) *Type {
	if t := typeOf(types, id); t.Kind == TypeVector {
		return t
	}
	return nil
}

// vectorLike returns the type of vectors that are as long as another.
func vectorLike(n TypeInterner, like *Type, element TypeID) TypeID {
	return n.InternType(Type{Kind: TypeVector, Length: like.Length, Scalable: like.Scalable, Elements: []TypeID{element}})
}

// structIndex returns the number that an index of getelementptr stands for, or 0 for one that is
// computed: only arrays, which do not use it, allow those. In a vector of indices into a struct,
// all are equal.
func (p *ConstantPool) structIndex(v Value) uint64 {
	if v.Kind != ValueConstant {
		return 0
	}
	switch c := p.At(v); {
	case (c.Kind == ConstantInt || c.Kind == ConstantData) && len(c.Words) > 0:
		return c.Words[0]
	case c.Kind == ConstantAggregate && len(c.Operands) > 0:
		return p.structIndex(c.Operands[0])
	}
	return 0
}

// longestMask bounds the masks that are decoded. A type may claim any length,
// and zeroinitializer fills it without a byte of input.
const longestMask = 1 << 16

// ShuffleMask returns the numbers of a shufflevector's mask, which is a
// constant vector of i32; [UndefIndex] stands for elements that are undefined.
func (p *ConstantPool) ShuffleMask(types []Type, mask Value) ([]uint32, error) {
	t := vectorType(types, mask.Type)
	if t == nil || typeOf(types, t.Elements[0]).Kind != TypeInteger || mask.Kind != ValueConstant || t.Length > longestMask {
		return nil, fmt.Errorf("the mask of a shufflevector is not a constant vector")
	}
	list := make([]uint32, t.Length)
	switch c := p.At(mask); c.Kind {
	case ConstantUndef, ConstantPoison:
		for i := range list {
			list[i] = UndefIndex
		}
	case ConstantData:
		for i := range min(len(list), len(c.Words)) {
			list[i] = uint32(c.Words[i])
		}
	case ConstantAggregate:
		for i := range min(len(list), len(c.Operands)) {
			list[i] = p.maskElement(c.Operands[i])
		}
	}
	return list, nil
}

// maskElement returns an element of a mask that is an aggregate, as one with
// undefined elements is.
func (p *ConstantPool) maskElement(v Value) uint32 {
	if v.Kind == ValueConstant {
		if c := p.At(v); c.Kind == ConstantInt && len(c.Words) > 0 {
			return uint32(c.Words[0])
		}
	}
	return UndefIndex
}
