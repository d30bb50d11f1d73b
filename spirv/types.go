package spirv

import (
	"fmt"
	"strings"
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

// String is the storage class's name.
func (s StorageClass) String() string { return enumName(kindStorageClass, uint32(s)) }

// TypeString spells a type for messages: "int", "float4", "int (float *
// CrossWorkgroup)", "struct foo". Integers are spelled unsigned only where
// the module says so, which OpenCL modules never do.
func (m *Module) TypeString(id ID) string {
	s := typeSpeller{m: m, room: 60}
	s.spell(id)
	return s.String()
}

// typeSpeller writes at most room parts of a type: types may be wide, and
// through pointers they may contain themselves.
type typeSpeller struct {
	strings.Builder
	m    *Module
	room int
}

func (s *typeSpeller) spell(id ID) {
	if s.room--; s.room < 0 {
		s.WriteString("...")
		return
	}
	in := s.m.Def(id)
	if in == nil {
		fmt.Fprintf(s, "%%%d", uint32(id))
		return
	}
	if spell := typeSpellings[in.Op]; spell != nil {
		spell(s, in)
		return
	}
	s.WriteString(strings.TrimPrefix(in.Op.String(), "OpType"))
}

var typeSpellings map[Opcode]func(s *typeSpeller, in *Instruction)

func init() {
	typeSpellings = map[Opcode]func(s *typeSpeller, in *Instruction){
		OpTypeVoid:     func(s *typeSpeller, in *Instruction) { s.WriteString("void") },
		OpTypeBool:     func(s *typeSpeller, in *Instruction) { s.WriteString("bool") },
		OpTypeInt:      (*typeSpeller).integer,
		OpTypeFloat:    (*typeSpeller).float,
		OpTypeVector:   (*typeSpeller).vector,
		OpTypeArray:    (*typeSpeller).array,
		OpTypeStruct:   (*typeSpeller).structure,
		OpTypePointer:  (*typeSpeller).pointer,
		OpTypeFunction: (*typeSpeller).function,
	}
}

var (
	integerNames = map[uint32]string{8: "char", 16: "short", 32: "int", 64: "long"}
	floatNames   = map[uint32]string{16: "half", 32: "float", 64: "double"}
)

func (s *typeSpeller) integer(in *Instruction) {
	name, ok := integerNames[in.Words[1]]
	if !ok {
		name = fmt.Sprintf("int%d", in.Words[1])
	}
	s.WriteString(name)
}

func (s *typeSpeller) float(in *Instruction) {
	name, ok := floatNames[in.Words[1]]
	if !ok {
		name = fmt.Sprintf("float%d", in.Words[1])
	}
	s.WriteString(name)
}

func (s *typeSpeller) vector(in *Instruction) {
	s.spell(ID(in.Words[1]))
	fmt.Fprint(s, in.Words[2])
}

func (s *typeSpeller) array(in *Instruction) {
	s.spell(ID(in.Words[1]))
	if n, ok := s.m.ConstantInt(ID(in.Words[2])); ok {
		fmt.Fprintf(s, "[%d]", n)
		return
	}
	s.WriteString("[]")
}

func (s *typeSpeller) structure(in *Instruction) {
	name := s.m.names[in.Result()]
	if kind, tag, ok := strings.Cut(name, "."); ok && tag != "" { // LLVM's "struct.point"
		s.WriteString(kind + " " + tag)
		return
	}
	if name != "" {
		s.WriteString("struct " + name)
		return
	}
	s.list("struct {", in.Words[1:], "}")
}

func (s *typeSpeller) pointer(in *Instruction) {
	s.spell(ID(in.Words[2]))
	fmt.Fprintf(s, " * %v", StorageClass(in.Words[1]))
}

func (s *typeSpeller) function(in *Instruction) {
	s.spell(ID(in.Words[1]))
	s.list(" (", in.Words[2:], ")")
}

func (s *typeSpeller) list(open string, ids []uint32, end string) {
	s.WriteString(open)
	for i, id := range ids {
		if s.room < 0 {
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.spell(ID(id))
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
