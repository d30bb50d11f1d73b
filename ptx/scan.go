package ptx

import (
	"fmt"
	"strings"
)

// Error is a fault of a PTX text.
type Error struct {
	Name string // of the module, for messages
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Msg) }

// token is a word, a string with its quotes, or a single character. Words
// have letters, digits and any of "_$%.".
type token struct {
	text string
	at   int
	line int
}

// scanner takes the text apart. After the end it gives empty tokens.
type scanner struct {
	name string
	text string
	at   int
	line int
	next token
}

func newScanner(name, text string) *scanner {
	s := &scanner{name: name, text: text, line: 1}
	s.nextToken()
	return s
}

func (s *scanner) errorf(format string, args ...any) error {
	return &Error{s.name, s.next.line, fmt.Sprintf(format, args...)}
}

// takeToken returns the next token and goes on to the one after it.
func (s *scanner) takeToken() token {
	t := s.next
	s.nextToken()
	return t
}

// skipToken takes the next token if it is text.
func (s *scanner) skipToken(text string) bool {
	if s.next.text != text {
		return false
	}
	s.nextToken()
	return true
}

// expectToken takes the next token, which must be text.
func (s *scanner) expectToken(text string) error {
	if !s.skipToken(text) {
		return s.errorf("want %q, found %q", text, s.next.text)
	}
	return nil
}

func (s *scanner) nextToken() {
	s.skipSpace()
	start := s.at
	switch {
	case s.at >= len(s.text):
	case s.text[s.at] == '"':
		s.skipString()
	case isWord(s.text[s.at]):
		for s.at < len(s.text) && isWord(s.text[s.at]) {
			s.at++
		}
	default:
		s.at++
	}
	s.next = token{s.text[start:s.at], start, s.line}
}

// skipSpace goes over blanks and comments.
func (s *scanner) skipSpace() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\n':
			s.line++
			s.at++
		case c == ' ' || c == '\t' || c == '\r' || c == 0: // a NUL ends the texts of fat binaries
			s.at++
		case s.startsWith("//"):
			s.skipLine()
		case s.startsWith("/*"):
			s.skipComment()
		default:
			return
		}
	}
}

func (s *scanner) startsWith(mark string) bool {
	return s.at+len(mark) <= len(s.text) && s.text[s.at:s.at+len(mark)] == mark
}

// skipLine goes to the end of the line.
func (s *scanner) skipLine() {
	if end := strings.IndexByte(s.text[s.at:], '\n'); end >= 0 {
		s.at += end
		return
	}
	s.at = len(s.text)
}

func (s *scanner) skipComment() {
	s.at += 2
	for s.at < len(s.text) && !s.startsWith("*/") {
		if s.text[s.at] == '\n' {
			s.line++
		}
		s.at++
	}
	s.at = min(s.at+2, len(s.text))
}

// skipString goes over a string, which ends on its line.
func (s *scanner) skipString() {
	s.at++
	for s.at < len(s.text) && s.text[s.at] != '\n' {
		s.at++
		if s.text[s.at-1] == '"' {
			return
		}
	}
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.' || c >= 0x80
}
