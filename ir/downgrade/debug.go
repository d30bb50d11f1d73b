package downgrade

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"offlink/ir/irtext"
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// recordCalls are the debug records and the intrinsics that they were before LLVM 19, each with the
// number of its operands without the location.
var recordCalls = lazy.Map[string, recordCallRow]{New: func() map[string]recordCallRow {
	return map[string]recordCallRow{
		"#dbg_value":   {"llvm.dbg.value", 3},
		"#dbg_declare": {"llvm.dbg.declare", 3},
		"#dbg_assign":  {"llvm.dbg.assign", 6},
		"#dbg_label":   {"llvm.dbg.label", 1},
	}
}}

// recordCallRow is a row of recordCalls.
type recordCallRow struct {
	intrinsic string
	operands  int
}

// rewriteDebugRecord rewrites a debug record as the call that it was. A record that has no such
// call, and that the target lacks, is left out.
func (r *rewriter) rewriteDebugRecord(t token) {
	name := r.tokenText(t)
	if !strings.HasPrefix(name, "#dbg_") || !r.isPunct(r.peekToken(0), '(') {
		return
	}
	call, known := recordCalls.Get()[name]
	switch {
	case !known && !r.target.readsVersion(llvmschema.DeclareValueRecord):
		r.dropRange(t.Start, r.skipCall())
	case known && !r.target.readsVersion(llvmschema.DebugRecords):
		r.rewriteNested(t, func() { r.recordCall(t, call.intrinsic, call.operands) })
	}
}

// recordCall writes the call that a record stands for.
func (r *rewriter) recordCall(t token, intrinsic string, operands int) {
	args, end := r.recordArguments(t)
	if r.err == nil && len(args) != operands+1 {
		r.failAt(t, fmt.Sprintf("a debug record with %d operands, want %d", len(args), operands+1))
	}
	if r.err != nil {
		return
	}
	location := args[operands]
	args = args[:operands]
	if intrinsic == "llvm.dbg.assign" && !r.target.readsVersion(llvmschema.DebugAssignCall) {
		intrinsic, args = "llvm.dbg.value", args[:3]
	}
	if r.called == nil {
		r.called = map[string]int{}
	}
	r.called[intrinsic] = len(args)
	text := "call void @" + intrinsic + "(metadata " + strings.Join(args, ", metadata ") + "), !dbg " + location
	r.putRange(t.Start, end, text)
}

// recordArguments rewrites a part in parentheses and returns it, cut at its commas. Nothing of the
// construct that begins at t is left in the output.
func (r *rewriter) recordArguments(t token) (args []string, end int) {
	r.flushUntil(t.Start)
	open := r.nextToken()
	r.copied = open.End
	for {
		text, stop := r.captureOutput(r.copied, func() token { return r.walkUntil(",)") })
		args = append(args, strings.TrimSpace(text))
		r.copied = stop.End
		if r.err != nil || r.isPunct(stop, ')') {
			return args, stop.End
		}
	}
}

// declareDebugIntrinsics declares the intrinsics that recordCall wrote calls of, in the order of
// their names.
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

// rewriteMetadata rewrites a specialised node.
func (r *rewriter) rewriteMetadata(t token) {
	if !r.isPunct(r.peekToken(0), '(') {
		return
	}
	kind := r.tokenText(t)[1:]
	for _, n := range nodeKinds {
		if n.node == kind && !r.target.readsVersion(llvmschema.NodeSince(kind)) {
			r.replaceRange(t.Start, r.skipCall(), n.becomes)
			return
		}
	}
	if strings.HasPrefix(kind, "DI") && kind != "DIExpression" && kind != "DIArgList" {
		r.rewriteNested(t, func() { r.rewriteFields(kind) })
	}
}

// rewriteFields rewrites the fields of a specialised node. A field that is left out goes with the
// comma before it. If the fields before it are left out, the first that stays loses its own comma.
func (r *rewriter) rewriteFields(kind string) {
	open := r.nextToken()
	if r.isPunct(r.peekToken(0), ')') {
		return
	}
	end, kept := open.End, false
	for stop := open; r.err == nil && !r.isPunct(stop, ')'); end = stop.Start {
		name := r.nextToken()
		if name.Kind != irtext.TokenWord || !r.isPunct(r.peekToken(0), ':') {
			r.failAt(name, "expected a field of !"+kind)
			return
		}
		if r.dropsField(kind, r.tokenText(name)) {
			stop = r.skipField()
			r.replaceRange(end, stop.Start, "")
			continue
		}
		if !kept && end != open.End {
			r.replaceRange(end, name.Start, "")
		}
		kept = true
		r.rewriteCodes(kind, name)
		stop = r.walkUntil(",)")
	}
}

// nodeFields are the fields that a target may lack.
var nodeFields = lazy.Value[[]llvmschema.TextField]{New: llvmschema.TextFields}

// dropsField reports whether the target lacks the field, or its form.
func (r *rewriter) dropsField(kind, field string) bool {
	for _, f := range nodeFields.Get() {
		if f.Name == field && f.Node == kind {
			return !r.target.readsVersion(f.Since)
		}
	}
	isSize := field == "size" || field == "offset"
	return isSize && r.peekToken(1).Kind == irtext.TokenMetadata && !r.target.readsVersion(llvmschema.MetadataSizes)
}

// skipField steps over a field's value and returns the token that ends it.
func (r *rewriter) skipField() token {
	for depth := 0; ; {
		t := r.nextToken()
		if t.Kind == irtext.TokenEnd {
			r.failAt(token{Start: len(r.data)}, "a bracket is not closed")
			return t
		}
		if t.Kind != irtext.TokenPunct {
			continue
		}
		c := r.data[t.Start]
		if depth == 0 && (c == ',' || c == ')') {
			return t
		}
		depth += nestingOf(c)
	}
}

// rewriteCodes rewrites names of DWARF that the target does not know: the language of a compile
// unit to its number, the name of a language in DWARF 6 to a code of DWARF 5, and the calling
// convention of kernels and the tag of static members to their older names.
func (r *rewriter) rewriteCodes(kind string, field token) {
	value := r.peekToken(1)
	switch r.tokenText(field) {
	case "tag":
		if kind == "DIDerivedType" && r.tokenText(value) == "DW_TAG_variable" && !r.target.readsVersion(llvmschema.StaticMemberTag) {
			r.replaceRange(value.Start, value.End, "DW_TAG_member")
		}
	case "cc":
		if r.tokenText(value) == "DW_CC_LLVM_DeviceKernel" && !r.target.readsVersion(llvmschema.DeviceKernelName) {
			r.replaceRange(value.Start, value.End, "DW_CC_LLVM_OpenCLKernel")
		}
	case "language":
		if l, known := llvmschema.Languages.Get()[r.tokenText(value)]; known && !r.target.readsVersion(l.Since) {
			r.replaceRange(value.Start, value.End, strconv.Itoa(l.Code))
		}
	case "sourceLanguageName":
		if !r.target.readsVersion(llvmschema.LanguageNames) {
			code, known := languageNames.Get()[r.tokenText(value)]
			if !known {
				code = dwLangC
			}
			r.replaceRange(field.Start, value.End, "language: "+strconv.Itoa(code))
		}
	}
}

// dwLangC is the code of C, for languages that have none (DW_LANG_C).
const dwLangC = 2

// languageNames has, for names of DWARF 6 (DW_LNAME), a code of DWARF 5.
var languageNames = lazy.Map[string, int]{New: func() map[string]int {
	return map[string]int{
		"DW_LNAME_C":              0x1d,
		"DW_LNAME_C_plus_plus":    0x21,
		"DW_LNAME_OpenCL_C":       0x15,
		"DW_LNAME_OpenCL_CPP":     0x37,
		"DW_LNAME_CPP_for_OpenCL": 0x38,
		"DW_LNAME_SYCL":           0x39,
		"DW_LNAME_HIP":            0x30,
	}
}}
