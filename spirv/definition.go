package spirv

import (
	"encoding/binary"
	"slices"
	"strings"
)

// SameDefinition tells whether two modules define their export of that name
// alike, so that one can stand for the other: the same instructions, types,
// constants and decorations, down to what the definition uses; other symbols
// are compared by their names. Names for people, source positions and the
// numbering do not count. It is false where one of them does not export it.
func SameDefinition(a, b *Module, name string) bool {
	x, ok := a.definition(name)
	if !ok {
		return false
	}
	y, ok := b.definition(name)
	return ok && slices.Equal(x, y)
}

// definition writes an export down so that equal definitions are equal
// texts: what it uses is numbered in the order of a breadth-first walk.
func (m *Module) definition(name string) (text []byte, ok bool) {
	w := definitionWriter{m: m, linked: m.linkNames(), outside: m.outside(), index: map[ID]uint32{}}
	for _, s := range m.Exports() {
		if s.Name == name {
			delete(w.linked, s.ID)
			w.number(s.ID)
			for len(w.queue) > 0 {
				id := w.queue[0]
				w.queue = w.queue[1:]
				w.global(id)
			}
			return w.text, true
		}
	}
	return nil, false
}

// linkNames maps everything with a linkage name to it.
func (m *Module) linkNames() map[ID]string {
	names := map[ID]string{}
	for _, s := range append(m.Imports(), m.Exports()...) {
		names[s.ID] = s.Name
	}
	return names
}

// outside is what is defined outside of functions, and the functions.
func (m *Module) outside() map[ID]bool {
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

type definitionWriter struct {
	m       *Module
	linked  map[ID]string // symbols that are compared by name
	outside map[ID]bool   // what is written down once it is named
	index   map[ID]uint32
	queue   []ID // of outside, still to be written
	text    []byte
	refs    []operandRef // scratch
}

// number numbers an identifier on first sight, and writes down a global that
// it names.
func (w *definitionWriter) number(id ID) uint32 {
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

func (w *definitionWriter) global(id ID) {
	if name, ok := w.linked[id]; ok {
		w.word(uint32(len(name)))
		w.text = append(w.text, name...)
		return
	}
	in := w.m.Def(id)
	if in.Op != OpFunction {
		w.instruction(in)
		return
	}
	w.m.function(id).each(func(in *Instruction) bool {
		w.instruction(in)
		return true
	})
	w.word(uint32(OpFunctionEnd))
}

func (w *definitionWriter) instruction(in *Instruction) {
	if w.isDebug(in) {
		return
	}
	words := slices.Clone(in.Words)
	refs, err := w.m.operands(in, w.refs[:0])
	w.refs = refs
	if err == nil { // else an unknown instruction: its words as they are
		for _, r := range refs {
			if r.kind.isID() {
				words[r.at] = w.number(ID(in.Words[r.at]))
			}
		}
	}
	w.word(uint32(in.Op))
	w.words(words)
	w.decorations(in.Result())
}

// isDebug tells what is for debuggers only.
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

func (w *definitionWriter) decorations(id ID) {
	if id == 0 {
		return
	}
	for _, d := range w.m.Decorations(id) {
		if d.Kind != DecorationLinkageAttributes {
			w.word(uint32(d.Kind))
			w.word(uint32(d.Member))
			w.words(d.Words)
		}
	}
}

func (w *definitionWriter) word(v uint32) { w.text = binary.LittleEndian.AppendUint32(w.text, v) }

func (w *definitionWriter) words(list []uint32) { w.text = appendWords(w.text, list) }

// function returns the function that id names.
func (m *Module) function(id ID) *Function {
	i := slices.IndexFunc(m.functions, func(f *Function) bool { return f.ID() == id })
	return m.functions[i]
}
