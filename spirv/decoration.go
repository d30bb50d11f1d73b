package spirv

import "slices"

import "offlink/lazy"

// Decoration is one decoration of an identifier or of a member of a struct
// type. Decoration groups are already taken apart.
type Decoration struct {
	Kind   DecorationKind
	Member int      // of a struct type; -1 for the identifier itself
	Words  []uint32 // the parameters

	op Opcode // the instruction that applies it to a single identifier
}

// DecorationKind is the number of a decoration.
type DecorationKind uint32

// String returns the decoration's name, "Alignment", or its number if the grammar does not
// have it.
func (k DecorationKind) String() string { return enumName(kindDecoration, uint32(k)) }

// The decorations that offlink reads.
const (
	DecorationSpecId            DecorationKind = 1
	DecorationCPacked           DecorationKind = 10
	DecorationBuiltIn           DecorationKind = 11
	DecorationConstant          DecorationKind = 22
	DecorationSaturated         DecorationKind = 28
	DecorationFuncParamAttr     DecorationKind = 38
	DecorationFPRoundingMode    DecorationKind = 39
	DecorationLinkageAttributes DecorationKind = 41
	DecorationAlignment         DecorationKind = 44

	// The name under which the host finds a device global, in the numbering of
	// SPV_INTEL_global_variable_decorations (the older one) and of
	// SPV_INTEL_global_variable_host_access.
	DecorationHostAccessOldINTEL DecorationKind = 6147
	DecorationHostAccessINTEL    DecorationKind = 6188
)

// Decorations returns the decorations of an identifier and, if it is a struct
// type, those of its members, which have a Member of 0 or more.
func (m *Module) Decorations(id ID) []Decoration { return m.decorations[id] }

// Decoration returns the parameters of the first decoration of a kind that
// the identifier itself has.
func (m *Module) Decoration(id ID, kind DecorationKind) (words []uint32, ok bool) {
	for _, d := range m.decorations[id] {
		if d.Kind == kind && d.Member < 0 {
			return d.Words, true
		}
	}
	return nil, false
}

// IsBuiltIn returns which built-in variable a variable is, and whether it is one that the device
// provides (decoration BuiltIn).
func (m *Module) IsBuiltIn(id ID) (BuiltIn, bool) {
	words, ok := m.Decoration(id, DecorationBuiltIn)
	if !ok {
		return 0, false
	}
	return BuiltIn(words[0]), true
}

// BuiltIn is the number of a built-in variable.
type BuiltIn uint32

// The built-in variables of kernels.
const (
	BuiltInNumWorkgroups             BuiltIn = 24
	BuiltInWorkgroupSize             BuiltIn = 25
	BuiltInWorkgroupId               BuiltIn = 26
	BuiltInLocalInvocationId         BuiltIn = 27
	BuiltInGlobalInvocationId        BuiltIn = 28
	BuiltInLocalInvocationIndex      BuiltIn = 29
	BuiltInWorkDim                   BuiltIn = 30
	BuiltInGlobalSize                BuiltIn = 31
	BuiltInEnqueuedWorkgroupSize     BuiltIn = 32
	BuiltInGlobalOffset              BuiltIn = 33
	BuiltInGlobalLinearId            BuiltIn = 34
	BuiltInSubgroupSize              BuiltIn = 36
	BuiltInSubgroupMaxSize           BuiltIn = 37
	BuiltInNumSubgroups              BuiltIn = 38
	BuiltInNumEnqueuedSubgroups      BuiltIn = 39
	BuiltInSubgroupId                BuiltIn = 40
	BuiltInSubgroupLocalInvocationId BuiltIn = 41
	BuiltInSubgroupEqMask            BuiltIn = 4416
	BuiltInSubgroupGeMask            BuiltIn = 4417
	BuiltInSubgroupGtMask            BuiltIn = 4418
	BuiltInSubgroupLeMask            BuiltIn = 4419
	BuiltInSubgroupLtMask            BuiltIn = 4420
)

// String returns the built-in's name, "GlobalInvocationId".
func (b BuiltIn) String() string { return enumName(kindBuiltIn, uint32(b)) }

// indexAnnotations fills the decorations and names of a module whose
// instructions fit the grammar.
func (m *Module) indexAnnotations(words int) error {
	m.decorations = map[ID][]Decoration{}
	m.names = map[ID]string{}
	m.decorationRoom = maxDecorations(words)
	for _, in := range m.sections[sectionAnnotation] {
		if index := annotations.Get()[in.Op]; index != nil {
			index(m, in.Words)
		}
		if m.decorationRoom <= 0 {
			return in.errorf("its groups make more decorations than the size of the module allows")
		}
	}
	for _, in := range m.sections[sectionDebug] {
		if in.Op == OpName {
			m.names[ID(in.Words[0])], _ = getString(in.Words[1:])
		}
	}
	return nil
}

// maxDecorations bounds the decorations of a module: groups that are applied to many targets, and
// to other groups, would multiply them exponentially.
func maxDecorations(words int) int { return 1024 + 8*words }

// annotations has the functions that index each kind of annotation. The decorations of a group
// must precede the instructions that apply it: these are indexed when they are met.
var annotations = lazy.Map[Opcode, func(m *Module, words []uint32)]{New: func() map[Opcode]func(m *Module, words []uint32) {
	return map[Opcode]func(m *Module, words []uint32){
		OpDecorate:             decorate(OpDecorate),
		OpDecorateId:           decorate(OpDecorateId),
		OpDecorateString:       decorate(OpDecorateString),
		OpMemberDecorate:       decorateMember(OpMemberDecorate),
		OpMemberDecorateString: decorateMember(OpMemberDecorateString),
		OpGroupDecorate:        (*Module).decorateGroup,
		OpGroupMemberDecorate:  (*Module).decorateGroupMembers,
	}
}}

func decorate(op Opcode) func(m *Module, words []uint32) {
	return func(m *Module, words []uint32) {
		m.addDecoration(ID(words[0]), Decoration{DecorationKind(words[1]), -1, words[2:], op})
	}
}

func decorateMember(op Opcode) func(m *Module, words []uint32) {
	return func(m *Module, words []uint32) {
		m.addDecoration(ID(words[0]), Decoration{DecorationKind(words[2]), int(words[1]), words[3:], op})
	}
}

// addDecoration adds a decoration while there is room; indexAnnotations reports the end of it.
func (m *Module) addDecoration(id ID, d Decoration) {
	if m.decorationRoom--; m.decorationRoom > 0 {
		m.decorations[id] = append(m.decorations[id], d)
	}
}

// decorateGroup applies the decorations that a group has so far to its targets. A target may be
// another group, which then has them as well.
func (m *Module) decorateGroup(words []uint32) {
	for _, target := range words[1:] {
		for _, d := range m.decorations[ID(words[0])] {
			m.addDecoration(ID(target), d)
		}
	}
}

func (m *Module) decorateGroupMembers(words []uint32) {
	for i := 1; i+1 < len(words); i += 2 {
		for _, d := range m.decorations[ID(words[0])] {
			d.Member, d.op = int(words[i+1]), memberOp(d.op)
			m.addDecoration(ID(words[i]), d)
		}
	}
}

// memberOp returns the form of a decoration's instruction for members of a struct. OpDecorateId
// has none.
func memberOp(op Opcode) Opcode {
	if op == OpDecorateString || op == OpMemberDecorateString {
		return OpMemberDecorateString
	}
	return OpMemberDecorate
}

// The parameter of DecorationFuncParamAttr for a pointer that a function does not follow.
const FuncParamNoReadWrite uint32 = 7

// WithoutDecoration returns a copy of the module without the decorations of a kind whose first
// parameter is that one. m is not changed, and is the result if it has none.
func (m *Module) WithoutDecoration(kind DecorationKind, parameter uint32) (*Module, error) {
	isOne := func(in *Instruction) bool {
		return in.Op == OpDecorate && len(in.Words) > 2 && in.Words[1] == uint32(kind) && in.Words[2] == parameter
	}
	annotations := m.sections[sectionAnnotation]
	if !slices.ContainsFunc(annotations, isOne) {
		return m, nil
	}
	out := &Module{Version: m.Version, Generator: m.Generator, Bound: m.Bound, sections: m.sections, functions: m.functions}
	out.sections[sectionAnnotation] = slices.DeleteFunc(slices.Clone(annotations), isOne)
	return out, out.rebuildIndexes()
}
