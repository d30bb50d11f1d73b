package fromir

import "offlink/spirv"

// The shared entries of an image (types, constants, debug information) in the order that
// SPIR-V wants: each after those that it names.

// sorter puts entries into an order in which each comes after its parts: integer
// types, integer constants, other types, the rest. Array types need integer constants
// for their lengths, and these need nothing but their own types.
type sorter struct {
	*image
	forward, integers, constants, types, rest []uint32
	list                                      [sections][]uint32 // of the other sections
	forwarded                                 map[*shared]bool
}

// reset empties the sections and keeps their memory.
func (s *sorter) reset() {
	s.forward, s.integers, s.constants, s.types, s.rest = s.forward[:0], s.integers[:0], s.constants[:0], s.types[:0], s.rest[:0]
	for i := range s.list {
		s.list[i] = s.list[i][:0]
	}
	clear(s.forwarded)
}

// entryState is the state of an entry in the image.
type entryState struct {
	order   uint8
	present bool // a function or variable that the image has
}

const (
	entryNew = iota
	entryOpen
	entryDone
)

// visitEntry writes an entry after its parts. It returns false when the entry is being
// written already, that is, when it is part of itself. Such a circle is broken at a
// pointer type: OpTypeForwardPointer announces it, and it is written when the walk
// comes to it again, after its pointee.
func (s *sorter) visitEntry(e *shared) bool {
	content := s.entryContent(e)
	if content == nil || content.section != sectionGlobals || s.states[e.index].order == entryDone {
		return true
	}
	if s.states[e.index].order == entryOpen {
		return false
	}
	s.states[e.index].order = entryOpen
	for _, d := range content.deps {
		if d == e || s.visitEntry(d) {
			continue
		}
		s.states[e.index].order = entryNew
		if e.op != spirv.OpTypePointer {
			return false
		}
		if !s.forwarded[e] {
			s.forwarded[e] = true
			s.forward = appendInstruction(s.forward, spirv.OpTypeForwardPointer, s.numbers[e.index], e.words[1])
		}
		return true
	}
	s.placeEntry(content)
	s.states[e.index].order = entryDone
	return true
}

// visitDebug writes an instruction of debug information after those that it names,
// except the last e.late of them, which may follow it. The sets for shaders have no
// such exceptions: an instruction that names a later one needs the form with forward
// references there. A function or variable that the image lacks is DebugInfoNone.
func (s *sorter) visitDebug(e *shared) {
	if e.section != sectionDebug || s.states[e.index].order != entryNew {
		return
	}
	s.states[e.index].order = entryOpen
	late := e.late
	if s.shaderDebug() {
		late = 0
	}
	forward := false
	for _, d := range e.deps[:len(e.deps)-late] {
		s.visitDebug(d)
		forward = forward || d.section == sectionDebug && s.states[d.index].order == entryOpen
	}
	op := e.op
	if forward && s.shaderDebug() && s.options.allowsExtension("SPV_KHR_relaxed_extended_instruction") {
		s.extensions["SPV_KHR_relaxed_extended_instruction"] = true
		op = opExtInstWithForwardRefs
	}
	debug := s.list[sectionDebug]
	at := len(debug)
	debug = s.appendEntry(debug, e)
	debug[at] = debug[at]&^0xffff | uint32(op)
	for _, r := range e.relocs {
		if r.entry.section == sectionExternal && !s.states[r.entry.index].present {
			debug[at+1+int(r.at)] = s.debugAbsent(e)
		}
	}
	s.list[sectionDebug] = debug
	s.states[e.index].order = entryDone
	for _, d := range e.deps[len(e.deps)-late:] {
		s.visitDebug(d)
	}
}

// debugAbsent returns the number of DebugInfoNone, or 0 if the image does not have it.
// Each unit with an instruction that names a function or variable makes that entry.
func (m *image) debugAbsent(e *shared) id {
	t := &m.session.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if none := t.byKey["debug none"]; none != nil && none.index < len(m.numbers) {
		return m.numbers[none.index]
	}
	return 0
}

// opExtInstWithForwardRefs is the OpExtInst of SPV_KHR_relaxed_extended_instruction,
// whose operands may be defined later.
const opExtInstWithForwardRefs spirv.Opcode = 4433

// visitPlain writes an entry of another section after those of that section that
// it names.
func (s *sorter) visitPlain(e *shared) {
	if s.states[e.index].order != entryNew {
		return
	}
	s.states[e.index].order = entryDone
	for _, d := range e.deps {
		if d.section == e.section {
			s.visitPlain(d)
		}
	}
	s.list[e.section] = s.appendEntry(s.list[e.section], e)
}

// entryContent returns the entry that holds the words of e: e itself, or for a variable
// the one that its unit made; nil for functions and for values that the image lacks.
func (m *image) entryContent(e *shared) *shared {
	if e.section != sectionExternal {
		return e
	}
	if u := m.contents[e]; u != nil {
		return u.variable
	}
	return nil
}

// placeEntry appends an entry to the list that its kind belongs to.
func (s *sorter) placeEntry(e *shared) {
	list := &s.rest
	switch {
	case e.op == spirv.OpTypeInt:
		list = &s.integers
	case e.op >= spirv.OpConstantTrue && e.op <= spirv.OpSpecConstantOp:
		if len(e.deps) == 1 && e.deps[0].op == spirv.OpTypeInt {
			list = &s.constants
		}
	case isTypeOp(e.op):
		list = &s.types
	}
	*list = s.appendEntry(*list, e)
}

// appendEntry appends the instruction of an entry.
func (m *image) appendEntry(words []uint32, e *shared) []uint32 {
	if len(e.words) >= maxWords {
		return m.appendLongEntry(words, e)
	}
	words = append(words, headWord(len(e.words)+1, e.op))
	start := len(words)
	words = append(words, e.words...)
	for _, r := range e.relocs {
		words[start+int(r.at)] = m.numbers[r.entry.index]
	}
	return words
}

// appendFunction appends a function that the translation adds; its own identifiers get
// the next numbers.
func (m *image) appendFunction(words []uint32, e *shared) []uint32 {
	start := len(words)
	words = append(words, e.words...)
	first := m.next
	m.next += uint32(e.locals)
	for _, r := range e.relocs {
		if r.entry != nil {
			words[start+int(r.at)] = m.numbers[r.entry.index]
		} else {
			words[start+int(r.at)] = first + r.local
		}
	}
	return words
}
