package spirv

import (
	"fmt"
	"iter"
	"strings"

	"offlink/lazy"
)

// ID is the number of an identifier, from 1 to the module's bound minus one.
type ID uint32

// Version is a version of SPIR-V as the header encodes it: major<<16 | minor<<8.
type Version uint32

// The versions.
const (
	Version1_0 Version = 0x1_00_00 + iota<<8
	Version1_1
	Version1_2
	Version1_3
	Version1_4
	Version1_5
	Version1_6
)

// String spells the version, "1.4".
func (v Version) String() string {
	return fmt.Sprintf("%d.%d", uint32(v)>>16&0xff, uint32(v)>>8&0xff)
}

// Instruction is one instruction. Words are its operand words, that is all but the first, in
// host byte order. Several modules may share them, so they must not be changed.
type Instruction struct {
	Op    Opcode
	Words []uint32

	offset int // byte offset in the input; 0 for instructions that were not read
}

// Function is a function: a declaration if Body is empty.
type Function struct {
	Def    *Instruction   // OpFunction
	Params []*Instruction // OpFunctionParameter
	// Body is everything from the first OpLabel up to, but not including, the
	// OpFunctionEnd.
	Body []*Instruction
}

// ID returns the function's identifier.
func (f *Function) ID() ID { return ID(f.Def.Words[1]) }

// IsDeclaration reports whether the function has no body.
func (f *Function) IsDeclaration() bool { return len(f.Body) == 0 }

// Module is a SPIR-V module: its instructions by sections of the logical layout, in the order
// of the input. A module does not change after it is made, so goroutines may share it.
type Module struct {
	Version   Version
	Generator uint32
	Bound     uint32

	sections  [sectionFunctions][]*Instruction
	functions []*Function

	defs           idTable[*Instruction]
	decorations    map[ID][]Decoration // by target
	decorationRoom int                 // how many more may be added (maxDecorations)
	names          map[ID]string
}

// section is a part of the logical layout of a module.
type section int

const (
	sectionCapability section = iota
	sectionExtension
	sectionExtInstImport
	sectionMemoryModel
	sectionEntryPoint
	sectionExecutionMode
	sectionDebug      // sources, strings, names, OpModuleProcessed
	sectionAnnotation // decorations
	sectionGlobal     // types, constants, variables, and lines
	sectionFunctions
)

// sectionOf has the opcodes that belong to the sections before the types, and those that
// structure functions. All others belong to the globals or to the body of a function.
var sectionOf = lazy.Map[Opcode, section]{New: func() map[Opcode]section {
	return map[Opcode]section{
		OpCapability:              sectionCapability,
		OpExtension:               sectionExtension,
		OpExtInstImport:           sectionExtInstImport,
		OpMemoryModel:             sectionMemoryModel,
		OpEntryPoint:              sectionEntryPoint,
		OpExecutionMode:           sectionExecutionMode,
		OpExecutionModeId:         sectionExecutionMode,
		OpString:                  sectionDebug,
		OpSource:                  sectionDebug,
		OpSourceExtension:         sectionDebug,
		OpSourceContinued:         sectionDebug,
		OpName:                    sectionDebug,
		OpMemberName:              sectionDebug,
		OpModuleProcessed:         sectionDebug,
		OpDecorate:                sectionAnnotation,
		OpMemberDecorate:          sectionAnnotation,
		OpDecorationGroup:         sectionAnnotation,
		OpGroupDecorate:           sectionAnnotation,
		OpGroupMemberDecorate:     sectionAnnotation,
		OpDecorateId:              sectionAnnotation,
		OpDecorateString:          sectionAnnotation,
		OpMemberDecorateString:    sectionAnnotation,
		OpAliasDomainDeclINTEL:    sectionAnnotation,
		OpAliasScopeDeclINTEL:     sectionAnnotation,
		OpAliasScopeListDeclINTEL: sectionAnnotation,
		OpFunction:                sectionFunctions,
		OpFunctionEnd:             sectionFunctions,
		OpFunctionParameter:       sectionFunctions,
		OpLabel:                   sectionFunctions,
	}
}}

// known yields the instructions that belong in a section. An unknown instruction may stand among
// them, which need not have their words.
func (m *Module) known(s section) iter.Seq[*Instruction] {
	return func(yield func(*Instruction) bool) {
		for _, in := range m.sections[s] {
			if sectionOf.Get()[in.Op] == s && in.Op.grammarInfo() != nil && !yield(in) {
				return
			}
		}
	}
}

// Functions returns the functions in the order of the module, which has declarations before
// definitions.
func (m *Module) Functions() []*Function { return m.functions }

// Globals returns types, constants, variables and lines in order.
func (m *Module) Globals() []*Instruction { return m.sections[sectionGlobal] }

// Def returns the instruction that defines an identifier, or nil if none does.
func (m *Module) Def(id ID) *Instruction { return m.defs.get(id) }

// TypeOf returns the type of the value that id names, or 0 if it has none.
func (m *Module) TypeOf(id ID) ID {
	if in := m.Def(id); in != nil {
		return in.Type()
	}
	return 0
}

// Type returns the instruction's result type, or 0 if it has none.
func (in *Instruction) Type() ID {
	if t, _ := in.Op.resultWords(); t >= 0 && t < len(in.Words) {
		return ID(in.Words[t])
	}
	return 0
}

// Result returns the identifier that the instruction defines, or 0 if it defines none.
func (in *Instruction) Result() ID {
	if _, r := in.Op.resultWords(); r >= 0 && r < len(in.Words) {
		return ID(in.Words[r])
	}
	return 0
}

// Operands returns the words after the result type and the result.
func (in *Instruction) Operands() []uint32 {
	t, r := in.Op.resultWords()
	return in.Words[max(t, r)+1:]
}

// Name returns the name that an OpName gives an identifier, or its number as in "%12".
func (m *Module) Name(id ID) string {
	if name := m.names[id]; name != "" {
		return name
	}
	return fmt.Sprintf("%%%d", uint32(id))
}

// String returns the text of the OpString with identifier id, or "" if id is
// not one.
func (m *Module) String(id ID) string {
	in := m.Def(id)
	if in == nil || in.Op != OpString {
		return ""
	}
	text, _ := getString(in.Words[1:])
	return text
}

// ExtInstSet returns the name of the instruction set that an OpExtInstImport
// imports as id, such as "OpenCL.std", or "" for other identifiers.
func (m *Module) ExtInstSet(id ID) string {
	in := m.Def(id)
	if in == nil || in.Op != OpExtInstImport {
		return ""
	}
	name, _ := getString(in.Words[1:])
	return name
}

// ExtInstName returns the name of an instruction of a set, such as "fmax", or
// "" if it is not known.
func ExtInstName(set string, number uint32) string {
	if info := findInstruction(extendedInstructions(set), number); info != nil {
		return info.name
	}
	return ""
}

// idTable maps the identifiers of a module to values. It is a slice unless the bound is far
// above the number of words: a header of 20 bytes may claim a bound of 2^32-1, and memory
// must stay in proportion to the input. An identifier without a value has the zero value.
type idTable[T any] struct {
	dense  []T
	sparse map[ID]T
}

func newIDTable[T any](bound uint32, words int) idTable[T] {
	if int64(bound) <= 64+4*int64(words) {
		return idTable[T]{dense: make([]T, bound)}
	}
	return idTable[T]{sparse: map[ID]T{}}
}

func (t *idTable[T]) get(id ID) T {
	if t.sparse != nil {
		return t.sparse[id]
	}
	if int64(id) < int64(len(t.dense)) {
		return t.dense[id]
	}
	var zero T
	return zero
}

func (t *idTable[T]) set(id ID, v T) {
	if t.sparse != nil {
		t.sparse[id] = v
		return
	}
	t.dense[id] = v
}

// AddressingModel is the number of an addressing model.
type AddressingModel uint32

// The addressing models.
const (
	AddressingLogical    AddressingModel = 0
	AddressingPhysical32 AddressingModel = 1
	AddressingPhysical64 AddressingModel = 2
)

// String returns the model's name, "Physical64".
func (a AddressingModel) String() string { return enumName(kindAddressingModel, uint32(a)) }

// AddressingModel returns the module's addressing model, Logical if it does
// not declare one.
func (m *Module) AddressingModel() AddressingModel {
	for in := range m.known(sectionMemoryModel) {
		return AddressingModel(in.Words[0])
	}
	return AddressingLogical
}

// IsNonSemantic reports whether the instructions of a set can be dropped without changing the
// results of a module. That is so for the sets of debug information, and for those with the
// prefix that SPV_KHR_non_semantic_info reserves.
func IsNonSemantic(set string) bool {
	return strings.HasPrefix(set, "NonSemantic.") || strings.HasPrefix(set, "OpenCL.DebugInfo.") ||
		set == "DebugInfo" || set == "SPIRV.debug"
}

// Operands returns the identifiers that an instruction of the module uses, in their order, its
// result type among them. It returns nil if the instruction does not fit the grammar.
func (m *Module) Operands(in *Instruction) []ID {
	refs, err := m.operands(in, nil)
	if err != nil {
		return nil
	}
	var ids []ID
	for _, r := range refs {
		if r.kind.isID() && ID(in.Words[r.at]) != in.Result() {
			ids = append(ids, ID(in.Words[r.at]))
		}
	}
	return ids
}
