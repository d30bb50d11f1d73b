package fromir

import (
	"maps"
	"slices"

	"offlink/abort"
	"offlink/ir"
	"offlink/spirv"
)

// unit is the translation of one function or variable: words that belong to no
// module yet. Every image that holds the value shares it.
type unit struct {
	err error
	// shapes are the pointees of the parameters, and result is that of the result, for
	// functions that call this one.
	shapes []*shape
	result *shape

	self         uint32      // the number of the identifier of the value
	meanings     []*shared   // of the unit's identifiers; nil for its own
	shares       []unitShare // the identifiers with a meaning
	code, modes  []uint32
	kernel       bool   // there is an entry point
	entry        uint32 // the number of the identifier of the entry point
	wrapperAt    int    // where in code the entry point's function begins
	relocs       []codeReloc
	literals     []unitLiteral
	variable     *shared      // the OpVariable if the value is a variable; its index is not used
	names        []uint32     // OpName of each; the targets are numbers of the unit's identifiers
	notes        []decoration // the targets are numbers of the unit's identifiers
	capabilities []uint32
	extensions   []string
	version      spirv.Version
	inputs       []*shared // built-in variables that the function reads
	uncontracted bool      // see findContraction
	zeroFlags    *shared   // the constant for kernels that must not be contracted, or nil
}

// isWrapped reports whether the entry point is a function of its own, which calls the kernel.
func (u *unit) isWrapped() bool { return u.kernel && u.wrapperAt < len(u.code) }

// unitShare is an identifier of a unit that stands for an entry.
type unitShare struct {
	local uint32
	entry *shared
}

// codeReloc is a word of code that is an identifier of the unit.
type codeReloc struct{ at, local uint32 }

// translateUnit translates a value that the view defines or declares. An error is kept in
// the unit, so that each image that needs the unit reports it.
func (t *translator) translateUnit(n ir.ValueID, edit *ir.Edit) (u *unit) {
	t.beginUnit(n, edit)
	defer t.endUnit()
	u = &unit{}
	u.err = t.catchUnit(func() {
		switch v := &t.module.Values[n]; {
		case v.Kind != ir.Function:
			t.variableUnit(n)
		case t.view.isDeclared(n):
			t.declarationUnit(n)
		default:
			t.translateFunction(n)
		}
		if info := t.functionInfos[n]; info != nil {
			u.shapes, u.result = t.shapesOf(info)
		}
		t.completeUnit(u)
	})
	return u
}

// catchUnit returns the error that stopped a step, with its place, or nil.
func (t *translator) catchUnit(step func()) error {
	err := abort.Catch(step)
	if e, ok := err.(*Error); ok && e.Path == "" {
		placed := *e
		placed.Path = t.module.Path
		if f := t.current; f != nil {
			placed.Function, placed.Instruction = f.value.Name, f.describeInstruction()
		} else {
			placed.Function = t.module.Values[t.unit].Name
		}
		return &placed
	}
	return err
}

// beginUnit prepares the translator for a value. Nothing that holds identifiers of the last
// unit may be left: the same numbers mean something else in this one.
func (t *translator) beginUnit(n ir.ValueID, edit *ir.Edit) {
	t.b.resetUnit()
	t.unit, t.edit, t.pointerBits = n, edit, t.session.bits
	t.terms.resetTerms()
	t.opencl = t.b.importSet("OpenCL.std")
	t.typeIDs.reset()
	clear(t.functionInfos)
	clear(t.globals)
	clear(t.files)
	clear(t.constants)
	t.inputs, t.uncontracted, t.variable, t.entry = t.inputs[:0], false, nil, 0
	t.zeroFlags, t.retained = 0, t.retained[:0]
}

// endUnit clears the state that the next value must not see.
func (t *translator) endUnit() { t.current, t.edit, t.nesting = nil, nil, 0 }

// completeUnit makes the unit from the words and entries of the builder. All that it keeps
// is copied, since the builder's memory is used again.
func (t *translator) completeUnit(u *unit) {
	t.retainedVariables()
	b := t.b
	entryNotes := t.splitDecorations(u)
	self := b.externalID(t.unit)
	u.meanings = t.session.table.shareEntries(b, entryNotes)
	u.self = self - firstID
	u.listShares(len(b.order))
	if e := t.variable; e != nil {
		u.variable = &shared{op: e.op, words: slices.Clone(e.words)}
		u.variable.noteRelocations(e, self, u.meanings[u.self], u.meanings)
	}
	t.relocs = t.relocs[:0]
	if u.wrapperAt = len(b.functions); t.entry != 0 {
		u.kernel, u.entry, u.wrapperAt = true, t.entry-firstID, t.wrapperAt
	}
	u.literals = slices.Clone(b.literals)
	u.code, u.modes = slices.Clone(b.functions), slices.Clone(b.modes)
	eachID(u.code, b.next-firstID, func(at int, n uint32) {
		t.relocs = append(t.relocs, codeReloc{uint32(at), n})
	})
	u.relocs = slices.Clone(t.relocs)
	u.names = t.ownNames(u)
	u.capabilities = slices.Sorted(maps.Keys(b.capabilities))
	u.extensions = slices.Sorted(maps.Keys(b.extensions))
	u.version = b.version
	for _, n := range t.inputs {
		if e := u.meanings[n-firstID]; !slices.Contains(u.inputs, e) {
			u.inputs = append(u.inputs, e)
		}
	}
	u.uncontracted = t.uncontracted
	if t.zeroFlags != 0 {
		u.zeroFlags = u.meanings[t.zeroFlags-firstID]
	}
}

// ownNames returns the names of the unit's identifiers other than entries, which have theirs.
func (t *translator) ownNames(u *unit) []uint32 {
	t.nameWords = t.nameWords[:0]
	for n, name := range t.b.names {
		if uint32(n) == u.self || u.meanings[n] == nil {
			t.nameWords = appendName(t.nameWords, uint32(n), name)
		}
	}
	return slices.Clone(t.nameWords)
}

// listShares lists the identifiers that stand for entries, of which there are count. Most
// identifiers are results of instructions, and each image of the unit walks this list.
func (u *unit) listShares(count int) {
	u.shares = make([]unitShare, 0, count)
	for i, e := range u.meanings {
		if e != nil {
			u.shares = append(u.shares, unitShare{uint32(i), e})
		}
	}
}

// splitDecorations gives the unit the decorations of its own identifiers, and
// returns those of entries.
func (t *translator) splitDecorations(u *unit) map[id][]decoration {
	notes := make(map[id][]decoration)
	for _, d := range t.b.decorations {
		if to, ok := t.b.alias[d.target]; ok {
			d.target = to
		}
		if e := t.b.entryOf(d.target); e != nil && e.section != sectionExternal {
			notes[d.target] = append(notes[d.target], d)
			continue
		}
		d.target -= firstID
		u.notes = append(u.notes, d)
	}
	return notes
}
