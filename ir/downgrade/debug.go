package downgrade

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"offlink/ir/irtext"
)

// recordCalls are the debug records and the intrinsics that they were before
// LLVM 19, each with the number of its operands without the location.
var recordCalls = map[string]struct {
	intrinsic string
	operands  int
}{
	"#dbg_value":   {"llvm.dbg.value", 3},
	"#dbg_declare": {"llvm.dbg.declare", 3},
	"#dbg_assign":  {"llvm.dbg.assign", 6},
	"#dbg_label":   {"llvm.dbg.label", 1},
}

// record rewrites a debug record: one that the target lacks altogether goes.
func (r *rewriter) record(t token) {
	name := r.text(t)
	if !strings.HasPrefix(name, "#dbg_") || !r.is(r.peek(0), '(') {
		return
	}
	call, known := recordCalls[name]
	switch {
	case !known && !r.target.reads(22):
		r.drop(t.Start, r.skipCall())
	case known && !r.target.reads(19):
		r.nested(t, func() { r.recordCall(t, call.intrinsic, call.operands) })
	}
}

// recordCall writes the call that a record stands for.
func (r *rewriter) recordCall(t token, intrinsic string, operands int) {
	args, end := r.arguments(t)
	if r.err == nil && len(args) != operands+1 {
		r.fail(t, fmt.Sprintf("a debug record with %d operands, want %d", len(args), operands+1))
	}
	if r.err != nil {
		return
	}
	location := args[operands]
	args = args[:operands]
	if intrinsic == "llvm.dbg.assign" && !r.target.reads(17) {
		intrinsic, args = "llvm.dbg.value", args[:3]
	}
	if r.called == nil {
		r.called = map[string]int{}
	}
	r.called[intrinsic] = len(args)
	text := "call void @" + intrinsic + "(metadata " + strings.Join(args, ", metadata ") + "), !dbg " + location
	r.put(t.Start, end, text)
}

// arguments rewrites a part in parentheses and returns it, cut at commas. It
// leaves nothing of the construct that begins at t.
func (r *rewriter) arguments(t token) (args []string, end int) {
	r.flush(t.Start)
	open := r.next()
	r.copied = open.End
	for {
		text, stop := r.capture(r.copied, func() token { return r.walk(",)") })
		args = append(args, strings.TrimSpace(text))
		r.copied = stop.End
		if r.err != nil || r.is(stop, ')') {
			return args, stop.End
		}
	}
}

// declareDebugIntrinsics declares the intrinsics that recordCall wrote calls of.
func (r *rewriter) declareDebugIntrinsics() {
	var names []string
	for name := range r.called {
		if !r.declared[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		r.out = append(r.out, "\ndeclare void @"+name+"(metadata"+strings.Repeat(", metadata", r.called[name]-1)+")\n"...)
	}
}

// metadata rewrites a specialised node.
func (r *rewriter) metadata(t token) {
	if !r.is(r.peek(0), '(') {
		return
	}
	kind := r.text(t)[1:]
	for _, n := range nodeKinds {
		if n.node == kind && !r.target.reads(n.since) {
			r.replace(t.Start, r.skipCall(), n.becomes)
			return
		}
	}
	if strings.HasPrefix(kind, "DI") && kind != "DIExpression" && kind != "DIArgList" {
		r.nested(t, func() { r.fields(kind) })
	}
}

// fields rewrites the fields of a specialised node. A field that goes takes
// the comma before it along, and the first that stays loses its own where
// others before it went.
func (r *rewriter) fields(kind string) {
	open := r.next()
	if r.is(r.peek(0), ')') {
		return
	}
	end, kept := open.End, false
	for stop := open; r.err == nil && !r.is(stop, ')'); end = stop.Start {
		name := r.next()
		if name.Kind != irtext.TokenWord || !r.is(r.peek(0), ':') {
			r.fail(name, "expected a field of !"+kind)
			return
		}
		if r.dropsField(kind, r.text(name)) {
			stop = r.skipField()
			r.replace(end, stop.Start, "")
			continue
		}
		if !kept && end != open.End {
			r.replace(end, name.Start, "")
		}
		kept = true
		r.codes(kind, name)
		stop = r.walk(",)")
	}
}

// dropsField reports whether the target lacks the field, or its form.
func (r *rewriter) dropsField(kind, field string) bool {
	for _, f := range nodeFields {
		if f.field == field && f.node == kind {
			return !r.target.reads(f.since)
		}
	}
	isSize := field == "size" || field == "offset"
	return isSize && r.peek(1).Kind == irtext.TokenMetadata && !r.target.reads(21)
}

// skipField steps over a field's value and returns the token that ends it.
func (r *rewriter) skipField() token {
	for depth := 0; ; {
		t := r.next()
		if t.Kind == irtext.TokenEnd {
			r.fail(token{Start: len(r.data)}, "a bracket is not closed")
			return t
		}
		if t.Kind != irtext.TokenPunct {
			continue
		}
		c := r.data[t.Start]
		if depth == 0 && (c == ',' || c == ')') {
			return t
		}
		depth += nesting(c)
	}
}

// codes rewrites names of DWARF that the target does not know: the language of
// a compile unit to its number, and the name of DWARF 6 to a code; the calling
// convention of kernels, and the tag of static members, to their older numbers.
func (r *rewriter) codes(kind string, field token) {
	value := r.peek(1)
	switch r.text(field) {
	case "tag":
		if kind == "DIDerivedType" && r.text(value) == "DW_TAG_variable" && !r.target.reads(18) {
			r.replace(value.Start, value.End, "DW_TAG_member")
		}
	case "cc":
		if r.text(value) == "DW_CC_LLVM_DeviceKernel" && !r.target.reads(21) {
			r.replace(value.Start, value.End, "DW_CC_LLVM_OpenCLKernel")
		}
	case "language":
		if l, known := languages[r.text(value)]; known && !r.target.reads(l.since) {
			r.replace(value.Start, value.End, strconv.Itoa(l.code))
		}
	case "sourceLanguageName":
		if !r.target.reads(22) {
			code, known := languageNames[r.text(value)]
			if !known {
				code = dwLangC
			}
			r.replace(field.Start, value.End, "language: "+strconv.Itoa(code))
		}
	}
}

// languages are language codes of DWARF (DW_LANG) whose names came after
// LLVM 14.
var languages = map[string]struct{ code, since int }{
	"DW_LANG_Kotlin":         {0x26, 16},
	"DW_LANG_Zig":            {0x27, 16},
	"DW_LANG_Crystal":        {0x28, 16},
	"DW_LANG_C_plus_plus_17": {0x2a, 16},
	"DW_LANG_C_plus_plus_20": {0x2b, 16},
	"DW_LANG_C17":            {0x2c, 16},
	"DW_LANG_Fortran18":      {0x2d, 16},
	"DW_LANG_Ada2005":        {0x2e, 16},
	"DW_LANG_Ada2012":        {0x2f, 16},
	"DW_LANG_HIP":            {0x30, 19},
	"DW_LANG_Assembly":       {0x31, 19},
	"DW_LANG_C_sharp":        {0x32, 19},
	"DW_LANG_Mojo":           {0x33, 19},
	"DW_LANG_GLSL":           {0x34, 19},
	"DW_LANG_GLSL_ES":        {0x35, 19},
	"DW_LANG_HLSL":           {0x36, 19},
	"DW_LANG_OpenCL_CPP":     {0x37, 19},
	"DW_LANG_CPP_for_OpenCL": {0x38, 19},
	"DW_LANG_SYCL":           {0x39, 19},
	"DW_LANG_C_plus_plus_23": {0x3a, 23},
	"DW_LANG_Metal":          {0x3d, 20},
}

const dwLangC = 2

// languageNames give for names of DWARF 6 (DW_LNAME) a code of DWARF 5.
var languageNames = map[string]int{
	"DW_LNAME_C":              0x1d,
	"DW_LNAME_C_plus_plus":    0x21,
	"DW_LNAME_OpenCL_C":       0x15,
	"DW_LNAME_OpenCL_CPP":     0x37,
	"DW_LNAME_CPP_for_OpenCL": 0x38,
	"DW_LNAME_SYCL":           0x39,
	"DW_LNAME_HIP":            0x30,
}
