package downgrade

import (
	"bytes"
	"strings"

	"offlink/ir/irtext"
)

type token = irtext.Token

// Text returns the module rewritten for the target; data itself where there
// is nothing to rewrite. path is for messages. Errors are of type
// *[irtext.Error]; a construct that cannot be rewritten is one.
func Text(path string, data []byte, target Target) ([]byte, error) {
	r := &rewriter{target: target, tokens: irtext.NewTokens(path, data), data: data, groupOpen: -1}
	r.walk("")
	if r.err != nil {
		return nil, r.err
	}
	if !r.changed {
		return data, nil
	}
	r.flush(len(data))
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

// next steps over a token. After a fault everything is at its end.
func (r *rewriter) next() token {
	if len(r.ahead) > 0 {
		t := r.ahead[0]
		r.ahead = r.ahead[1:]
		return t
	}
	return r.read()
}

func (r *rewriter) read() token {
	if r.err != nil {
		return token{}
	}
	t, err := r.tokens.Next()
	if err != nil {
		r.err = err
	}
	return t
}

// peek returns the token n after the next one.
func (r *rewriter) peek(n int) token {
	for len(r.ahead) <= n {
		r.ahead = append(r.ahead, r.read())
	}
	return r.ahead[n]
}

func (r *rewriter) text(t token) string { return string(r.data[t.Start:t.End]) }

// is reports whether the token is that byte.
func (r *rewriter) is(t token, c byte) bool {
	return t.Kind == irtext.TokenPunct && r.data[t.Start] == c
}

// fail records a fault at a token.
func (r *rewriter) fail(t token, msg string) {
	if r.err == nil {
		r.err = r.tokens.Error(t.Start, msg)
	}
}

// flush copies the text before pos.
func (r *rewriter) flush(pos int) {
	if pos > r.copied {
		r.out = append(r.out, r.data[r.copied:pos]...)
		r.copied = pos
	}
}

// replace puts text in the place of data[start:end]. Line ends that would go
// are written after it.
func (r *rewriter) replace(start, end int, text string) {
	if r.err != nil {
		return // start and end may be anything
	}
	start = max(start, r.copied)
	r.flush(start)
	r.changed = true
	r.out = append(r.out, text...)
	for range bytes.Count(r.data[start:end], []byte{'\n'}) {
		r.out = append(r.out, '\n')
	}
	r.copied = end
}

// put writes text for data[start:end], which arguments has taken in. Line ends
// that would go are written after it.
func (r *rewriter) put(start, end int, text string) {
	missing := bytes.Count(r.data[start:end], []byte{'\n'}) - strings.Count(text, "\n")
	r.replace(end, end, text+strings.Repeat("\n", max(missing, 0)))
}

// drop removes data[start:end] and the blanks before it.
func (r *rewriter) drop(start, end int) {
	for start > r.copied && (r.data[start-1] == ' ' || r.data[start-1] == '\t') {
		start--
	}
	r.replace(start, end, "")
}

// walk rewrites up to one of the bytes of stop outside of brackets that were
// opened since, and returns that token; with an empty stop, to the end of the
// input.
func (r *rewriter) walk(stop string) token {
	depth := 0
	for {
		t := r.next()
		if t.Kind == irtext.TokenEnd {
			if stop != "" {
				r.fail(token{Start: len(r.data)}, "a bracket is not closed")
			}
			return t
		}
		if t.Kind == irtext.TokenPunct {
			c := r.data[t.Start]
			if depth <= 0 && strings.IndexByte(stop, c) >= 0 {
				return t
			}
			depth += nesting(c)
		}
		r.step(t)
	}
}

// nesting is how a byte changes the depth of brackets.
func nesting(c byte) int {
	switch c {
	case '(', '[', '{', '<':
		return 1
	case ')', ']', '}', '>':
		return -1
	}
	return 0
}

// step rewrites the construct that begins with the token.
func (r *rewriter) step(t token) {
	switch t.Kind {
	case irtext.TokenWord:
		r.word(t)
	case irtext.TokenGlobal:
		r.global(t)
	case irtext.TokenMetadata:
		r.metadata(t)
	case irtext.TokenGroup:
		r.record(t)
	case irtext.TokenString:
		r.str(t)
	case irtext.TokenPunct:
		r.punct(t)
	}
}

// maxDepth bounds how deep constructs that are rewritten may lie in another.
const maxDepth = 500

// nested runs f one level deeper.
func (r *rewriter) nested(t token, f func()) {
	r.depth++
	if r.depth > maxDepth {
		r.fail(t, "nested too deeply")
	} else {
		f()
	}
	r.depth--
}

// capture runs f and returns its output, from pos on to where it stopped
// reading, which is the start of the token that it returned. Comments are left
// out, as the text goes where more follows on the line.
func (r *rewriter) capture(pos int, f func() token) (string, token) {
	r.flush(pos)
	begin := len(r.out)
	end := f()
	r.flush(end.Start)
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
		case c == '\n':
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

// word rewrites the construct that begins with a keyword. A word before a colon is a label
// or a field.
func (r *rewriter) word(t token) {
	name := r.text(t)
	if r.is(r.peek(0), ':') {
		return
	}
	switch name {
	case "declare", "define", "call", "invoke":
		r.header = t
	case "attributes":
		r.openGroup()
	case "freeze":
		r.freeze(t)
	}
	if k := keywordNamed[name]; k != nil && (k.action == effectsOf || !r.target.reads(k.since)) {
		r.apply(k, t)
	}
	if flags := flagsOf[name]; flags != nil {
		r.flags(flags)
	}
}

// str drops the second string of !{!"branch_weights", !"expected", ...}.
func (r *rewriter) str(t token) {
	if r.target.reads(19) || r.text(t) != `"branch_weights"` || !r.is(r.peek(0), ',') || !r.is(r.peek(1), '!') {
		return
	}
	if expected := r.peek(2); r.text(expected) == `"expected"` {
		r.replace(t.End, expected.End, "")
	}
}

var keywordNamed = makeKeywords()

func makeKeywords() map[string]*keyword {
	named := make(map[string]*keyword, len(keywords))
	for i := range keywords {
		named[keywords[i].name] = &keywords[i]
	}
	return named
}

// punct keeps account of brackets.
func (r *rewriter) punct(t token) {
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
	if r.peek(0).Kind == irtext.TokenGroup && r.is(r.peek(1), '=') && r.is(r.peek(2), '{') {
		brace := r.peek(2)
		r.ahead = r.ahead[3:]
		r.flush(brace.End)
		r.groupOpen = len(r.out)
	}
}

// closeGroup ends a group. LLVM refuses one that is empty.
func (r *rewriter) closeGroup(t token) {
	if r.groupOpen < 0 {
		return
	}
	r.flush(t.Start)
	if len(bytes.TrimSpace(r.out[r.groupOpen:])) == 0 {
		r.replace(t.Start, t.Start, `"dropped" `)
	}
	r.groupOpen = -1
}
