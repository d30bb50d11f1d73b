package irtext

import (
	"bytes"
	"math"
	"strconv"

	"offlink/abort"
)

// The classes of bytes that names and numbers are made of.
const (
	classLetter = 1 << iota // may begin a word: letters and $ . _ -
	classDigit
	classNumber // may be inside a number: digits, letters and . + -
)

var class = makeClasses()

// makeClasses makes the table of the scanner: letters as LLVM's lexer takes
// them in names, and digits.
func makeClasses() (table [256]uint8) {
	for c := range table {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		digit := '0' <= c && c <= '9'
		if letter || c == '$' || c == '.' || c == '_' || c == '-' {
			table[c] |= classLetter
		}
		if digit {
			table[c] |= classDigit
		}
		if letter || digit || c == '.' || c == '+' || c == '-' {
			table[c] |= classNumber
		}
	}
	return table
}

// classWord is the class of the bytes that continue a word or a bare name.
const classWord = classLetter | classDigit

// scanner walks the bytes of a module token by token. Methods that read a token skip the white
// space before it. The scanner makes no tokens: the parser asks for the bytes that the grammar
// allows at a place, which costs no memory and lets bodies be stepped over at the speed of their
// bytes.
type scanner struct {
	data []byte
	pos  int
	// While pos equals skipped, only white space and comments lie between tokenEnd and pos.
	tokenEnd, skipped int
}

// endOfToken returns where the last token that was stepped over ends: pos, or where the white
// space in front of pos begins. A span that is copied must not take along the space and the
// comments after it.
func (s *scanner) endOfToken() int {
	if s.pos == s.skipped {
		return s.tokenEnd
	}
	return s.pos
}

// fault is the error that failAt stops with; the entry points of the package turn it into an
// [Error].
type fault struct {
	pos int
	msg string
}

func (f *fault) Error() string { return f.msg }

// failAt gives up with a message about the byte at pos.
func (s *scanner) failAt(pos int, msg string) { abort.With(&fault{pos, msg}) }

// skipSpace moves to the next byte that is neither white nor in a comment. NUL
// bytes are white, as for LLVM.
func (s *scanner) skipSpace() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		// LLLexer::LexToken skips NUL as well, except at the very end.
		case ' ', '\n', '\t', '\r', 0:
			s.pos++
		case ';':
			s.skipComment()
		case '/':
			if !s.blockComment() {
				return
			}
		default:
			return
		}
	}
}

// skipComment moves to the end of a line comment: a line feed or, as for LLVM, a carriage return
// alone.
func (s *scanner) skipComment() {
	for s.pos < len(s.data) && s.data[s.pos] != '\n' && s.data[s.pos] != '\r' {
		s.pos++
	}
}

// blockComment steps over a comment of the form /* */ (LLVM 21) and reports whether one was next.
func (s *scanner) blockComment() bool {
	if !bytes.HasPrefix(s.data[s.pos:], []byte("/*")) {
		return false
	}
	end := bytes.Index(s.data[s.pos+2:], []byte("*/"))
	if end < 0 {
		s.failAt(s.pos, "comment without end")
	}
	s.pos += 2 + end + 2
	return true
}

// peekByte returns the next byte that is not white, or 0 at the end.
func (s *scanner) peekByte() byte {
	if s.pos < len(s.data) && !maybeWhite[s.data[s.pos]] {
		return s.data[s.pos]
	}
	return s.peekPastSpace()
}

// maybeWhite is true for the bytes that skipSpace looks at.
var maybeWhite = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, 0: true, ';': true, '/': true}

// peekPastSpace is peekByte where the next byte may be white.
func (s *scanner) peekPastSpace() byte {
	before := s.pos
	if s.byteAt(0) == ' ' && !maybeWhite[s.byteAt(1)] {
		s.pos++ // by far the most frequent
	} else {
		s.skipSpace()
	}
	if s.pos != before {
		if before != s.skipped {
			s.tokenEnd = before
		}
		s.skipped = s.pos
	}
	return s.byteAt(0)
}

// byteAt returns the byte at pos+n, or 0 after the end.
func (s *scanner) byteAt(n int) byte {
	if s.pos+n < len(s.data) {
		return s.data[s.pos+n]
	}
	return 0
}

// acceptByte steps over the byte c if it is next.
func (s *scanner) acceptByte(c byte) bool {
	if s.peekByte() != c {
		return false
	}
	s.pos++
	return true
}

// expectByte steps over the byte c, which must be next.
func (s *scanner) expectByte(c byte) {
	if s.peekByte() != c {
		s.failUnexpected("'" + string(rune(c)) + "'")
	}
	s.pos++
}

// failUnexpected fails with the next token and the expected one.
func (s *scanner) failUnexpected(want string) {
	s.peekByte()
	s.failAt(s.pos, "expected "+want+", found "+s.describeToken())
}

// describeToken names the token that is next, for messages.
func (s *scanner) describeToken() string {
	c := s.peekByte()
	if c == 0 {
		return "the end of the input"
	}
	if c < ' ' || c > '~' {
		return "the byte 0x" + strconv.FormatUint(uint64(c), 16)
	}
	end := s.pos + 1
	if c == '@' || c == '%' || c == '!' || c == '#' || c == '$' || class[c]&classWord != 0 {
		for end < len(s.data) && class[s.data[end]]&classWord != 0 && end < s.pos+40 {
			end++
		}
	}
	return "'" + string(s.data[s.pos:end]) + "'"
}

// peekWord returns the word that is next without stepping over it, or nil if the next byte does
// not begin a word.
func (s *scanner) peekWord() []byte {
	c := s.peekByte()
	if class[c]&classLetter == 0 {
		return nil
	}
	end := s.pos + 1
	for end < len(s.data) && class[s.data[end]]&classWord != 0 {
		end++
	}
	return s.data[s.pos:end]
}

// readWord steps over a word and returns it.
func (s *scanner) readWord() []byte {
	w := s.peekWord()
	if w == nil {
		s.failUnexpected("a word")
	}
	s.pos += len(w)
	return w
}

// acceptWord steps over that word if it is next.
func (s *scanner) acceptWord(want string) bool {
	if s.peekByte() != want[0] || s.pos+len(want) > len(s.data) || string(s.data[s.pos:s.pos+len(want)]) != want {
		return false
	}
	if class[s.byteAt(len(want))]&classWord != 0 {
		return false
	}
	s.pos += len(want)
	return true
}

// expectWord steps over that word, which must be next.
func (s *scanner) expectWord(want string) {
	if !s.acceptWord(want) {
		s.failUnexpected("'" + want + "'")
	}
}

// readInteger steps over an unsigned decimal number.
func (s *scanner) readInteger() uint64 {
	if class[s.peekByte()]&classDigit == 0 {
		s.failUnexpected("a number")
	}
	start, n := s.pos, uint64(0)
	for ; class[s.byteAt(0)]&classDigit != 0; s.pos++ {
		digit := uint64(s.data[s.pos] - '0')
		if n > (math.MaxUint64-digit)/10 {
			s.failAt(start, "number too large")
		}
		n = n*10 + digit
	}
	return n
}

// number32 steps over an unsigned number below 2^32: names, groups and nodes are numbered with 32
// bits in LLVM.
func (s *scanner) number32() uint32 {
	start := s.pos
	n := s.readInteger()
	if n > math.MaxUint32 {
		s.failAt(start, "number too large")
	}
	return uint32(n)
}

// readNumber steps over a number of any form and returns its text. Digits and dots with at most
// a sign in front, which most numbers are, need no second look by isNumber.
func (s *scanner) readNumber() []byte {
	s.peekByte()
	start := s.pos
	plain := true
	for c := s.byteAt(0); class[c]&classNumber != 0; c = s.byteAt(0) {
		plain = plain && (class[c]&classDigit != 0 || c == '.' || s.pos == start)
		s.pos++
	}
	text := s.data[start:s.pos]
	if len(text) == 0 {
		s.failUnexpected("a number")
	}
	if !plain && !isNumber(text) {
		s.failAt(start, "'"+string(text)+"' is not a number")
	}
	return text
}

// isNumber reports whether a text with letters or signs is a number: decimal
// with an exponent, hexadecimal, or the name of one (-inf, LLVM 23).
func isNumber(text []byte) bool {
	digits := bytes.TrimLeft(text, "+-")
	switch {
	case len(digits) == 0 || class[digits[0]]&classDigit == 0:
		return true
	case bytes.HasPrefix(digits, []byte("0x")):
		rest := digits[2:]
		// A letter selects the format of the digits: x86_fp80, fp128, ppc_fp128, half or
		// bfloat.
		if len(rest) > 0 && bytes.IndexByte([]byte("KLMHR"), rest[0]) >= 0 {
			rest = rest[1:]
		}
		return len(bytes.Trim(rest, "0123456789abcdefABCDEF")) == 0
	}
	exponent := bytes.TrimLeft(digits, "0123456789.")
	if len(exponent) > 1 && exponent[0]|0x20 == 'e' {
		exponent = bytes.TrimLeft(exponent[1:], "+-")
	}
	return len(bytes.TrimLeft(exponent, "0123456789")) == 0
}

// readQuoted steps over a string and returns the text between the quotes, escapes
// as written.
func (s *scanner) readQuoted() []byte {
	if s.peekByte() != '"' {
		s.failUnexpected("a string")
	}
	end := bytes.IndexByte(s.data[s.pos+1:], '"')
	if end < 0 {
		s.failAt(s.pos, "string without end")
	}
	text := s.data[s.pos+1 : s.pos+1+end]
	s.pos += end + 2
	return text
}

// readDecoded steps over a string and returns its value.
func (s *scanner) readDecoded() []byte { return unescapeString(s.readQuoted()) }

// unescapeString replaces \\ and \XX. It returns text itself when there is nothing
// to replace.
// A backslash that neither form follows stands for itself (LLLexer, UnEscapeLexed).
func unescapeString(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) && text[i+1] == '\\' {
			i++
		} else if c == '\\' && i+2 < len(text) && hexDigit(text[i+1]) >= 0 && hexDigit(text[i+2]) >= 0 {
			c = byte(hexDigit(text[i+1])<<4 | hexDigit(text[i+2]))
			i += 2
		}
		out = append(out, c)
	}
	return out
}

// hexDigit returns the value of a hexadecimal digit, or -1 for any other byte.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// name is the text or number after @, % or $.
type name struct {
	text     []byte // decoded; nil for a number
	number   uint32
	numbered bool
}

// String returns the name as messages show it, without the sigil.
func (n name) String() string {
	if n.numbered {
		return formatNumber(n.number)
	}
	return string(appendName(nil, n.text))
}

// readName steps over a name; the sigil before it has been read.
func (s *scanner) readName() name {
	switch c := s.byteAt(0); {
	case c == '"':
		start := s.pos
		text := s.readDecoded()
		// LLVM refuses it too: names of symbols end at a NUL in object files.
		if bytes.IndexByte(text, 0) >= 0 {
			s.failAt(start, "a NUL byte in a name")
		}
		return name{text: text}
	case class[c]&classDigit != 0:
		return name{number: s.number32(), numbered: true}
	case class[c]&classLetter != 0:
		start := s.pos
		for class[s.byteAt(0)]&classWord != 0 {
			s.pos++
		}
		return name{text: s.data[start:s.pos]}
	}
	s.failAt(s.pos, "expected a name")
	return name{}
}

// metadataName steps over the name after '!' and returns it decoded.
func (s *scanner) metadataName() []byte {
	start := s.pos
	for class[s.byteAt(0)]&classWord != 0 || s.byteAt(0) == '\\' {
		s.pos++
	}
	if s.pos == start {
		s.failAt(s.pos, "expected a name")
	}
	return unescapeString(s.data[start:s.pos])
}

// skipBalanced steps over a bracket, its contents, and the bracket that
// closes it. It looks at strings and comments only as far as to skip the
// brackets in them, and not at all at brackets of other kinds.
// There is one set of stop bytes for each kind of bracket, so that this loop is a load and a
// branch for each byte: nearly all of a module passes through it.
func (s *scanner) skipBalanced() {
	open := s.byteAt(0)
	stops := stopsOf(open)
	if stops == nil {
		s.failUnexpected("a bracket")
	}
	start, depth := s.pos, 0
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		if !stops[c] {
			s.pos++
			continue
		}
		switch c {
		case open:
			depth++
		case '"':
			s.readQuoted()
			continue
		case ';':
			s.skipSpace()
			continue
		case '/':
			if s.blockComment() {
				continue
			}
		default:
			depth--
			if depth == 0 {
				s.pos++
				return
			}
		}
		s.pos++
	}
	s.failAt(start, "'"+string(rune(open))+"' without its end")
}

// stopsOf returns the bytes that skipBalanced looks at inside a bracket, or nil if the byte opens
// none.
func stopsOf(open byte) *[256]bool {
	switch open {
	case '{':
		return &braceStops
	case '(':
		return &parenthesisStops
	case '[':
		return &bracketStops
	}
	return nil
}

var (
	braceStops       = [256]bool{'{': true, '}': true, '"': true, ';': true, '/': true}
	parenthesisStops = [256]bool{'(': true, ')': true, '"': true, ';': true, '/': true}
	bracketStops     = [256]bool{'[': true, ']': true, '"': true, ';': true, '/': true}
)
