package downgrade

import (
	"strings"

	"offlink/ir/irtext"
	"offlink/ir/llvmschema"
	"offlink/lazy"
	"offlink/lazyregexp"
)

// rewriteGlobal rewrites calls and declarations of intrinsics.
func (r *rewriter) rewriteGlobal(t token) {
	name := r.tokenText(t)
	if !strings.HasPrefix(name, "@llvm.") || !r.isPunct(r.peekToken(0), '(') {
		return
	}
	declared := r.tokenText(r.header) == "declare"
	if declared && strings.HasPrefix(name, "@llvm.dbg.") {
		if r.declared == nil {
			r.declared = map[string]bool{}
		}
		r.declared[name[1:]] = true
	}
	switch {
	case strings.HasPrefix(name, "@llvm.lifetime.") && !r.target.readsVersion(llvmschema.LifetimeOfSlots):
		r.rewriteLifetime(declared)
	case strings.HasPrefix(name, "@llvm.masked.") && !r.target.readsVersion(llvmschema.MaskedAlignment):
		r.rewriteNested(t, func() { r.rewriteMasked(name, declared) })
	}
}

// rewriteLifetime adds the size that lifetime markers had. In calls it is -1, for a size that is
// not known.
func (r *rewriter) rewriteLifetime(declared bool) {
	switch first := r.tokenText(r.peekToken(1)); {
	case first == "ptr" && declared:
		r.replaceRange(r.peekToken(1).Start, r.peekToken(1).Start, "i64 immarg, ")
	case first == "ptr":
		r.replaceRange(r.peekToken(1).Start, r.peekToken(1).Start, "i64 -1, ")
	case first != "" && declared && r.isPunct(r.peekToken(2), ')'):
		r.dropDeclaration()
	}
}

// dropDeclaration drops the whole declaration, with the attributes after its parameters. The tokens
// up to its name have been read.
func (r *rewriter) dropDeclaration() {
	end := r.skipCall()
	for r.peekToken(0).Kind == irtext.TokenGroup || strings.HasSuffix(r.tokenText(r.peekToken(0)), "unnamed_addr") {
		end = r.nextToken().End
	}
	r.dropRange(r.header.Start, end)
}

// maskedAccesses are the masked accesses to memory, each with the number of
// its operand that is the address. Before LLVM 22 the alignment was an operand
// after that one; now it is an attribute of it.
var maskedAccesses = lazy.Map[string, int]{New: func() map[string]int {
	return map[string]int{"load": 0, "store": 1, "gather": 0, "scatter": 1}
}}

// maskedOperands is how many operands each of them has without the alignment.
const maskedOperands = 3

// rewriteMasked puts the alignment back among the operands.
func (r *rewriter) rewriteMasked(name string, declared bool) {
	access, _, _ := strings.Cut(strings.TrimPrefix(name, "@llvm.masked."), ".")
	address, known := maskedAccesses.Get()[access]
	if !known {
		return
	}
	open := r.peekToken(0)
	args, end := r.recordArguments(token{Start: open.Start})
	if r.err != nil {
		return
	}
	if len(args) == maskedOperands {
		alignment := "i32 immarg"
		if !declared {
			args[address], alignment = takeAlignment(args[address])
		}
		args = append(args[:address+1], append([]string{alignment}, args[address+1:]...)...)
	}
	r.putRange(open.Start, end, "("+strings.Join(args, ", ")+")")
}

var alignAttribute = lazyregexp.New(`\salign(?:\s+(\d+)|\s*\(\s*(\d+)\s*\))(\s|$)`)

// takeAlignment removes "align N" from an argument and returns N as an operand, or 1 if there is
// none. It stands before the value and before attributes that are strings.
func takeAlignment(arg string) (rest, alignment string) {
	attributes := arg
	if i := strings.IndexAny(arg, "\"%@"); i >= 0 {
		attributes = arg[:i]
	}
	at := alignAttribute().FindStringSubmatchIndex(attributes)
	if at == nil {
		return arg, "i32 1"
	}
	groups := alignAttribute().FindStringSubmatch(attributes)
	return arg[:at[0]] + arg[at[6]:], "i32 " + groups[1] + groups[2]
}
