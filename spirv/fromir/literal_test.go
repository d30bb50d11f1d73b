package fromir_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

// literalModule translates a kernel of those instructions, and returns word at of each
// instruction op of the module.
func literalModule(t *testing.T, body, declarations string, op spirv.Opcode, at int) []uint32 {
	t.Helper()
	o := fromir.Options{Version: spirv.Version1_4}
	if err := o.AllowExtensions("+all"); err != nil {
		t.Fatal(err)
	}
	text := "target datalayout = \"e-i64:64-n8:16:32:64\"\ntarget triple = \"spir64-unknown-unknown\"\n" +
		"define spir_kernel void @k(ptr addrspace(1) %p, i64 %a) {\nentry:\n" + body + "  ret void\n}\n" + declarations
	code, err := fromir.Translate(parseIR(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	var words []uint32
	verified(t, code)
	err = spirv.EachInstruction(code, func(found spirv.Opcode, instruction []byte) {
		if found == op {
			words = append(words, binary.LittleEndian.Uint32(instruction[4*at:]))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// Constants from 2^31 on look like identifiers within a unit. Each second number is
// there, so that one of them has that of its own identifier.
func TestLiteralConstants(t *testing.T) {
	var body strings.Builder
	var want []uint32
	for i := range uint32(300) {
		n := 1<<31 + 2*i
		want = append(want, n)
		fmt.Fprintf(&body, "  store volatile i32 %d, ptr addrspace(1) %%p\n", int32(n))
	}
	got := literalModule(t, body.String(), "", spirv.OpConstant, 3)
	got = slices.DeleteFunc(got, func(n uint32) bool { return n == 0 }) // a default of fast-math flags
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the constants are %#x, want %#x", got, want)
	}
}

// Literals of instructions that are called by their names.
func TestLiteralOperands(t *testing.T) {
	const name = "_Z30__spirv_ArbitraryFloatAddINTELmimiiiii"
	var body strings.Builder
	var want []uint32
	for i := range uint32(100) {
		n := 1<<31 + 3*i
		want = append(want, n)
		fmt.Fprintf(&body, "  %%r%d = call spir_func i64 @%s(i64 %%a, i32 %d, i64 %%a, i32 3, i32 4, i32 0, i32 1, i32 1)\n", i, name, int32(n))
	}
	declaration := "declare spir_func i64 @" + name + "(i64, i32, i64, i32, i32, i32, i32, i32)\n"
	got := literalModule(t, body.String(), declaration, spirv.OpArbitraryFloatAddINTEL, 4)
	if !slices.Equal(got, want) {
		t.Errorf("the literals are %#x, want %#x", got, want)
	}
}
