package downgrade

import (
	"bytes"
	"strconv"
	"strings"

	"offlink/ir/irtext"
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// flagsOf has the versions of flags by opcode and flag.
var flagsOf = lazy.Map[string, map[string]int]{New: makeFlags}

// makeFlags indexes the schema's table of flags by opcode and flag.
func makeFlags() map[string]map[string]int {
	byOpcode := map[string]map[string]int{}
	for _, f := range llvmschema.Flags {
		if byOpcode[f.Opcode] == nil {
			byOpcode[f.Opcode] = map[string]int{}
		}
		names := []string{f.Name}
		if f.Name == llvmschema.FastMath {
			names = llvmschema.FastMathFlags
		}
		for _, name := range names {
			byOpcode[f.Opcode][name] = f.Since
		}
	}
	return byOpcode
}

// otherFlags are flags that every LLVM has and that may stand among those that
// are dropped.
var otherFlags = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{"inbounds": true, "exact": true, "nuw": true, "nsw": true}
}}

// dropFlags drops flags that are too new, after the opcode that has them.
func (r *rewriter) dropFlags(since map[string]int) {
	for {
		t := r.peekToken(0)
		if t.Kind != irtext.TokenWord {
			return
		}
		v, known := since[r.tokenText(t)]
		switch {
		case known && !r.target.readsVersion(v):
			r.dropRange(t.Start, r.skipFlag())
		case known || otherFlags.Get()[r.tokenText(t)]:
			r.skipFlag()
		default:
			return
		}
	}
}

// skipFlag steps over a flag and returns where it ends.
func (r *rewriter) skipFlag() int {
	t := r.nextToken()
	if r.tokenText(t) == "inrange" && r.isPunct(r.peekToken(0), '(') {
		return r.skipCall()
	}
	return t.End
}

// openVector notes whether '<' begins a vector type: <4 x T> or
// <vscale x 4 x T>.
func (r *rewriter) openVector(t token) {
	start := -1
	if (r.peekToken(0).Kind == irtext.TokenNumber || r.tokenText(r.peekToken(0)) == "vscale") && r.tokenText(r.peekToken(1)) == "x" {
		start = t.Start
	}
	r.open = append(r.open, start)
}

// closeVector notes the last vector type, which gives a splat its length.
func (r *rewriter) closeVector(t token) {
	if len(r.open) == 0 {
		return
	}
	start := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if start >= 0 {
		r.vector = token{Start: start, End: t.End}
	}
}

// Bounds of a vector constant that is written out: its elements, and the
// bytes of one. Vectors of SPIR-V have at most 16 elements.
const (
	maxSplat        = 64
	maxSplatElement = 1 << 16
)

// rewriteSplat writes "splat (T x)" out. The vector type before it, of the operand itself or of the
// instruction's first one, tells how many elements it has.
func (r *rewriter) rewriteSplat(t token) {
	open := r.nextToken()
	n := r.vectorLength()
	if n < 1 || n > maxSplat {
		r.failAt(t, "splat: the vector type before it has no length from 1 to "+strconv.Itoa(maxSplat))
		return
	}
	r.rewriteNested(t, func() {
		r.flushUntil(t.Start)
		r.copied = open.End
		element, end := r.captureOutput(open.End, func() token { return r.walkUntil(")") })
		if len(element) > maxSplatElement {
			r.failAt(t, "splat of something too long")
		}
		lines := strings.Repeat("\n", bytes.Count(r.data[t.Start:open.End], []byte("\n"))) // messages count them
		r.replaceRange(end.Start, end.End, lines+"<"+strings.Repeat(element+", ", n-1)+element+">")
	})
}

// vectorLength returns the length of the last vector type, or 0 if there was none or it is
// scalable.
func (r *rewriter) vectorLength() int {
	text := strings.TrimLeft(withoutComments(string(r.data[r.vector.Start:r.vector.End])), "< \t\n")
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	n, _ := strconv.Atoi(text[:digits])
	return n
}

// freezeTranslator is the version of the first translator that has freeze; LLVM's
// readers have it since LLVM 10.
const freezeTranslator = 16

// rewriteFreeze replaces "freeze T x" of integers and their vectors by "or T x, x":
// the translator of LLVM 15 has no freeze, and SPIR-V no poison that it would
// stop. An undefined operand becomes 0.
func (r *rewriter) rewriteFreeze(t token) {
	value := r.integerType(0)
	if r.target.readsVersion(freezeTranslator) || value == 0 {
		return
	}
	v := r.peekToken(value)
	text := r.tokenText(v)
	switch {
	case text == "undef" || text == "poison":
		text = "zeroinitializer"
		if value == 1 {
			text = "0"
		}
		r.replaceRange(t.Start, t.End, "or")
		r.replaceRange(v.Start, v.End, text+", "+text)
	case v.Kind == irtext.TokenLocal || v.Kind == irtext.TokenNumber:
		r.replaceRange(t.Start, t.End, "or")
		r.replaceRange(v.End, v.End, ", "+text)
	}
}

// integerType returns how many tokens, from the one n ahead on, are an integer type or a vector of
// integers, or 0 if they are neither.
func (r *rewriter) integerType(n int) int {
	if r.isPunct(r.peekToken(n), '<') && r.peekToken(n+1).Kind == irtext.TokenNumber && r.tokenText(r.peekToken(n+2)) == "x" &&
		r.integerType(n+3) == 1 && r.isPunct(r.peekToken(n+4), '>') {
		return 5
	}
	if bits, ok := strings.CutPrefix(r.tokenText(r.peekToken(n)), "i"); ok && r.peekToken(n).Kind == irtext.TokenWord {
		if _, err := strconv.ParseUint(bits, 10, 32); err == nil {
			return 1
		}
	}
	return 0
}
