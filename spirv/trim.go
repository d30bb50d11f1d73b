package spirv

import "slices"

// Trim says what to take out of a module before it is linked with others.
type Trim struct {
	// Import are exports that become imports: their definitions go.
	Import []string
	// Hide are exports that lose their linkage: nobody else sees them.
	Hide []string
	// Kernels are entry points that go; the functions behind them stay.
	Kernels []string
}

// IsZero tells whether there is nothing to take out.
func (t Trim) IsZero() bool { return len(t.Import)+len(t.Hide)+len(t.Kernels) == 0 }

// Trim returns the module without what t names; m is not changed. Names that
// it does not export are ignored, and so is an import of a function that is
// itself an entry point.
func (m *Module) Trim(t Trim) (*Module, error) {
	r := &trimmer{m: m, gone: map[ID]bool{}, imports: map[ID]bool{}, hidden: map[ID]bool{}}
	r.choose(t)
	out := &Module{Version: m.Version, Generator: m.Generator, Bound: m.Bound}
	out.sections = m.sections
	out.sections[sectionEntryPoint] = r.entryPoints(t.Kernels)
	out.sections[sectionExecutionMode] = r.executionModes(out.sections[sectionEntryPoint])
	out.sections[sectionDebug] = r.debug()
	out.sections[sectionAnnotation] = r.annotations()
	out.sections[sectionGlobal] = r.globals()
	out.functions = r.functions()
	return out, out.reindex()
}

// reindex makes the indexes of a module that was put together.
func (m *Module) reindex() error {
	var list []*Instruction
	words := 0
	for in := range m.all {
		list = append(list, in)
		words += 1 + len(in.Words)
	}
	return m.index(list, words)
}

type trimmer struct {
	m       *Module
	imports map[ID]bool // become imports
	hidden  map[ID]bool // lose their linkage
	gone    map[ID]bool // what was defined in bodies that go
}

func (r *trimmer) choose(t Trim) {
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
				r.dropBody(r.m.function(s.ID))
			}
		}
	}
}

func (r *trimmer) dropBody(f *Function) {
	for _, in := range f.Body {
		if id := in.Result(); id != 0 {
			r.gone[id] = true
		}
	}
}

func (r *trimmer) entryPoints(dropped []string) []*Instruction {
	return r.keep(sectionEntryPoint, func(in *Instruction) bool {
		name, _ := getString(in.Words[2:])
		return !slices.Contains(dropped, name)
	})
}

// executionModes keeps the modes of functions that still are entry points.
func (r *trimmer) executionModes(entries []*Instruction) []*Instruction {
	return r.keep(sectionExecutionMode, func(in *Instruction) bool {
		return slices.ContainsFunc(entries, func(e *Instruction) bool { return e.Words[1] == in.Words[0] })
	})
}

func (r *trimmer) debug() []*Instruction {
	return r.keep(sectionDebug, func(in *Instruction) bool { return in.Op != OpName || !r.gone[ID(in.Words[0])] })
}

func (r *trimmer) keep(s section, want func(*Instruction) bool) []*Instruction {
	return slices.DeleteFunc(slices.Clone(r.m.sections[s]), func(in *Instruction) bool { return !want(in) })
}

func (r *trimmer) annotations() []*Instruction {
	var out []*Instruction
	for _, in := range r.m.sections[sectionAnnotation] {
		if kept := r.annotation(in); kept != nil {
			out = append(out, kept)
		}
	}
	return out
}

// annotation returns what stays of an annotation, nil for nothing.
func (r *trimmer) annotation(in *Instruction) *Instruction {
	switch target := ID(in.Words[0]); in.Op {
	case OpGroupDecorate:
		words := slices.DeleteFunc(slices.Clone(in.Words), func(w uint32) bool { return r.gone[ID(w)] })
		return &Instruction{Op: in.Op, Words: words}
	case OpDecorate:
		if DecorationKind(in.Words[1]) == DecorationLinkageAttributes && r.hidden[target] {
			return nil
		}
		if DecorationKind(in.Words[1]) == DecorationLinkageAttributes && r.imports[target] {
			words := slices.Clone(in.Words)
			words[len(words)-1] = uint32(LinkageImport)
			return &Instruction{Op: in.Op, Words: words}
		}
		fallthrough
	default:
		if r.gone[target] {
			return nil
		}
		return in
	}
}

// globals drops the initializers of variables that become imports.
func (r *trimmer) globals() []*Instruction {
	out := slices.Clone(r.m.sections[sectionGlobal])
	for i, in := range out {
		if in.Op == OpVariable && r.imports[in.Result()] && len(in.Words) > 3 {
			out[i] = &Instruction{Op: in.Op, Words: in.Words[:3]}
		}
	}
	return out
}

// functions puts the new declarations where declarations stand: first.
func (r *trimmer) functions() []*Function {
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
