package spirv

import "slices"

// Trim names the symbols and kernels to remove from a module before it is linked with others.
type Trim struct {
	// Import lists exports that become imports: their definitions are removed.
	Import []string
	// Hide lists exports that lose their linkage: they become local.
	Hide []string
	// Kernels lists entry points that are removed; their functions stay.
	Kernels []string
	// Strong makes weak definitions exports, and takes out the extension for them: which
	// definition serves has been decided, and few devices know the extension.
	Strong bool
}

// IsZero reports whether Trim would leave every module as it is.
func (t Trim) IsZero() bool { return len(t.Import)+len(t.Hide)+len(t.Kernels) == 0 && !t.Strong }

// Trim returns a copy of the module with the changes that t lists; m is not
// changed. Names that the module does not export are ignored, and so are names
// in t.Import of functions that are themselves entry points.
func (m *Module) Trim(t Trim) (*Module, error) {
	r := &trimmer{m: m, strong: t.Strong, removed: map[ID]bool{}, imports: map[ID]bool{}, hidden: map[ID]bool{}, unnamed: map[ID]bool{}}
	r.chooseSymbols(t)
	r.unnameKernels(t.Kernels)
	out := &Module{Version: m.Version, Generator: m.Generator, Bound: m.Bound}
	out.sections = m.sections
	out.sections[sectionCapability] = r.trimCapabilities()
	out.sections[sectionExtension] = r.trimExtensions()
	out.sections[sectionEntryPoint] = r.entryPoints(t.Kernels)
	out.sections[sectionExecutionMode] = r.executionModes(out.sections[sectionEntryPoint])
	out.sections[sectionDebug] = r.trimDebug()
	out.sections[sectionAnnotation] = r.trimAnnotations()
	out.sections[sectionGlobal] = r.trimGlobals()
	out.functions = r.trimFunctions()
	return out, out.rebuildIndexes()
}

// rebuildIndexes builds the indexes of a module that was assembled from
// sections.
func (m *Module) rebuildIndexes() error {
	var list []*Instruction
	words := 0
	for in := range m.allInstructions {
		list = append(list, in)
		words += 1 + len(in.Words)
	}
	return m.buildIndexes(list, words)
}

// trimmer removes the parts of a module that chooseSymbols chose. It never changes instructions of
// m, which the copy shares, but replaces them.
type trimmer struct {
	m       *Module
	strong  bool
	imports map[ID]bool // become imports
	hidden  map[ID]bool // lose their linkage
	removed map[ID]bool // identifiers that are defined in removed bodies
	unnamed map[ID]bool // functions that lose their names
}

// chooseSymbols finds the symbols that become local or imports. A function that is an entry point
// itself keeps its body, which an import cannot have.
func (r *trimmer) chooseSymbols(t Trim) {
	entries := map[ID]bool{}
	for _, e := range r.m.EntryPoints() {
		entries[e.Function] = true
	}
	for _, s := range r.m.Exports() {
		switch {
		case slices.Contains(t.Hide, s.Name):
			r.hidden[s.ID] = true
		case slices.Contains(t.Import, s.Name) && !entries[s.ID]:
			r.imports[s.ID] = true
			if s.Function {
				r.dropBody(r.m.functionByID(s.ID))
			}
		}
	}
}

// dropBody notes the identifiers that a removed body defines: their names and decorations go too.
func (r *trimmer) dropBody(f *Function) {
	for _, in := range f.Body {
		if id := in.Result(); id != 0 {
			r.removed[id] = true
		}
	}
}

// unnameKernels takes the names of dropped kernels from their functions, unless these have
// other entry points: Intel's driver names the symbols of its code by them, and
// loses the kernel of that name in another module.
func (r *trimmer) unnameKernels(dropped []string) {
	kept := map[ID]bool{}
	for _, e := range r.m.EntryPoints() {
		if slices.Contains(dropped, e.Name) {
			r.unnamed[e.Function] = true
		} else {
			kept[e.Function] = true
		}
	}
	for id := range kept {
		delete(r.unnamed, id)
	}
}

func (r *trimmer) entryPoints(dropped []string) []*Instruction {
	return r.keepInstructions(sectionEntryPoint, func(in *Instruction) bool {
		name, _ := getString(in.Words[2:])
		return !slices.Contains(dropped, name)
	})
}

// executionModes keeps the modes of functions that are still entry points.
func (r *trimmer) executionModes(entries []*Instruction) []*Instruction {
	return r.keepInstructions(sectionExecutionMode, func(in *Instruction) bool {
		return slices.ContainsFunc(entries, func(e *Instruction) bool { return e.Words[1] == in.Words[0] })
	})
}

func (r *trimmer) trimCapabilities() []*Instruction {
	return r.keepInstructions(sectionCapability, func(in *Instruction) bool {
		return !r.strong || Capability(in.Words[0]) != CapabilityWeakLinkageAMD
	})
}

func (r *trimmer) trimExtensions() []*Instruction {
	return r.keepInstructions(sectionExtension, func(in *Instruction) bool {
		name, _ := getString(in.Words)
		return !r.strong || name != "SPV_AMD_weak_linkage"
	})
}

func (r *trimmer) trimDebug() []*Instruction {
	return r.keepInstructions(sectionDebug, func(in *Instruction) bool {
		return in.Op != OpName || !r.removed[ID(in.Words[0])] && !r.unnamed[ID(in.Words[0])]
	})
}

func (r *trimmer) keepInstructions(s section, want func(*Instruction) bool) []*Instruction {
	return slices.DeleteFunc(slices.Clone(r.m.sections[s]), func(in *Instruction) bool { return !want(in) })
}

func (r *trimmer) trimAnnotations() []*Instruction {
	var out []*Instruction
	for _, in := range r.m.sections[sectionAnnotation] {
		if kept := r.trimAnnotation(in); kept != nil {
			out = append(out, kept)
		}
	}
	return out
}

// trimAnnotation returns an annotation without its removed targets, or nil if nothing is left.
// The linkage of a symbol that becomes an import is changed to Import.
func (r *trimmer) trimAnnotation(in *Instruction) *Instruction {
	switch target := ID(in.Words[0]); in.Op {
	case OpGroupDecorate:
		words := slices.DeleteFunc(slices.Clone(in.Words), func(w uint32) bool { return r.removed[ID(w)] })
		return &Instruction{Op: in.Op, Words: words}
	case OpDecorate:
		if DecorationKind(in.Words[1]) == DecorationLinkageAttributes {
			return r.trimLinkage(in)
		}
		fallthrough
	default:
		if r.removed[target] {
			return nil
		}
		return in
	}
}

// trimLinkage returns the linkage of a function or variable as it becomes, or nil if it is hidden.
func (r *trimmer) trimLinkage(in *Instruction) *Instruction {
	target := ID(in.Words[0])
	_, linkage, ok := linkageAttributes(in.Words[2:])
	becomes := linkage
	switch {
	case r.hidden[target] || r.removed[target]:
		return nil
	case r.imports[target]:
		becomes = LinkageImport
	case r.strong && linkage == LinkageWeakAMD:
		becomes = LinkageExport
	}
	if !ok || becomes == linkage {
		return in
	}
	words := slices.Clone(in.Words)
	words[len(words)-1] = uint32(becomes)
	return &Instruction{Op: in.Op, Words: words}
}

// trimGlobals drops the initializers of variables that become imports: an
// import must not have one.
func (r *trimmer) trimGlobals() []*Instruction {
	out := slices.Clone(r.m.sections[sectionGlobal])
	for i, in := range out {
		if in.Op == OpVariable && r.imports[in.Result()] && len(in.Words) > 3 {
			out[i] = &Instruction{Op: in.Op, Words: in.Words[:3]}
		}
	}
	return out
}

// trimFunctions moves the new declarations before the definitions, as the
// logical layout requires.
func (r *trimmer) trimFunctions() []*Function {
	var declarations, definitions []*Function
	for _, f := range r.m.functions {
		switch {
		case r.imports[f.ID()]:
			declarations = append(declarations, &Function{Def: f.Def, Params: f.Params})
		case f.IsDeclaration():
			declarations = append(declarations, f)
		default:
			definitions = append(definitions, f)
		}
	}
	return append(declarations, definitions...)
}
