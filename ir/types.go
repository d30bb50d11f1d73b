package ir

import "strconv"

// TypeKind tells types apart.
type TypeKind uint8

// The kinds of types.
const (
	TypeOther    TypeKind = iota // void, label, metadata, token, x86_amx, ...
	TypeInteger                  // Bits
	TypeFloat                    // Bits; Name is "half", "bfloat", "float", "double", ...
	TypePointer                  // AddressSpace; Elements is the pointee of a typed pointer, else empty
	TypeArray                    // Length, Elements[0]
	TypeVector                   // Length, Elements[0]; Scalable
	TypeStruct                   // Elements; Identified and Name, or literal; Packed; Opaque
	TypeFunction                 // Elements[0] is the result, the rest parameters; Variadic
	TypeTarget                   // target("..."): Target, Numbers, Elements
)

// Type is one type of the module. Equal types other than identified structs have
// one TypeID.
type Type struct {
	Kind         TypeKind
	Name         string
	Identified   bool // a struct with a definition of its own; Name is "" when it only has a number
	Bits         uint32
	AddressSpace uint32
	Length       uint64
	Elements     []TypeID
	Packed       bool
	Opaque       bool
	Scalable     bool
	Variadic     bool
	// Target is the name of a target extension type, Numbers its integer
	// parameters; Elements are the type parameters.
	Target  string
	Numbers []uint32
	// Alias says that text gives the type Of a name. The other fields but Name
	// and Identified are those of that type.
	Alias bool
	Of    TypeID
}

// NumberTypeText spells the type of a number of a usual width, or of a vector of such,
// as text does; "" for other types.
func NumberTypeText(types []Type, id TypeID) string {
	if int(id) >= len(types) {
		return ""
	}
	switch t := &types[id]; t.Kind {
	case TypeInteger:
		switch t.Bits {
		case 1, 8, 16, 32, 64:
			return "i" + strconv.Itoa(int(t.Bits))
		}
	case TypeFloat:
		switch t.Name {
		case "half", "bfloat", "float", "double":
			return t.Name
		}
	case TypeVector:
		if element := NumberTypeText(types, t.Elements[0]); element != "" && !t.Scalable && element[0] != '<' {
			return "<" + strconv.FormatUint(t.Length, 10) + " x " + element + ">"
		}
	}
	return ""
}
