package downgrade

import (
	"fmt"
	"strings"

	"offlink/ir/irtext"
	"offlink/lazy"
)

// applyKeyword carries out the action of the table for the keyword at t.
func (r *rewriter) applyKeyword(k *keyword, t token) {
	hasArgument := r.isPunct(r.peekToken(0), '(')
	switch k.action {
	case dropWord:
		r.dropWord(t)
		return
	case toPtrToInt:
		r.replaceRange(t.Start, t.End, "ptrtoint")
		return
	case refuse:
		r.refuseKeyword(k, t)
		return
	}
	if !hasArgument {
		return
	}
	switch k.action {
	case dropCall:
		r.dropWord(t)
	case dropArgument:
		r.dropRange(t.End, r.skipCall())
	case captures:
		r.rewriteCaptures(t)
	case denormals:
		r.rewriteDenormals(t)
	case effectsOf:
		r.rewriteMemory(t)
	case splat:
		r.rewriteSplat(t)
	case refuseCall:
		r.refuseKeyword(k, t)
	}
}

// dropWord drops the word, and its argument in parentheses if it has one.
func (r *rewriter) dropWord(t token) {
	end := t.End
	if r.isPunct(r.peekToken(0), '(') {
		end = r.skipCall()
	}
	r.dropRange(t.Start, end)
}

// refuseKeyword fails: a rewrite does not exist.
func (r *rewriter) refuseKeyword(k *keyword, t token) {
	r.failAt(t, fmt.Sprintf("'%s' (%s) came with LLVM %d and has no form in LLVM %d", k.name, k.why, k.since, r.target.LLVM))
}

// skipCall steps over a part in parentheses and returns where it ends.
func (r *rewriter) skipCall() int {
	for depth := 0; ; {
		t := r.nextToken()
		switch {
		case t.Kind == irtext.TokenEnd:
			r.failAt(token{Start: len(r.data)}, "a bracket is not closed")
			return len(r.data)
		case r.isPunct(t, '('):
			depth++
		case r.isPunct(t, ')'):
			if depth--; depth == 0 {
				return t.End
			}
		}
	}
}

// rewriteCaptures turns captures(none) into nocapture and drops other forms.
func (r *rewriter) rewriteCaptures(t token) {
	none := r.tokenText(r.peekToken(1)) == "none" && r.isPunct(r.peekToken(2), ')')
	end := r.skipCall()
	if none {
		r.replaceRange(t.Start, end, "nocapture")
	} else {
		r.dropRange(t.Start, end)
	}
}

// keywordArgument steps over a part in parentheses and returns its text.
func (r *rewriter) keywordArgument() (text string, end int) {
	start := r.peekToken(0).End
	end = r.skipCall()
	return withoutComments(string(r.data[start:max(start, end-1)])), end
}

// denormalModes are the modes of denormal_fpenv and their older spellings
// (DenormalMode in LLVM's FloatingPointMode.h).
var denormalModes = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"ieee": "ieee", "preservesign": "preserve-sign", "positivezero": "positive-zero", "dynamic": "dynamic",
	}
}}

// rewriteDenormals turns denormal_fpenv(OUT|IN, float: OUT|IN) into the string
// attributes that LLVM had before. The two parts may each be missing, and IN
// is OUT if it is.
func (r *rewriter) rewriteDenormals(t token) {
	text, end := r.keywordArgument()
	general, float, hasFloat := strings.Cut(text, "float:")
	words, ok := denormalAttribute("denormal-fp-math", strings.Trim(general, " ,"))
	if hasFloat {
		more, known := denormalAttribute("denormal-fp-math-f32", strings.Trim(float, " "))
		words, ok = strings.TrimSpace(words+" "+more), ok && known
	}
	if !ok || words == "" {
		r.failAt(t, "denormal_fpenv("+text+"): not understood")
		return
	}
	r.replaceRange(t.Start, end, words)
}

func denormalAttribute(key, modes string) (string, bool) {
	if modes == "" {
		return "", true
	}
	out, in, hasIn := strings.Cut(modes, "|")
	if !hasIn {
		in = out
	}
	out, okOut := denormalModes.Get()[strings.TrimSpace(out)]
	in, okIn := denormalModes.Get()[strings.TrimSpace(in)]
	return fmt.Sprintf(`"%s"="%s,%s"`, key, out, in), okOut && okIn
}
