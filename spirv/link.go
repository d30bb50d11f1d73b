package spirv

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Input is one module of a link.
type Input struct {
	Name   string // for messages: file and image
	Module *Module
}

// LinkOptions are the options of Link; the zero value makes a complete
// program without linkage.
type LinkOptions struct {
	// AllowUnresolved leaves imports that no input exports in the result, whose Imports
	// lists them. Without it they are an *UnresolvedError.
	AllowUnresolved bool
	// Provided reports whether the device provides a name. An import of such a name that
	// no input exports stays in the result and is not an error. It may be nil.
	Provided func(name string) bool
	// KeepExports leaves the linkage names of exports in the result, so that its Exports
	// lists them and the result can be linked again.
	KeepExports bool
}

// Unresolved is an import that no input exports.
type Unresolved struct {
	Symbol
	Input string // the name of the first input that imports it
}

// UnresolvedError reports the imports that no input exports.
type UnresolvedError struct{ Symbols []Unresolved }

func (e *UnresolvedError) Error() string {
	var parts []string
	for _, s := range e.Symbols {
		parts = append(parts, fmt.Sprintf("%s (%s), imported by %s", s.Name, s.Type, s.Input))
	}
	return "no module exports " + strings.Join(parts, "; ")
}

// DuplicateError reports a symbol or a kernel that two inputs define.
type DuplicateError struct {
	What          string // "symbol" or "kernel"
	Name          string
	First, Second string // names of the inputs
}

func (e *DuplicateError) Error() string {
	if e.First == e.Second {
		return fmt.Sprintf("%s %s is defined twice by %s", e.What, e.Name, e.First)
	}
	return fmt.Sprintf("%s %s is defined by %s and by %s", e.What, e.Name, e.First, e.Second)
}

// MismatchError reports an import whose type differs from the export's.
type MismatchError struct {
	Name               string
	Importer, Exporter string // names of the inputs
	Imported, Exported string // the types
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("type mismatch of %s: %s imports it as %s, %s exports it as %s",
		e.Name, e.Importer, e.Imported, e.Exporter, e.Exported)
}

// Link makes one module of the inputs: imports become the exports of the same
// name, equal types and constants become one, and the version is the highest
// of the inputs. An export of LinkOnceODR or weak linkage is replaced by an
// earlier one of its name and by an Export. The result's numbering depends on the inputs and
// their order alone; the inputs are not changed.
//
// Errors are *UnresolvedError, *DuplicateError and *MismatchError; an input
// with instructions that cannot be renumbered is another error.
func Link(inputs []Input, opts LinkOptions) (*Module, error) {
	l := &linker{opts: opts, next: 1, shared: map[string]ID{}, declared: map[ID]bool{}, defined: map[ID]bool{}, out: new(Module)}
	for i, in := range inputs {
		l.units = append(l.units, newUnit(in, i))
	}
	steps := []func(*linker) error{
		(*linker).checkInputs,
		(*linker).mergeHeaders,
		(*linker).resolveSymbols,
		(*linker).numberFunctions,
		(*linker).mergeGlobals,
		(*linker).checkTypes,
		(*linker).copyFunctions,
		(*linker).adaptAddresses,
		(*linker).copyDebug,
		(*linker).copyAnnotations,
		(*linker).copyEntryPoints,
		(*linker).finishModule,
	}
	for _, step := range steps {
		if err := step(l); err != nil {
			return nil, err
		}
	}
	return l.out, nil
}

// linker is the state of one Link. Its steps run in the order in which Link lists them: each
// relies on the numbers that those before it gave.
type linker struct {
	opts  LinkOptions
	units []*unit
	out   *Module
	next  ID // the next new identifier
	words int

	shared     map[string]ID       // new identifiers of types and constants by content
	bindings   []binding           // imports with the symbols that replace them
	exports    map[string]*export  // by linkage name
	declared   map[ID]bool         // new recursive pointers that are declared or defined
	defined    map[ID]bool         // those that are defined
	interfaces map[ID]bool         // new variables that interfaces list
	types      map[ID]*Instruction // new types, once they are needed
	adapted    map[addressed]adaptation
	// room is how many steps are left for comparing recursive types and for listing the
	// functions of each kernel: both can take more than linear time for hostile inputs.
	room int
}

// unit is one input and the state that the link keeps for it.
type unit struct {
	Input
	ids     idTable[ID]    // new identifiers
	visited idTable[uint8] // globals: unvisited, opened or copied
	globals map[ID]bool    // the OpUndef, OpPoisonKHR and OpExtInst among the globals
	graphs  map[ID]string  // results of pointerGraph
	index   int            // among the inputs
	bodies  map[ID]*Function
	alias   map[ID]target     // the symbols that replace imports and superseded exports
	dropped map[ID]bool       // not copied: the keys of alias, and all that they define
	shared  map[ID]bool       // identifiers that an earlier instruction of equal content replaces
	forward map[ID]bool       // pointers that an OpTypeForwardPointer names
	adapted map[ID]adaptation // imports whose calls convert pointers
	refs    []operandRef      // scratch
}

// target is an identifier of a unit.
type target struct {
	unit *unit
	id   ID
}

// newUnit prepares the state of an input. It lists facts that an instruction alone does not show:
// which pointers are declared forward, and which OpUndef, OpPoisonKHR and OpExtInst are globals.
func newUnit(in Input, index int) *unit {
	m := in.Module
	u := &unit{
		Input: in, index: index,
		alias: map[ID]target{}, dropped: map[ID]bool{}, shared: map[ID]bool{},
		forward: map[ID]bool{}, graphs: map[ID]string{}, globals: map[ID]bool{}, bodies: map[ID]*Function{},
	}
	size := len(m.defs.dense) // 0 if sparse: then the unit's tables are sparse as well
	u.ids, u.visited = newIDTable[ID](m.Bound, size), newIDTable[uint8](m.Bound, size)
	for _, f := range m.functions {
		u.bodies[f.ID()] = f
	}
	for _, g := range m.Globals() {
		switch g.Op {
		case OpTypeForwardPointer:
			u.forward[ID(g.Words[0])] = true
		case OpUndef, OpPoisonKHR, OpExtInst:
			u.globals[g.Result()] = true
		}
	}
	return u
}

func (u *unit) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{u.Name}, args...)...)
}

// checkInputs refuses instructions that cannot be renumbered, and inputs with
// different memory models.
func (l *linker) checkInputs() error {
	if len(l.units) == 0 {
		return errors.New("nothing to link")
	}
	for _, u := range l.units {
		for in := range u.Module.allInstructions {
			if err := u.checkKnown(in); err != nil {
				return err
			}
			l.words += 1 + len(in.Words)
		}
		if err := l.checkMemoryModel(u); err != nil {
			return err
		}
	}
	l.room = 1<<20 + 4*l.words
	return nil
}

// checkKnown refuses an instruction whose identifiers cannot be found: all of them must be
// renumbered.
func (u *unit) checkKnown(in *Instruction) error {
	switch {
	case in.Op.grammarInfo() == nil:
		return u.errorf("instruction %d at byte %d is not known and cannot be linked", uint16(in.Op), in.offset)
	case in.Op == OpExtInstImport:
		name, _ := getString(in.Words[1:])
		if extendedInstructions(name) == nil && !strings.HasPrefix(name, "NonSemantic.") {
			return u.errorf("the extended instruction set %q is not known and cannot be linked", name)
		}
	}
	return nil
}

// checkMemoryModel refuses an input whose memory model is not that of the first: a module has only
// one, and pointers of different sizes cannot be mixed.
func (l *linker) checkMemoryModel(u *unit) error {
	first := l.units[0]
	a, b := first.Module.sections[sectionMemoryModel], u.Module.sections[sectionMemoryModel]
	if len(a) != 1 || len(b) != 1 {
		return u.errorf("the module has %d memory models; it must have one", len(b))
	}
	if !slices.Equal(a[0].Words, b[0].Words) {
		return fmt.Errorf("%s and %s do not fit: their memory models are %s and %s",
			first.Name, u.Name, memoryModelString(a[0]), memoryModelString(b[0]))
	}
	return nil
}

func memoryModelString(in *Instruction) string {
	return enumName(kindAddressingModel, in.Words[0]) + " " + enumName(kindMemoryModel, in.Words[1])
}

// mergeHeaders makes the sections before the entry points, and copies the strings: sources and
// lines refer to them.
func (l *linker) mergeHeaders() error {
	for _, u := range l.units {
		l.out.Version = max(l.out.Version, u.Module.Version)
		for _, s := range []section{sectionCapability, sectionExtension} {
			for _, in := range u.Module.sections[s] {
				l.addOnce(s, in)
			}
		}
		for _, in := range u.Module.sections[sectionExtInstImport] {
			l.copyShared(u, sectionExtInstImport, in)
		}
		for _, in := range u.Module.sections[sectionDebug] {
			if in.Op == OpString {
				l.copyShared(u, sectionDebug, in)
			}
		}
	}
	l.out.sections[sectionMemoryModel] = l.units[0].Module.sections[sectionMemoryModel]
	return nil
}

// addOnce adds an instruction without identifiers, unless the result has an equal one.
func (l *linker) addOnce(s section, in *Instruction) {
	for _, have := range l.out.sections[s] {
		if have.Op == in.Op && slices.Equal(have.Words, in.Words) {
			return
		}
	}
	l.out.sections[s] = append(l.out.sections[s], in)
}

// finishModule drops the Linkage capability if the result has no linkage, and builds the indexes
// of the result. The latter also checks it.
func (l *linker) finishModule() error {
	if !l.hasLinkage() {
		l.out.sections[sectionCapability] = slices.DeleteFunc(l.out.sections[sectionCapability],
			func(in *Instruction) bool { return in.Words[0] == capabilityLinkage })
	}
	l.out.Bound = uint32(l.next)
	var list []*Instruction
	words := 0
	for in := range l.out.allInstructions {
		list = append(list, in)
		words += 1 + len(in.Words)
	}
	return l.out.buildIndexes(list, words)
}

const capabilityLinkage = 5

func (l *linker) hasLinkage() bool {
	for _, in := range l.out.sections[sectionAnnotation] {
		if in.Op == OpDecorate && DecorationKind(in.Words[1]) == DecorationLinkageAttributes {
			return true
		}
	}
	return false
}
