package ir

// ConstantKind tells decoded constants apart.
type ConstantKind uint8

// The kinds of constants.
const (
	ConstantOther     ConstantKind = iota // not decoded
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
