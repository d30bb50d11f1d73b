package downgrade

import (
	"regexp"
	"strings"

	"offlink/ir/irtext"
)

// global rewrites calls and declarations of intrinsics.
func (r *rewriter) global(t token) {
	name := r.text(t)
	if !strings.HasPrefix(name, "@llvm.") || !r.is(r.peek(0), '(') {
		return
	}
	declared := r.text(r.header) == "declare"
	if declared && strings.HasPrefix(name, "@llvm.dbg.") {
		if r.declared == nil {
			r.declared = map[string]bool{}
		}
		r.declared[name[1:]] = true
	}
	switch {
	case r.target.reads(22):
	case strings.HasPrefix(name, "@llvm.lifetime."):
		r.lifetime(declared)
	case strings.HasPrefix(name, "@llvm.masked."):
		r.nested(t, func() { r.masked(name, declared) })
	}
}

// lifetime puts the size back that lifetime markers had, -1 for one that is
// not known.
func (r *rewriter) lifetime(declared bool) {
	switch first := r.text(r.peek(1)); {
	case first == "ptr" && declared:
		r.replace(r.peek(1).Start, r.peek(1).Start, "i64 immarg, ")
	case first == "ptr":
		r.replace(r.peek(1).Start, r.peek(1).Start, "i64 -1, ")
	case first != "" && declared && r.is(r.peek(2), ')'):
		r.dropDeclaration()
	}
}

// dropDeclaration drops a declaration up to its attributes, from its name on.
func (r *rewriter) dropDeclaration() {
	end := r.skipCall()
	for r.peek(0).Kind == irtext.TokenGroup || strings.HasSuffix(r.text(r.peek(0)), "unnamed_addr") {
		end = r.next().End
	}
	r.drop(r.header.Start, end)
}

// maskedAccesses are the masked accesses to memory, each with the number of
// its operand that is the address. Before LLVM 22 the alignment was an operand
// after that one; now it is an attribute of it.
var maskedAccesses = map[string]int{"load": 0, "store": 1, "gather": 0, "scatter": 1}

// maskedOperands is how many operands each of them has without the alignment.
const maskedOperands = 3

// masked puts the alignment back among the operands.
func (r *rewriter) masked(name string, declared bool) {
	access, _, _ := strings.Cut(strings.TrimPrefix(name, "@llvm.masked."), ".")
	address, known := maskedAccesses[access]
	if !known {
		return
	}
	open := r.peek(0)
	args, end := r.arguments(token{Start: open.Start})
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
	r.put(open.Start, end, "("+strings.Join(args, ", ")+")")
}

var alignAttribute = regexp.MustCompile(`\salign(?:\s+(\d+)|\s*\(\s*(\d+)\s*\))(\s|$)`)

// takeAlignment takes "align N" out of an argument and returns N as one. It
// comes before the value and before attributes that are strings.
func takeAlignment(arg string) (rest, alignment string) {
	attributes := arg
	if i := strings.IndexAny(arg, "\"%@"); i >= 0 {
		attributes = arg[:i]
	}
	at := alignAttribute.FindStringSubmatchIndex(attributes)
	if at == nil {
		return arg, "i32 1"
	}
	groups := alignAttribute.FindStringSubmatch(attributes)
	return arg[:at[0]] + arg[at[6]:], "i32 " + groups[1] + groups[2]
}
