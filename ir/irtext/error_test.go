package irtext_test

import (
	"errors"
	"strings"
	"testing"

	"offlink/ir/irtext"
)

func TestErrors(t *testing.T) {
	body := func(s string) string { return "define void @f(i32 %a) {\n" + s + "\n}\n" }
	tests := []struct{ name, text, want string }{
		{"not a definition", "\n  junk", "2:3: expected a definition, found 'junk'"},
		{"not a byte", "@a = global i32 0\n)", "2:1: expected a definition, found ')'"},
		{"binary", "\x03\x02\x23\x07", "1:1: expected a definition, found the byte 0x3"},
		{"no end of body", "define void @f() {\n ret void\n", "1:18: '{' without its end"},
		{"no end of string", "@a = global [1 x i8] c\"x\n", "1:23: string without end"},
		{"no end of comment", "/* x", "1:1: comment without end"},
		{"no terminator", body("  %x = add i32 1, 2"), "3:1: expected an instruction (the block has no terminator), found '}'"},
		{"label without terminator", body("  %x = add i32 1, 2\nnext:\n  ret void"), "3:1: expected a terminator before the label"},
		{"empty body", body(""), "1:24: function body without blocks"},
		{"unknown instruction", body("  frobnicate i32 1"), "2:3: unknown instruction 'frobnicate'"},
		{"undefined local", body("  %x = add i32 %y, 2\n  ret void"), "2:16: use of undefined value '%y'"},
		{"undefined number", body("  %x = add i32 %7, 2\n  ret void"), "2:16: use of undefined value '%7'"},
		{"first undefined local", body("  %x = add i32 %z, %y\n  %v = add i32 %y, %1\n  ret void"), "2:16: use of undefined value '%z'"},
		{"undefined label", body("  br label %no"), "2:12: use of undefined value '%no'"},
		{"label as value", body("  br label %l\nl:\n  %x = add i32 %l, 1\n  ret void"), "2:12: label '%l' used as a value"},
		{"value as label", body("  br label %a"), "2:12: value '%a' used as a label"},
		{"local twice", body("  %x = add i32 1, 2\n  %x = add i32 1, 2\n  ret void"), "3:3: multiple definition of local value named '%x'"},
		{"parameter twice", "define void @f(i32 %a, i32 %a) {\n  ret void\n}", "1:28: multiple definition of local value named '%a'"},
		{"label twice", body("  br label %l\nl:\n  br label %l\nl:\n  ret void"), "5:1: multiple definition of local value named '%l'"},
		{"number too small", "define void @f(i32) {\n  %0 = add i32 1, 2\n  ret void\n}", "2:3: value expected to be numbered '%2' or greater"},
		{"result of nothing", body("  %x = store i32 1, ptr null\n  ret void"), "2:3: the instruction has no result that could be named"},
		{"undefined global", body("  call void @g()\n  ret void"), "2:13: use of undefined value '@g'"},
		{"undefined global in constant", "@a = global ptr getelementptr (i8, ptr @b, i32 1)", "1:40: use of undefined value '@b'"},
		{"undefined global in metadata", "!0 = !{ptr @x}", "1:12: use of undefined value '@x'"},
		{"undefined unnamed global", "@0 = global ptr @1", "1:17: use of undefined value '@1'"},
		{"global twice", "@a = global i32 0\ndeclare void @a()", "2:14: redefinition of '@a'"},
		{"unnamed out of order", "@1 = global i32 0\n@0 = global i32 0", "2:1: unnamed value expected to be numbered '@2' or greater"},
		{"undefined type", "@a = global %T zeroinitializer", "1:13: use of undefined type '%T'"},
		{"undefined type in a body", body("  %x = alloca %\"a b\"\n  ret void"), "2:15: use of undefined type '%\"a b\"'"},
		{"undefined numbered type", "%0 = type { %3 }", "1:13: use of undefined type '%3'"},
		{"type twice", "%T = type { i8 }\n%T = type { i8 }", "2:1: redefinition of type '%T'"},
		{"type in itself", "%A = type { [2 x %B] }\n%B = type { i8, %A }\n@a = global %B zeroinitializer", "3:13: the type '%B' contains itself"},
		{"name of a type used before", "@a = global %T 1\n%T = type i32", "2:1: the type '%T' is used before its definition, which only structs may be"},
		{"name of void", "%T = type void", "1:11: void is the result of functions only"},
		{"no such address space", "target datalayout = \"A5-p7(local):64:64\"\n@a = addrspace(\"B\") global i32 1", "2:16: the data layout has no address space 'B'"},
		{"no type", "@a = global foo 1", "1:13: expected a type, found 'foo'"},
		{"undefined metadata", "!0 = !{!1}", "1:8: use of undefined metadata '!1'"},
		{"undefined attachment", "define void @f() !dbg !7 {\n  ret void\n}", "1:23: use of undefined metadata '!7'"},
		{"undefined named operand", "!n = !{!5}", "1:8: use of undefined metadata '!5'"},
		{"an attachment and a node", "!0 = !{i32 1}\ndefine void @f() !dbg !7 {\n  ret void\n}", "2:23: use of undefined metadata '!7'"},
		{"the first fault, in metadata", "!0 = !{!9}\n" + body("  br label %no"), "1:8: use of undefined metadata '!9'"},
		{"metadata twice", "!0 = !{}\n!1 = !{}\n!0 = !{}", "3:1: metadata '!0' is defined twice"},
		{"sparse metadata twice", "!4000000 = !{}\n!4000000 = !{}", "2:1: metadata '!4000000' is defined twice"},
		{"undefined comdat", "@a = global i32 0, comdat($c)", "1:27: use of undefined comdat '$c'"},
		{"comdat twice", "$c = comdat any\n$c = comdat any", "2:1: redefinition of comdat '$c'"},
		{"comdat of no selection", "$c = comdat some", "1:13: comdats are not selected by 'some'"},
		{"words after a variable", "@g = global i32 4, align 4\ngarbage here, and more\ndefine void @f() { ret void }", "2:1: expected a definition, found 'garbage'"},
		{"words after a declaration", "declare void @f()\ngarbage", "2:1: expected a definition, found 'garbage'"},
		{"words after an external variable", "@g = external global i32\ngarbage", "2:1: expected a definition, found 'garbage'"},
		{"words after an alias", "@a = alias i8, ptr @b\ngarbage\n@b = global i8 1", "2:1: expected a definition, found 'garbage'"},
		{"words on the line of a variable", "@g = global i32 4 foo bar", "1:19: expected a definition, found 'foo'"},
		{"words after the attributes of a variable", "@g = global i32 7 #1 null\nattributes #1 = { cold }", "1:22: expected a definition, found 'null'"},
		{"words on the line of an external variable", "@g = external global i32 foo", "1:26: expected a definition, found 'foo'"},
		{"words on the line of a declaration", "declare void @f() foo", "1:19: expected a definition, found 'foo'"},
		{"words on the line of a header", "define void @f() foo { ret void }", "1:18: expected '{', found 'foo'"},
		{"words on the line of a call", body(" call void @f(i32 1) foo\n ret void"), "2:22: expected an instruction, found 'foo'"},
		{"words on the line of an alias", "@a = alias i8, ptr @b cold\n@b = global i8 1", "1:23: expected a definition, found 'cold'"},
		{"attributes of an alias", "@a = alias i8, ptr @b \"k\"\n@b = global i8 1", "1:23: expected a definition, found '\"'"},
		{"address after attributes", "declare void @f() #0 unnamed_addr\nattributes #0 = { cold }", "1:22: expected a definition, found 'unnamed_addr'"},
		{"attributes after a section", "define void @f() section \"x\" #0 { ret void }\nattributes #0 = { cold }", "1:30: expected '{', found '#0'"},
		{"keyword in a group", "attributes #0 = { cold define }", "1:24: expected an attribute"},
		{"type in a group", "attributes #0 = { i32 }", "1:19: expected an attribute"},
		{"thread model", "@g = thread_local(distinct) global i8 0", "1:19: expected 'localdynamic', 'initialexec' or 'localexec', found 'distinct'"},
		{"thread model twice", "@g = thread_local(initialexec initialexec) global i8 0", "1:31: expected ')', found 'initialexec'"},
		{"type attribute without a type", "declare void @f(ptr byval())", "1:27: expected a type, found ')'"},
		{"type attribute with words", "declare void @f(ptr byval(align 4 i32))", "1:27: expected a type, found 'align'"},
		{"number that runs on", "@g = global i32 2garbage", "1:17: '2garbage' is not a number"},
		{"convention twice", "define spir_kernel spir_func void @f() { ret void }", "1:20: expected a type, found 'spir_func'"},
		{"instruction as a flag", body(" store store i8 0, ptr null\n ret void"), "2:8: expected a type, found 'store'"},
		{"linkage as a flag", body(" store external i8 0, ptr null\n ret void"), "2:8: expected a type, found 'external'"},
		{"sign in a number", "@g = global i32 4-", "1:17: '4-' is not a number"},
		{"hexadecimal number that runs on", "@g = global double 0x3FF00000000000zz", "1:20: '0x3FF00000000000zz' is not a number"},
		{"words after a header", "define void @f()\n garbage {\n ret void }", "2:2: expected '{', found 'garbage'"},
		{"words after a call", body(" call void @f(i32 1)\n garbage\n ret void"), "3:2: expected an instruction, found 'garbage'"},
		{"property on the next line", "@g = global i32 4,\n garbage", "2:2: expected a property of a variable, found 'garbage'"},
		{"attribute as a property", "@g = global i32 4, nounwind", "1:20: expected a property of a variable, found 'nounwind'"},
		{"property after attributes", "@g = global i32 4 nounwind, align 4", "1:27: expected a definition, found ','"},
		{"property of variables", "@a = alias i8, ptr @b, align 4\n@b = global i8 1", "1:24: expected 'partition', found 'align'"},
		{"section without comma", "@g = global i32 4 section \"x\"", "1:19: expected a definition, found 'section'"},
		{"keywords of other places", "declare void @f() hidden", "1:19: expected a definition, found 'hidden'"},
		{"parts in disorder", "define void @f() gc \"y\" section \"x\" { ret void }", "1:25: expected '{', found 'section'"},
		{"linkage twice", "@g = internal weak global i32 4", "1:15: expected 'global', 'constant', 'alias' or 'ifunc', found 'weak'"},
		{"visibility before preemption", "declare hidden dso_local void @f()", "1:16: expected a type, found 'dso_local'"},
		{"address space of a function", "define unnamed_addr void @f() { ret void }", "1:8: expected a type, found 'unnamed_addr'"},
		{"linkage of a declaration", "declare internal void @f()", "1:18: 'internal' is not a linkage of a declared function"},
		{"linkage of a function", "define common void @f() { ret void }", "1:15: 'common' is not a linkage of a function"},
		{"linkage of an alias", "@a = extern_weak alias i8, ptr @b\n@b = global i8 1", "1:23: 'extern_weak' is not a linkage of an alias"},
		{"hidden local", "@g = internal hidden global i8 1", "1:28: a value of local linkage has a visibility"},
		{"type as an attribute", "declare void @f(i32 i32)", "1:21: expected ')', found 'i32'"},
		{"odd alignment", "@g = global i32 4, align 3", "1:26: the alignment is not a power of two up to 2^32"},
		{"named metadata of strings", "!n = !{!\"s\"}", "1:8: an entry of named metadata is not a node"},
		{"intrinsic that is no callee", body(" %p = ptrtoint ptr @llvm.trap to i64\n ret void"), "2:20: use of undefined value '@llvm.trap'"},
		{"alias of itself", "@a = alias i8, ptr @a", "1:1: alias '@a' leads to itself"},
		{"ring of aliases", "@a = alias i8, ptr @b\n@b = alias i8, getelementptr (i8, ptr @c, i64 1)\n@c = alias i8, ptr @a", "1:1: alias '@a' leads to itself"},
		{"ring of ifuncs", "@a = ifunc void (), ptr @b\n@b = alias void (), ptr @a", "1:1: alias '@a' leads to itself"},
		{"label of no block", "@a = global ptr blockaddress(@f, %x)\n" + body("  ret void"), "1:34: use of undefined label '%x'"},
		{"label of a declaration", "@a = global ptr blockaddress(@f, %x)\ndeclare void @f()", "1:34: blockaddress of a function without a body"},
		{"local in a variable", "@a = global i32 %x", "1:17: local value outside of a function"},
		{"unknown value", "@a = global i32 elephant", "1:17: expected a value, found 'elephant'"},
		{"large number", "@99999999999 = global i32 0", "1:2: number too large"},
		{"large node number", "!4294967295 = !{}", "1:1: number too large"},
		{"large group number", "attributes #4294967295 = { cold }", "1:1: number too large"},
		{"huge number", "@a = addrspace(99999999999999999999999) global i32 0", "1:16: number too large"},
		{"variable of no kind", "@a = external variable i32", "1:15: expected 'global', 'constant', 'alias' or 'ifunc', found 'variable'"},
		{"trailing comma", body("  %x = add i32 1, 2, x\n  ret void"), "2:22: expected metadata, 'align' or 'addrspace', found 'x'"},
		{"use of the empty name", "@\"\" = global i32 0\n@p = global ptr @\"\"", "2:17: use of undefined value '@\"\"'"},
		{"NUL in a name", "@\"a\\00b\" = global i32 0", "1:2: a NUL byte in a name"},
		{"uselistorder not last", body("  ret void\n  uselistorder i32 %a, { 1, 0 }\n  ret void"), "4:3: expected '}', found 'ret'"},
		{"bad debug record", body("  #new_record(i32 1)\n  ret void"), "2:4: expected a debug record, found '#new_record'"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := irtext.Parse("in.ll", []byte(test.text))
			if err == nil || err.Error() != "in.ll:"+test.want {
				t.Errorf("Parse() = %v; want in.ll:%s", err, test.want)
			}
			if _, ok := errors.AsType[*irtext.Error](err); err != nil && !ok {
				t.Errorf("the error is a %T", err)
			}
		})
	}
}

// Nesting without end is an error, not the end of the process.
func TestNesting(t *testing.T) {
	const n = 100_000
	nested := func(open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	var chain strings.Builder
	for i := range n {
		chain.WriteString("%" + itoa(i) + " = type { %" + itoa(i+1) + " }\n")
	}
	tests := map[string]string{
		"type":           "@a = external global " + nested("{", "i8", "}"),
		"array":          "@a = external global " + nested("[2 x ", "i8", "]"),
		"function type":  "@a = external global " + nested("void (", "i8", ")*"),
		"constant":       "@a = global i8 " + nested("{ i8 ", "0", "}"),
		"expression":     "@a = global ptr " + nested("getelementptr (i8, ptr ", "null", ", i32 1)"),
		"cast":           "@a = global ptr " + nested("inttoptr (i64 ptrtoint (ptr ", "null", " to i64) to ptr)"),
		"splat":          "@a = global <2 x i8> " + nested("splat (i8 ", "0", ")"),
		"tuple":          "!0 = " + nested("!{", "", "}"),
		"node":           "!0 = " + nested("!DIArgList(", "", ")"),
		"parentheses":    "!0 = !DIX(" + nested("DIOp(", "", ")") + ")",
		"attribute":      "declare void @f() memory" + nested("(", "", ")"),
		"in a body":      "define void @f() {\n  store i8 " + nested("{ i8 ", "0", "}") + ", ptr null\n  ret void\n}",
		"identified":     chain.String() + "%" + itoa(n) + " = type { i8 }\n",
		"metadata value": "define void @f() {\n  call void @f(metadata " + nested("!{", "", "}") + ")\n  ret void\n}",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := irtext.Parse("in.ll", []byte(text))
			if err == nil || !strings.Contains(err.Error(), "nested too deep") {
				t.Errorf("Parse() = %.200v; want an error about nesting", err)
			}
		})
	}
}

// Large numbers cost no memory.
func TestLargeNumbers(t *testing.T) {
	for _, text := range []string{
		"!2147483648 = !{!2147483647}\n!2147483647 = !{}",
		"%4294967295 = type { i8 }\n@4294967290 = global %4294967295 zeroinitializer #2147483648\nattributes #2147483648 = { cold }",
		"define void @f() {\n  %4000000000 = add i32 1, 2\n  %4000000001 = add i32 %4000000000, %4000000002\n  %4000000002 = add i32 1, 2\n  ret void\n}",
		"@a = external global [18446744073709551615 x i8388607]",
	} {
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := irtext.Parse("in.ll", []byte(text)); err != nil {
				t.Error(err)
			}
		})
		if allocated > 500 {
			t.Errorf("%.40q: %v allocations", text, allocated)
		}
	}
}
