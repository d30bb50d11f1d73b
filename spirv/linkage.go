package spirv

// Linkage is the number of a linkage type: how a module shares a symbol.
type Linkage uint32

// The linkage types.
const (
	LinkageExport      Linkage = 0
	LinkageImport      Linkage = 1
	LinkageLinkOnceODR Linkage = 2 // an export that several modules may have
	LinkageWeakAMD     Linkage = 3 // an export that gives way to one of another module (SPV_AMD_weak_linkage)
)

// GivesWay reports whether another definition of the name may take the place of one with this
// linkage.
func (l Linkage) GivesWay() bool { return l == LinkageLinkOnceODR || l == LinkageWeakAMD }

// String returns the linkage type's name.
func (l Linkage) String() string { return enumName(kindLinkageType, uint32(l)) }

// Symbol is a function or variable with a linkage name.
type Symbol struct {
	Name     string
	ID       ID
	Linkage  Linkage
	Function bool   // false for a variable
	Type     string // for messages: "int (int, float *)"
}

// Imports returns the functions and variables that are decorated
// LinkageAttributes Import, in the order of the module, without the variables
// that the device provides (decorated BuiltIn).
func (m *Module) Imports() []Symbol {
	return m.linkageSymbols(func(l Linkage) bool { return l == LinkageImport })
}

// Exports returns the functions and variables with a linkage other than
// Import, in the order of the module. Kernels are among them.
func (m *Module) Exports() []Symbol {
	return m.linkageSymbols(func(l Linkage) bool { return l != LinkageImport })
}

func (m *Module) linkageSymbols(want func(Linkage) bool) []Symbol {
	var list []Symbol
	for _, in := range m.sections[sectionGlobal] {
		if in.Op == OpVariable {
			list = m.appendSymbols(list, in, want)
		}
	}
	for _, f := range m.functions {
		list = m.appendSymbols(list, f.Def, want)
	}
	return list
}

// appendSymbols appends the symbols of a function or variable. It may have several linkage names;
// Link refuses these.
func (m *Module) appendSymbols(list []Symbol, in *Instruction, want func(Linkage) bool) []Symbol {
	id := in.Result()
	if _, ok := m.IsBuiltIn(id); ok {
		return list
	}
	for _, d := range m.decorations[id] {
		if d.Kind != DecorationLinkageAttributes || d.Member >= 0 {
			continue
		}
		if name, linkage, ok := linkageAttributes(d.Words); ok && want(linkage) {
			list = append(list, Symbol{name, id, linkage, in.Op == OpFunction, m.symbolType(in)})
		}
	}
	return list
}

// linkageAttributes takes the parameters of the decoration apart; it returns false if they are
// not a name and one word.
func linkageAttributes(words []uint32) (string, Linkage, bool) {
	name, rest := getString(words)
	if len(rest) != 1 {
		return "", 0, false
	}
	return name, Linkage(rest[0]), true
}

// symbolType spells the type of a function or of a variable's value.
func (m *Module) symbolType(in *Instruction) string {
	if in.Op == OpFunction {
		return m.TypeString(ID(in.Words[3]))
	}
	return m.TypeString(in.Type())
}

// LinkageName returns the linkage name of a function or variable, if it has
// one.
func (m *Module) LinkageName(id ID) (string, bool) {
	words, ok := m.Decoration(id, DecorationLinkageAttributes)
	if !ok {
		return "", false
	}
	name, _, ok := linkageAttributes(words)
	return name, ok
}

// HostAccessName returns the name under which the host finds a device global,
// in either numbering of the decoration.
func (m *Module) HostAccessName(id ID) (string, bool) {
	for _, kind := range []DecorationKind{DecorationHostAccessINTEL, DecorationHostAccessOldINTEL} {
		if words, ok := m.Decoration(id, kind); ok {
			name, _ := getString(words[1:])
			return name, true
		}
	}
	return "", false
}
