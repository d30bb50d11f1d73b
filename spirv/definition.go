package spirv

import (
	"encoding/binary"
	"slices"
	"strings"
)

// SameDefinition reports whether two modules define their export of that name alike, so that
// one can replace the other: with the same instructions, types, constants and decorations,
// including those of everything that the definition uses. Other linked symbols are compared by
// their names. OpName, source positions and the numbering are ignored. It is false if one of
// the modules does not export the name.
func SameDefinition(a, b *Module, name string) bool {
	x, ok := a.exportDefinition(name)
	if !ok {
		return false
	}
	y, ok := b.exportDefinition(name)
	return ok && slices.Equal(x, y)
}

// exportDefinition encodes an export so that equal definitions have equal bytes: identifiers are
// numbered in the order of a breadth-first walk from the export, which does not depend on their
// numbers in the module.
func (m *Module) exportDefinition(name string) (text []byte, ok bool) {
	for _, s := range m.Exports() {
		if s.Name == name {
			linked := linkNames(m.Imports(), m.Exports())
			delete(linked, s.ID)
			return m.definitionText(s.ID, linked), true
		}
	}
	return nil, false
}

// definitionText returns the encoding of one function or variable. It contains only the names of
// those in linked, and does not follow them.
func (m *Module) definitionText(id ID, linked map[ID]string) []byte {
	w := definitionWriter{m: m, linked: linked, outside: m.definedOutsideFunctions(), index: map[ID]uint32{}}
	w.identifierNumber(id)
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.writeGlobal(next)
	}
	return w.text
}

// SameKernel is SameDefinition for the kernels of that name. It also follows calls of exported
// functions: a translator may make an entry point that only calls the function, which is then
// exported by the same name.
func SameKernel(a, b *Module, name string) bool {
	x, ok := a.kernelDefinition(name)
	if !ok {
		return false
	}
	y, ok := b.kernelDefinition(name)
	return ok && slices.Equal(x, y)
}

// kernelDefinition is exportDefinition for a kernel: exports are followed and not compared by name.
func (m *Module) kernelDefinition(name string) (text []byte, ok bool) {
	for _, e := range m.EntryPoints() {
		if e.Name == name {
			return m.definitionText(e.Function, linkNames(m.Imports())), true
		}
	}
	return nil, false
}

// linkNames returns the linkage names by identifier.
func linkNames(lists ...[]Symbol) map[ID]string {
	names := map[ID]string{}
	for _, s := range slices.Concat(lists...) {
		names[s.ID] = s.Name
	}
	return names
}

// definedOutsideFunctions returns the set of the identifiers that are defined outside of
// functions, with those of the functions themselves.
func (m *Module) definedOutsideFunctions() map[ID]bool {
	ids := map[ID]bool{}
	for _, s := range []section{sectionExtInstImport, sectionDebug, sectionGlobal} {
		for _, in := range m.sections[s] {
			ids[in.Result()] = true
		}
	}
	for _, f := range m.functions {
		ids[f.ID()] = true
	}
	return ids
}

// definitionWriter encodes a definition and everything that it uses, in breadth-first order.
type definitionWriter struct {
	m       *Module
	linked  map[ID]string // symbols that are compared by name
	outside map[ID]bool   // definitions that are written when they are first used
	index   map[ID]uint32
	queue   []ID // of outside, still to be written
	text    []byte
	refs    []operandRef // scratch
}

// identifierNumber returns the number of an identifier. The first use of one
// gives it its number and, if it is a global, queues its definition.
func (w *definitionWriter) identifierNumber(id ID) uint32 {
	n, known := w.index[id]
	if !known {
		n = uint32(len(w.index)) + 1
		w.index[id] = n
		if w.outside[id] {
			w.queue = append(w.queue, id)
		}
	}
	return n
}

// writeGlobal writes the definition of a queued identifier: only the name of a linked symbol, all
// instructions of a function, one instruction of anything else.
func (w *definitionWriter) writeGlobal(id ID) {
	if name, ok := w.linked[id]; ok {
		w.writeWord(uint32(len(name)))
		w.text = append(w.text, name...)
		return
	}
	in := w.m.Def(id)
	if in.Op != OpFunction {
		w.writeInstruction(in)
		return
	}
	w.m.functionByID(id).eachInstruction(func(in *Instruction) bool {
		w.writeInstruction(in)
		return true
	})
	w.writeWord(uint32(OpFunctionEnd))
}

// writeInstruction writes an instruction with the walk's numbers for its identifiers, and the
// decorations of its result. This queues the globals to which it refers.
func (w *definitionWriter) writeInstruction(in *Instruction) {
	if w.isDebug(in) {
		return
	}
	words := slices.Clone(in.Words)
	refs, err := w.m.operands(in, w.refs[:0])
	w.refs = refs
	if err == nil { // an unknown instruction is written with its words unchanged
		for _, r := range refs {
			if r.kind.isID() {
				words[r.at] = w.identifierNumber(ID(in.Words[r.at]))
			}
		}
	}
	w.writeWord(uint32(in.Op))
	w.writeWords(words)
	w.writeDecorations(in.Result())
}

// isDebug reports whether an instruction only serves debuggers.
func (w *definitionWriter) isDebug(in *Instruction) bool {
	switch in.Op {
	case OpLine, OpNoLine:
		return true
	case OpExtInst:
		set := w.m.ExtInstSet(ID(in.Words[2]))
		return strings.HasPrefix(set, "NonSemantic.") || strings.Contains(set, "DebugInfo")
	}
	return false
}

// writeDecorations writes the decorations of an identifier, except its linkage: the name is known
// to the caller, and whether others import the symbol does not change its definition.
func (w *definitionWriter) writeDecorations(id ID) {
	if id == 0 {
		return
	}
	for _, d := range w.m.Decorations(id) {
		if d.Kind != DecorationLinkageAttributes {
			w.writeWord(uint32(d.Kind))
			w.writeWord(uint32(d.Member))
			w.writeWords(d.Words)
		}
	}
}

func (w *definitionWriter) writeWord(v uint32) { w.text = binary.LittleEndian.AppendUint32(w.text, v) }

func (w *definitionWriter) writeWords(list []uint32) { w.text = appendWords(w.text, list) }

// functionByID returns the function that id names; there must be one.
func (m *Module) functionByID(id ID) *Function {
	i := slices.IndexFunc(m.functions, func(f *Function) bool { return f.ID() == id })
	return m.functions[i]
}
