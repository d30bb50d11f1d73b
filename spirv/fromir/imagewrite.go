package fromir

import (
	"encoding/binary"
	"maps"
	"slices"

	"offlink/spirv"
)

// The sections of an image, and its bytes.

// writeSections writes the words of types, constants and variables, and those of
// the other sections of entries.
func (m *image) writeSections() {
	s := &m.sorter
	for _, e := range m.entries {
		switch e.section {
		case sectionGlobals, sectionExternal:
			if !s.visitEntry(e) {
				m.failf("an initialiser that has the address of its own variable has no counterpart in SPIR-V")
			}
		case sectionDebug:
			s.visitDebug(e)
		case sectionFunction:
			s.list[e.section] = m.appendFunction(s.list[e.section], e)
		default:
			s.visitPlain(e)
		}
	}
}

// writeNames writes OpName in the order of numbers.
func (m *image) writeNames() {
	m.nameAt = slices.Grow(m.nameAt[:0], int(m.next))[:m.next]
	clear(m.nameAt)
	for i, n := range m.names {
		m.nameAt[n.number] = int32(i) + 1
	}
	for number, i := range m.nameAt {
		if i != 0 {
			at := len(m.nameWords)
			m.nameWords = append(m.nameWords, m.names[i-1].words...)
			m.nameWords[at+1] = id(number)
		}
	}
}

// appendName appends the OpName of an identifier. A name that is too long for an
// instruction is left out: nothing depends on it.
func appendName(words []uint32, n id, name string) []uint32 {
	if name == "" || len(name) >= 4*(maxWords-2) {
		return words
	}
	at := len(words)
	words = appendText(append(words, 0, n), name)
	words[at] = headWord(len(words)-at, spirv.OpName)
	return words
}

// generator is the generator word of the header: the number under which the Khronos
// translator is registered, 6, and the version of its output. Consumers look at it.
const generator = 6<<16 | 14

// moduleBytes appends the module to to, its parts in the order of the logical layout.
func (m *image) moduleBytes(to []byte) []byte {
	m.writeSections()
	m.writeNames()
	s := &m.sorter
	for _, c := range slices.Sorted(maps.Keys(m.capabilities)) {
		m.head = appendInstruction(m.head, spirv.OpCapability, c)
	}
	for _, e := range slices.Sorted(maps.Keys(m.extensions)) {
		m.head = appendInstruction(m.head, spirv.OpExtension, appendText(nil, m.options.declaredName(e))...)
	}
	m.head = append(m.head, s.list[sectionImport]...)
	m.head = appendInstruction(m.head, spirv.OpMemoryModel, m.session.model[0], m.session.model[1])
	parts := [...][]uint32{
		{spirv.Magic, uint32(m.version), generator, m.next, 0},
		m.head, m.entryPoints, m.modes, s.list[sectionString], m.session.source, m.nameWords, m.processed, s.list[sectionAliasing], m.noteWords,
		s.forward, s.integers, s.constants, s.types, s.rest, s.list[sectionAssembly], s.list[sectionDebug], s.list[sectionFunction], m.functions,
	}
	size := 0
	for _, part := range parts {
		size += 4 * len(part)
	}
	start := len(to)
	to = slices.Grow(to, size)[:start+size]
	rest := to[start:]
	for _, part := range parts {
		putWords(rest[:4*len(part)], part)
		rest = rest[4*len(part):]
	}
	return to
}

// putWords writes words into a slice of exactly their size, two to a store: where
// thousands of images share their functions, this loop takes most of the time.
func putWords(to []byte, words []uint32) {
	for len(words) >= 4 && len(to) >= 16 {
		binary.LittleEndian.PutUint64(to, uint64(words[0])|uint64(words[1])<<32)
		binary.LittleEndian.PutUint64(to[8:], uint64(words[2])|uint64(words[3])<<32)
		to, words = to[16:], words[4:]
	}
	for i, w := range words {
		binary.LittleEndian.PutUint32(to[4*i:], w)
	}
}
