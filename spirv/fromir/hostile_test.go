package fromir_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"offlink/spirv/fromir"
)

// repeated joins format applied to the numbers below n.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	return b.String()
}

const hostileKernel = "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n"

// TestHostile: bodies that are long or deep in one way are translated in about the
// time that their length takes, or refused. Each would take minutes, or gigabytes,
// in steps that multiply.
func TestHostile(t *testing.T) {
	const n = 20_000
	tests := []struct{ name, text, want, refused string }{
		{name: "switch to one phi", text: hostileKernel + "  switch i32 %n, label %d [\n" + repeated(n, "i32 #, label %d\n") + "]\nd:\n  %x = phi i32 [ 0, %0 ]" +
			repeated(n, ", [ 0, %0 ]") + "\n  store i32 %x, ptr addrspace(1) %p\n  ret void\n}\n", want: "OpSwitch"},
		{name: "switch to phis", text: hostileKernel + "  switch i32 %n, label %d [\n" + repeated(n, "i32 #, label %b#\n") + "]\n" + repeated(n, "b#:\n  %x# = phi i32 [ #, %0 ]\n  ret void\n") +
			"d:\n  ret void\n}\n", want: "OpSwitch"},
		{name: "phi of many blocks", text: hostileKernel + "  switch i32 %n, label %d [\n" + repeated(2*n, "i32 #, label %b#\n") + "]\n" + repeated(2*n, "b#:\n  br label %d\n") +
			"d:\n  %x = phi i32 [ 0, %0 ]" + repeated(2*n, ", [ #, %b# ]") + "\n  ret void\n}\n", refused: "function k: phi: an instruction of 80005 words"},
		{name: "ring of two entries", text: hostileKernel + "  %z = icmp eq i32 %n, 7\n  br i1 %z, label %b0, label %b19999\n" + blockRing(n) + "}\n", want: "OpBranchConditional"},
		{name: "chain of loads", text: hostileKernel + "  %l0 = load ptr, ptr addrspace(1) %p\n" + loadChain(n) + "  ret void\n}\n", want: "OpLoad"},
		{
			name: "phi of a block elsewhere", text: hostileKernel + "  br label %b\na:\n  br label %b\nb:\n  %x = phi i32 [ 0, %0 ], [ 0, %a ]\n  br label %c\nc:\n  %y = phi i32 [ 1, %0 ]\n  ret void\n}\n",
			refused: "phi: a value for a block that does not lead to the phi",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, err := fromir.Translate(parseIR(t, test.text), options())
			var refused *fromir.Error
			switch {
			case test.refused != "":
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("error %v, want %q", err, test.refused)
				}
			case err != nil:
				t.Error(err)
			default:
				if test.name != "ring of two entries" { // the validator takes minutes
					validate(t, code)
				}
				if !strings.Contains(dump(t, verified(t, code)), test.want) {
					t.Errorf("no %s", test.want)
				}
			}
		})
	}
}

// loadChain loads a pointer through a pointer, n times.
func loadChain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  %%l%d = load ptr, ptr %%l%d\n", i+1, i)
	}
	return b.String()
}

// blockRing is a ring of blocks, each of which leads to both its neighbours.
func blockRing(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "b%d:\n  %%c%d = icmp eq i32 %%n, %d\n  br i1 %%c%d, label %%b%d, label %%b%d\n", i, i, i, i, (i+1)%n, (i+n-1)%n)
	}
	return b.String()
}

// TestNamesThatEndEarly: a mangled name may say a length that is beyond its end.
func TestNamesThatEndEarly(t *testing.T) {
	for _, name := range []string{"_Z12__spirv_IsNan9", "_Z3absP44__x", "_Z3absU9AS", "_Z3absPU3AS144__spirv_X", "_Z3absDv4_9x", "_Z3absI9"} {
		text := kernelOf("call spir_func void @"+name+"(i32 %n)", "declare spir_func void @"+name+"(i32)\n!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}")
		code, err := fromir.Translate(parseIR(t, text), options())
		if err == nil {
			verified(t, code)
		}
	}
}
