package ptx

import (
	"slices"
	"strings"
)

// span is a part of a text.
type span struct{ from, to int }

// bodies are the blocks of a module. They are not parsed, as few words of them are ever
// looked for.
type bodies struct {
	text   string
	blocks []span
	// hidden are the comments and strings in the blocks, in their order.
	hidden []span
}

// Mentions reports whether a body of the module has the word, whether or not the
// module declares it.
func (m *Module) Mentions(word string) bool {
	return m.bodies.findWord(word, func(next byte) bool { return !isWord(next) })
}

// ReadsRegister reports whether a body reads a special register or a part of it:
// "%ctaid" is read by one with %ctaid.x.
func (m *Module) ReadsRegister(name string) bool {
	return m.bodies.findWord(name, func(next byte) bool { return next == '.' || !isWord(next) })
}

// findWord finds a word outside of comments and strings whose next byte is one
// that may follow.
func (b *bodies) findWord(word string, follows func(next byte) bool) bool {
	for _, block := range b.blocks {
		text := b.text[:block.to]
		for at := block.from; ; {
			found := strings.Index(text[at:], word)
			if found < 0 {
				break
			}
			start := at + found
			end := start + len(word)
			if !isWord(text[start-1]) && (end == len(text) || follows(text[end])) && !b.isHidden(start) {
				return true
			}
			at = start + 1
		}
	}
	return false
}

// isHidden reports whether a byte is part of a comment or a string.
func (b *bodies) isHidden(at int) bool {
	i, exact := slices.BinarySearchFunc(b.hidden, at, func(s span, at int) int { return s.from - at })
	return exact || i > 0 && at < b.hidden[i-1].to
}

// stops are the bytes at which skipBlock has to look closer; it skips runs of all others.
var stops = func() (table [256]bool) {
	for _, c := range `{}"/` {
		table[c] = true
	}
	return table
}()

// skipBlock goes over a block whose opening brace was taken, to the byte after
// its closing one; false if the text ends before.
func (s *scanner) skipBlock(b *bodies) (ok bool) {
	start := s.at
	for depth := 1; depth > 0; {
		for s.at < len(s.text) && !stops[s.text[s.at]] {
			s.at++
		}
		if s.at == len(s.text) {
			return false
		}
		switch s.text[s.at] {
		case '{':
			depth++
			s.at++
		case '}':
			depth--
			s.at++
		default:
			from := s.at
			s.skipHidden()
			b.hidden = append(b.hidden, span{from, s.at})
		}
	}
	b.blocks = append(b.blocks, span{start, s.at - 1})
	s.line += strings.Count(s.text[start:s.at], "\n")
	return true
}

// skipHidden goes over a comment, a string or a slash that begins neither.
func (s *scanner) skipHidden() {
	line := s.line
	switch {
	case s.text[s.at] == '"':
		s.skipString()
	case s.startsWith("//"):
		s.skipLine()
	case s.startsWith("/*"):
		s.skipComment()
	default:
		s.at++
	}
	s.line = line // the block's lines are counted as a whole
}
