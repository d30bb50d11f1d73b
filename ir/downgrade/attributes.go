package downgrade

import (
	"fmt"
	"strings"

	"offlink/ir/irtext"
)

// apply carries out the action of the table for the keyword at t.
func (r *rewriter) apply(k *keyword, t token) {
	hasArgument := r.is(r.peek(0), '(')
	switch k.action {
	case dropWord:
		r.dropWord(t)
		return
	case toPtrToInt:
		r.replace(t.Start, t.End, "ptrtoint")
		return
	case refuse:
		r.refuse(k, t)
		return
	}
	if !hasArgument {
		return
	}
	switch k.action {
	case dropCall:
		r.dropWord(t)
	case dropArgument:
		r.drop(t.End, r.skipCall())
	case captures:
		r.captures(t)
	case denormals:
		r.denormals(t)
	case effectsOf:
		r.memory(t)
	case splat:
		r.splat(t)
	case refuseCall:
		r.refuse(k, t)
	}
}

// dropWord drops the word, and its argument in parentheses if it has one.
func (r *rewriter) dropWord(t token) {
	end := t.End
	if r.is(r.peek(0), '(') {
		end = r.skipCall()
	}
	r.drop(t.Start, end)
}

// refuse fails: a rewrite does not exist.
func (r *rewriter) refuse(k *keyword, t token) {
	r.fail(t, fmt.Sprintf("'%s' (%s) came with LLVM %d and has no form in LLVM %d", k.name, k.why, k.since, r.target.LLVM))
}

// skipCall steps over a part in parentheses and returns where it ends.
func (r *rewriter) skipCall() int {
	for depth := 0; ; {
		t := r.next()
		switch {
		case t.Kind == irtext.TokenEnd:
			r.fail(token{Start: len(r.data)}, "a bracket is not closed")
			return len(r.data)
		case r.is(t, '('):
			depth++
		case r.is(t, ')'):
			if depth--; depth == 0 {
				return t.End
			}
		}
	}
}

// captures turns captures(none) into nocapture and drops other forms.
func (r *rewriter) captures(t token) {
	none := r.text(r.peek(1)) == "none" && r.is(r.peek(2), ')')
	end := r.skipCall()
	if none {
		r.replace(t.Start, end, "nocapture")
	} else {
		r.drop(t.Start, end)
	}
}

// argument steps over a part in parentheses and returns its text.
func (r *rewriter) argument() (text string, end int) {
	start := r.peek(0).End
	end = r.skipCall()
	return withoutComments(string(r.data[start:max(start, end-1)])), end
}

// denormalModes are the modes of denormal_fpenv and their older spellings
// (DenormalMode in LLVM's FloatingPointMode.h).
var denormalModes = map[string]string{
	"ieee": "ieee", "preservesign": "preserve-sign", "positivezero": "positive-zero", "dynamic": "dynamic",
}

// denormals turns denormal_fpenv(OUT|IN, float: OUT|IN) into the string
// attributes that LLVM had before. The two parts may each be missing, and IN
// is OUT if it is.
func (r *rewriter) denormals(t token) {
	text, end := r.argument()
	general, float, hasFloat := strings.Cut(text, "float:")
	words, ok := denormalAttribute("denormal-fp-math", strings.Trim(general, " ,"))
	if hasFloat {
		more, known := denormalAttribute("denormal-fp-math-f32", strings.Trim(float, " "))
		words, ok = strings.TrimSpace(words+" "+more), ok && known
	}
	if !ok || words == "" {
		r.fail(t, "denormal_fpenv("+text+"): not understood")
		return
	}
	r.replace(t.Start, end, words)
}

func denormalAttribute(key, modes string) (string, bool) {
	if modes == "" {
		return "", true
	}
	out, in, hasIn := strings.Cut(modes, "|")
	if !hasIn {
		in = out
	}
	out, okOut := denormalModes[strings.TrimSpace(out)]
	in, okIn := denormalModes[strings.TrimSpace(in)]
	return fmt.Sprintf(`"%s"="%s,%s"`, key, out, in), okOut && okIn
}
