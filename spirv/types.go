package spirv

import (
	"fmt"
	"strings"

	"offlink/lazy"
)

// StorageClass is the number of a storage class.
type StorageClass uint32

// The storage classes of kernels.
const (
	StorageUniformConstant  StorageClass = 0
	StorageInput            StorageClass = 1
	StorageWorkgroup        StorageClass = 4
	StorageCrossWorkgroup   StorageClass = 5
	StoragePrivate          StorageClass = 6
	StorageFunction         StorageClass = 7
	StorageGeneric          StorageClass = 8
	StorageCodeSectionINTEL StorageClass = 5605
	StorageDeviceOnlyINTEL  StorageClass = 5936
	StorageHostOnlyINTEL    StorageClass = 5937
)

// String returns the storage class's name.
func (s StorageClass) String() string { return enumName(kindStorageClass, uint32(s)) }

// TypeString spells a type for messages: "int", "float4", "int (float * CrossWorkgroup)",
// "struct foo". Integers have the names of signed types: OpenCL modules do not tell the sign.
func (m *Module) TypeString(id ID) string {
	s := typeSpeller{m: m, room: 60}
	s.spellType(id)
	return s.String()
}

// typeSpeller spells types. It writes at most room parts of one: types may be wide, and may
// contain themselves through pointers.
type typeSpeller struct {
	strings.Builder
	m    *Module
	room int
}

// spellType spells a type and counts it; beyond room it writes dots, which also ends circles.
func (s *typeSpeller) spellType(id ID) {
	if s.room--; s.room < 0 {
		s.WriteString("...")
		return
	}
	in := s.m.Def(id)
	if in == nil {
		fmt.Fprintf(s, "%%%d", uint32(id))
		return
	}
	if spell := typeSpelling(in.Op); spell != nil {
		spell(s, in)
		return
	}
	s.WriteString(strings.TrimPrefix(in.Op.String(), "OpType"))
}

// typeSpelling returns the function that spells a type, nil for those that have no parts.
func typeSpelling(op Opcode) func(s *typeSpeller, in *Instruction) {
	switch op {
	case OpTypeVoid:
		return func(s *typeSpeller, in *Instruction) { s.WriteString("void") }
	case OpTypeBool:
		return func(s *typeSpeller, in *Instruction) { s.WriteString("bool") }
	case OpTypeInt:
		return (*typeSpeller).spellInteger
	case OpTypeFloat:
		return (*typeSpeller).spellFloat
	case OpTypeVector:
		return (*typeSpeller).spellVector
	case OpTypeArray:
		return (*typeSpeller).spellArray
	case OpTypeStruct:
		return (*typeSpeller).spellStruct
	case OpTypePointer:
		return (*typeSpeller).spellPointer
	case OpTypeFunction:
		return (*typeSpeller).spellFunction
	}
	return nil
}

var (
	integerNames = lazy.Map[uint32, string]{New: func() map[uint32]string {
		return map[uint32]string{8: "char", 16: "short", 32: "int", 64: "long"}
	}}
	floatNames = lazy.Map[uint32, string]{New: func() map[uint32]string {
		return map[uint32]string{16: "half", 32: "float", 64: "double"}
	}}
)

func (s *typeSpeller) spellInteger(in *Instruction) {
	name, ok := integerNames.Get()[in.Words[1]]
	if !ok {
		name = fmt.Sprintf("int%d", in.Words[1])
	}
	s.WriteString(name)
}

func (s *typeSpeller) spellFloat(in *Instruction) {
	name, ok := floatNames.Get()[in.Words[1]]
	if !ok {
		name = fmt.Sprintf("float%d", in.Words[1])
	}
	s.WriteString(name)
}

func (s *typeSpeller) spellVector(in *Instruction) {
	s.spellType(ID(in.Words[1]))
	fmt.Fprint(s, in.Words[2])
}

func (s *typeSpeller) spellArray(in *Instruction) {
	s.spellType(ID(in.Words[1]))
	if n, ok := s.m.ConstantInt(ID(in.Words[2])); ok {
		fmt.Fprintf(s, "[%d]", n)
		return
	}
	s.WriteString("[]")
}

// spellStruct spells a struct by its name, "struct point" for LLVM's struct.point, or by its
// members if it has none.
func (s *typeSpeller) spellStruct(in *Instruction) {
	name := s.m.names[in.Result()]
	if kind, tag, ok := strings.Cut(name, "."); ok && tag != "" { // LLVM's "struct.point"
		s.WriteString(kind + " " + tag)
		return
	}
	if name != "" {
		s.WriteString("struct " + name)
		return
	}
	s.spellList("struct {", in.Words[1:], "}")
}

func (s *typeSpeller) spellPointer(in *Instruction) {
	s.spellType(ID(in.Words[2]))
	fmt.Fprintf(s, " * %v", StorageClass(in.Words[1]))
}

func (s *typeSpeller) spellFunction(in *Instruction) {
	s.spellType(ID(in.Words[1]))
	s.spellList(" (", in.Words[2:], ")")
}

func (s *typeSpeller) spellList(open string, ids []uint32, end string) {
	s.WriteString(open)
	for i, id := range ids {
		if s.room < 0 {
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.spellType(ID(id))
	}
	s.WriteString(end)
}

// ConstantInt returns the value of an integer constant of up to 64 bits,
// zero-extended from its width.
func (m *Module) ConstantInt(id ID) (uint64, bool) {
	in := m.Def(id)
	if in == nil {
		return 0, false
	}
	t := m.Def(in.Type())
	if t == nil || t.Op != OpTypeInt {
		return 0, false
	}
	switch in.Op {
	case OpConstantNull:
		return 0, true
	case OpConstant, OpSpecConstant:
		return constantWords(in.Words[2:], t.Words[1])
	}
	return 0, false
}

// constantWords joins the words of a constant of that width. Bits above the width are cleared,
// as a signed constant may have its sign there.
func constantWords(words []uint32, width uint32) (uint64, bool) {
	if width == 0 || width > 64 || len(words) != int(width+31)/32 {
		return 0, false
	}
	v := uint64(words[0])
	if len(words) == 2 {
		v |= uint64(words[1]) << 32
	}
	return v << (64 - width) >> (64 - width), true
}
