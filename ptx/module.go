package ptx

// Module has the facts that the directives of one PTX module state.
type Module struct {
	Version     string   // of the ISA: "6.3"
	Targets     []string // "sm_80", then options: "texmode_independent"
	AddressSize int      // in bits; 32 where the module does not say
	Entries     []Entry
	Functions   []Symbol // .func, in the order of the module, declarations too
	Variables   []Symbol // .global and .const of the module, declarations too

	bodies  bodies
	headEnd int // where in the text the first declaration is
}

// Entry is a kernel.
type Entry struct {
	Name   string
	Params []Param
	// Required is the size of a block that the code asks for (.reqntid), Max
	// the largest (.maxntid); 0 is any.
	Required, Max [3]int
	// headEnd is where in the text the parameters end; directives of the kernel
	// follow.
	headEnd int
}

// Param is a parameter of a kernel.
type Param struct {
	Name    string
	Type    string // "u64", "b8"
	Size    int    // in bytes
	Align   int    // in bytes
	Pointer bool   // it has .ptr
	Space   string // that a pointer points to: "global", "shared"; "" for any
	// typeEnd is where in the text the type ends, nameAt where the name is;
	// attributes of the parameter lie between.
	typeEnd, nameAt int
}

// Linkage is how a symbol is shared.
type Linkage int

// The linkages of symbols.
const (
	Local   Linkage = iota // of the module alone
	Extern                 // defined in another module
	Visible                // for other modules
	Weak                   // like Visible; any of several definitions serves
	Common                 // like Weak, for variables without a value
)

// Symbol is a function or a variable.
type Symbol struct {
	Name    string
	Linkage Linkage
	// Space is the state space of a variable: "global", "const".
	Space string
}

// Imports are the names that other modules must define, each once.
func (m *Module) Imports() []string {
	defined := map[string]bool{}
	for _, list := range [][]Symbol{m.Functions, m.Variables} {
		for _, s := range list {
			defined[s.Name] = defined[s.Name] || s.Linkage != Extern
		}
	}
	var names []string
	for _, list := range [][]Symbol{m.Functions, m.Variables} {
		for _, s := range list {
			if !defined[s.Name] {
				defined[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// Exports are the names that other modules may use.
func (m *Module) Exports() []string {
	var names []string
	for _, list := range [][]Symbol{m.Functions, m.Variables} {
		for _, s := range list {
			if s.Linkage != Local && s.Linkage != Extern {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// Entry returns the kernel of that name, nil if there is none.
func (m *Module) Entry(name string) *Entry {
	for i := range m.Entries {
		if m.Entries[i].Name == name {
			return &m.Entries[i]
		}
	}
	return nil
}

// typeSize is the size of a fundamental type in bytes, 0 for an unknown type.
func typeSize(name string) int {
	switch name {
	case "u8", "s8", "b8", "e4m3", "e5m2":
		return 1
	case "u16", "s16", "b16", "f16", "bf16":
		return 2
	case "u32", "s32", "b32", "f32", "f16x2", "bf16x2":
		return 4
	case "u64", "s64", "b64", "f64", "texref", "samplerref", "surfref":
		return 8
	case "b128":
		return 16
	}
	return 0
}
