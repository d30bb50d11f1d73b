package downgrade

import (
	"bytes"
	"strings"

	"offlink/ir/irtext"
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

type token = irtext.Token

// Text returns the module rewritten for the target, or data itself if there is nothing to rewrite.
// path is for messages. Errors are of type *[irtext.Error]; a construct that cannot be rewritten is
// one.
func Text(path string, data []byte, target Target) ([]byte, error) {
	r := &rewriter{target: target, tokens: irtext.NewTokens(path, data), data: data, groupOpen: -1}
	r.walkUntil("")
	if r.err != nil {
		return nil, r.err
	}
	if !r.changed {
		return data, nil
	}
	r.flushUntil(len(data))
	r.declareDebugIntrinsics()
	return r.out, nil
}

// rewriter goes over the tokens and copies those that it does not change.
type rewriter struct {
	target  Target
	tokens  *irtext.Tokens
	data    []byte
	out     []byte
	copied  int // data[:copied] is in out, or was replaced
	changed bool
	ahead   []token // tokens that were peeked at
	err     error   // the first fault

	// The tokens before, as far as they are needed.
	header    token           // the last declare, define, call or invoke
	groupOpen int             // where in out the attributes of a group begin, or -1
	open      []int           // starts of open '<', -1 where it opens no vector type
	vector    token           // the last vector type
	depth     int             // of constructs in constructs
	called    map[string]int  // debug intrinsics that calls were written of, and their operands
	declared  map[string]bool // those that the module declares
}

// nextToken steps over a token. After a fault, all further tokens are the end of the input.
func (r *rewriter) nextToken() token {
	if len(r.ahead) > 0 {
		t := r.ahead[0]
		r.ahead = r.ahead[1:]
		return t
	}
	return r.readToken()
}

func (r *rewriter) readToken() token {
	if r.err != nil {
		return token{}
	}
	t, err := r.tokens.Next()
	if err != nil {
		r.err = err
	}
	return t
}

// peekToken returns the token n after the next one.
func (r *rewriter) peekToken(n int) token {
	for len(r.ahead) <= n {
		r.ahead = append(r.ahead, r.readToken())
	}
	return r.ahead[n]
}

func (r *rewriter) tokenText(t token) string { return string(r.data[t.Start:t.End]) }

// isPunct reports whether the token is that byte.
func (r *rewriter) isPunct(t token, c byte) bool {
	return t.Kind == irtext.TokenPunct && r.data[t.Start] == c
}

// failAt records a fault at a token.
func (r *rewriter) failAt(t token, msg string) {
	if r.err == nil {
		r.err = r.tokens.Error(t.Start, msg)
	}
}

// flushUntil copies the text before pos.
func (r *rewriter) flushUntil(pos int) {
	if pos > r.copied {
		r.out = append(r.out, r.data[r.copied:pos]...)
		r.copied = pos
	}
}

// replaceRange puts text in the place of data[start:end]. Line ends that would be lost are written
// after it.
func (r *rewriter) replaceRange(start, end int, text string) {
	if r.err != nil {
		return // start and end may be anything
	}
	start = max(start, r.copied)
	r.flushUntil(start)
	r.changed = true
	r.out = append(r.out, text...)
	for range bytes.Count(r.data[start:end], []byte{'\n'}) {
		r.out = append(r.out, '\n')
	}
	r.copied = end
}

// putRange writes text for data[start:end], which recordArguments has taken out. Line ends that
// would be lost are written after it.
func (r *rewriter) putRange(start, end int, text string) {
	missing := bytes.Count(r.data[start:end], []byte{'\n'}) - strings.Count(text, "\n")
	r.replaceRange(end, end, text+strings.Repeat("\n", max(missing, 0)))
}

// dropRange removes data[start:end] and the blanks before it.
func (r *rewriter) dropRange(start, end int) {
	for start > r.copied && (r.data[start-1] == ' ' || r.data[start-1] == '\t') {
		start--
	}
	r.replaceRange(start, end, "")
}

// walkUntil rewrites up to one of the bytes of stop outside of brackets that were opened since, and
// returns that token. If stop is empty, it goes to the end of the input.
func (r *rewriter) walkUntil(stop string) token {
	depth := 0
	for {
		t := r.nextToken()
		if t.Kind == irtext.TokenEnd {
			if stop != "" {
				r.failAt(token{Start: len(r.data)}, "a bracket is not closed")
			}
			return t
		}
		if t.Kind == irtext.TokenPunct {
			c := r.data[t.Start]
			if depth <= 0 && strings.IndexByte(stop, c) >= 0 {
				return t
			}
			depth += nestingOf(c)
		}
		r.rewriteToken(t)
	}
}

// nestingOf is how a byte changes the depth of brackets.
func nestingOf(c byte) int {
	switch c {
	case '(', '[', '{', '<':
		return 1
	case ')', ']', '}', '>':
		return -1
	}
	return 0
}

// rewriteToken rewrites the construct that begins with the token.
func (r *rewriter) rewriteToken(t token) {
	switch t.Kind {
	case irtext.TokenWord:
		r.rewriteWord(t)
	case irtext.TokenGlobal:
		r.rewriteGlobal(t)
	case irtext.TokenMetadata:
		r.rewriteMetadata(t)
	case irtext.TokenGroup:
		r.rewriteDebugRecord(t)
	case irtext.TokenString:
		r.rewriteString(t)
	case irtext.TokenPunct:
		r.rewritePunct(t)
	}
}

// maxDepth bounds how deep constructs that are rewritten may be nested.
const maxDepth = 500

// rewriteNested runs f one level deeper.
func (r *rewriter) rewriteNested(t token, f func()) {
	r.depth++
	if r.depth > maxDepth {
		r.failAt(t, "nested too deeply")
	} else {
		f()
	}
	r.depth--
}

// captureOutput runs f and returns its output, from pos to where it stopped reading, which is the
// start of the token that it returned. Comments are left out, since more may follow the text on its
// line.
func (r *rewriter) captureOutput(pos int, f func() token) (string, token) {
	r.flushUntil(pos)
	begin := len(r.out)
	end := f()
	r.flushUntil(end.Start)
	text := withoutComments(string(r.out[begin:]))
	r.out = r.out[:begin]
	return text, end
}

// withoutComments removes comments; line ends stay.
func withoutComments(text string) string {
	if !strings.Contains(text, ";") {
		return text
	}
	var out []byte
	quoted, comment := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' || c == '\r':
			comment = false
		case c == '"' && !comment:
			quoted = !quoted
		case c == ';' && !quoted:
			comment = true
		}
		if !comment {
			out = append(out, text[i])
		}
	}
	return string(out)
}

// rewriteWord rewrites the construct that begins with a keyword. A word before a colon is a label
// or a field.
func (r *rewriter) rewriteWord(t token) {
	name := r.tokenText(t)
	if r.isPunct(r.peekToken(0), ':') {
		return
	}
	switch name {
	case "declare", "define", "call", "invoke":
		r.header = t
	case "attributes":
		r.openGroup()
	case "freeze":
		r.rewriteFreeze(t)
	}
	if k := keywordNamed.Get()[name]; k != nil && (k.action == effectsOf || !r.target.readsVersion(k.since)) {
		r.applyKeyword(k, t)
	}
	if flags := flagsOf.Get()[name]; flags != nil {
		r.dropFlags(flags)
	}
}

// rewriteString drops the second string of !{!"branch_weights", !"expected", ...}.
func (r *rewriter) rewriteString(t token) {
	if r.target.readsVersion(llvmschema.ExpectedWeights) || r.tokenText(t) != `"branch_weights"` || !r.isPunct(r.peekToken(0), ',') || !r.isPunct(r.peekToken(1), '!') {
		return
	}
	if expected := r.peekToken(2); r.tokenText(expected) == `"expected"` {
		r.replaceRange(t.End, expected.End, "")
	}
}

var keywordNamed = lazy.Map[string, *keyword]{New: makeKeywords}

func makeKeywords() map[string]*keyword {
	named := make(map[string]*keyword, len(keywords.Get()))
	for i := range keywords.Get() {
		named[keywords.Get()[i].name] = &keywords.Get()[i]
	}
	return named
}

// rewritePunct keeps track of brackets.
func (r *rewriter) rewritePunct(t token) {
	switch r.data[t.Start] {
	case '<':
		r.openVector(t)
	case '>':
		r.closeVector(t)
	case '}':
		r.closeGroup(t)
	}
}

// openGroup begins a group of attributes.
func (r *rewriter) openGroup() {
	if r.peekToken(0).Kind == irtext.TokenGroup && r.isPunct(r.peekToken(1), '=') && r.isPunct(r.peekToken(2), '{') {
		brace := r.peekToken(2)
		r.ahead = r.ahead[3:]
		r.flushUntil(brace.End)
		r.groupOpen = len(r.out)
	}
}

// closeGroup ends a group. LLVM refuses an empty group, so one that lost all its attributes gets
// another.
func (r *rewriter) closeGroup(t token) {
	if r.groupOpen < 0 {
		return
	}
	r.flushUntil(t.Start)
	if len(bytes.TrimSpace(r.out[r.groupOpen:])) == 0 {
		r.replaceRange(t.Start, t.Start, `"dropped" `)
	}
	r.groupOpen = -1
}
