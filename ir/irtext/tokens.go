package irtext

// TokenKind tells tokens apart.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenEnd      TokenKind = iota // end of the input
	TokenWord                      // a keyword, an opcode, a bare label
	TokenNumber                    // an integer or floating-point literal
	TokenString                    // "text"; the c of c"text" is a word
	TokenGlobal                    // @name
	TokenLocal                     // %name
	TokenComdat                    // $name
	TokenMetadata                  // !name or !0
	TokenGroup                     // #0, #dbg_value
	TokenPunct                     // any other byte
)

// Token is one token: data[Start:End] of the input.
type Token struct {
	Kind       TokenKind
	Start, End int
}

// Tokens walks over the tokens of a text, without a notion of its grammar.
// Comments and white space lie between tokens.
type Tokens struct {
	scanner
	path string
}

// NewTokens returns the tokens of a text; path is for messages.
func NewTokens(path string, data []byte) *Tokens {
	return &Tokens{scanner{data: data}, path}
}

// Next returns the next token, TokenEnd at the end. Errors are of type
// *[Error].
func (t *Tokens) Next() (token Token, err error) {
	if f := catchFault(func() { token = t.nextToken() }); f != nil {
		return Token{}, errorAt(t.path, t.data, f)
	}
	return token, nil
}

// Error returns an error with the place of the byte at pos.
func (t *Tokens) Error(pos int, msg string) *Error {
	return errorAt(t.path, t.data, &fault{pos, msg})
}

// nextToken returns the next token; TokenEnd at the end of the input, as often
// as it is asked.
func (t *Tokens) nextToken() Token {
	c := t.peekByte()
	start := t.pos
	kind := TokenEnd
	if t.pos < len(t.data) {
		kind = t.kindOf(c)
	}
	t.advanceTo(kind)
	return Token{kind, start, t.pos}
}

// kindOf returns the kind of a token that begins with the byte c.
func (t *Tokens) kindOf(c byte) TokenKind {
	next := class[t.byteAt(1)]
	switch {
	case class[c]&classDigit != 0, c == '-' && next&classDigit != 0:
		return TokenNumber
	case c == '$' && (next&classWord != 0 || t.byteAt(1) == '"'):
		return TokenComdat
	case class[c]&classLetter != 0:
		return TokenWord
	case c == '"':
		return TokenString
	case c == '@' && (next&classWord != 0 || t.byteAt(1) == '"'):
		return TokenGlobal
	case c == '%' && (next&classWord != 0 || t.byteAt(1) == '"'):
		return TokenLocal
	case c == '!' && (next&classWord != 0 || t.byteAt(1) == '\\'):
		return TokenMetadata
	case c == '#' && next&classWord != 0:
		return TokenGroup
	}
	return TokenPunct
}

// advanceTo moves to the end of the token of that kind.
func (t *Tokens) advanceTo(kind TokenKind) {
	switch kind {
	case TokenEnd:
	case TokenNumber:
		t.readNumber()
	case TokenWord:
		t.readWord()
	case TokenString:
		t.readQuoted()
	case TokenMetadata:
		t.pos++
		t.metadataName()
	case TokenGlobal, TokenLocal, TokenComdat:
		t.pos++
		if t.byteAt(0) == '"' {
			t.readQuoted()
			return
		}
		t.bareName()
	case TokenGroup:
		t.pos++
		t.bareName()
	default:
		t.pos++
	}
}

// bareName steps over a name without quotes.
func (t *Tokens) bareName() {
	for class[t.byteAt(0)]&classWord != 0 {
		t.pos++
	}
}
