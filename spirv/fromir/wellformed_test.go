package fromir_test

import (
	"errors"
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

// TestIllFormedBodies: bodies that LLVM's verifier refuses are refused, too.
func TestIllFormedBodies(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"use before the definition", "  %a = add i32 %b, 1\n  %b = add i32 %n, 1\n  ret void\n", "add: an operand is the result of add, which is not always executed before"},
		{
			"use after a branch around", "  %c = icmp eq i32 %n, 0\n  br i1 %c, label %x, label %y\nx:\n  %a = add i32 %n, 1\n  br label %y\ny:\n  %b = sub i32 %a, 1\n  ret void\n",
			"sub: an operand is the result of add, which is not always executed before",
		},
		{"use of a block without a way to it", "  ret void\nx:\n  %a = add i32 %b, 1\n  br label %y\ny:\n  %b = add i32 %n, 1\n  ret void\n", "add: an operand is the result of add"},
		{
			"phi's value not defined there", "  %c = icmp eq i32 %n, 0\n  br i1 %c, label %x, label %y\nx:\n  %a = add i32 %n, 1\n  br label %y\ny:\n  %b = phi i32 [ 0, %x ], [ %a, %0 ]\n  ret void\n",
			"phi: its value is not always defined where it comes from",
		},
		{"phi without a block", "  %c = icmp eq i32 %n, 0\n  br i1 %c, label %x, label %y\nx:\n  br label %y\ny:\n  %b = phi i32 [ 0, %x ]\n  ret void\n", "phi: values for 1 of the 2 blocks that lead to it"},
		{"phi in the first block", "  %b = phi i32 [ 0, %0 ]\n  ret void\n", "the first block of a function has no phis"},
		{"phi after another instruction", "  br label %x\nx:\n  %a = add i32 %n, 1\n  %b = phi i32 [ 0, %0 ]\n  ret void\n", "phi: does not stand at the start of its block"},
		{"branch to the first block", "  br label %x\nx:\n  br label %0\n", "br: the first block of a function is the target of no branch"},
		{"loop of one block", "  br label %0\n", "br: the first block of a function is the target of no branch"},
		{"type of a later definition", "  %a = add i32 %b, 1\n  %b = call i64 @g()\n  ret void\n", "a value is used as another type than that of its definition"},
		{"type of an earlier definition", "  %b = call i64 @g()\n  %a = add i32 %b, 1\n  ret void\n", "the value is defined with another type"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := fromir.Translate(parseIR(t, "declare i64 @g()\n"+hostileKernel+test.body+"}\n"), options())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			var placed *fromir.Error
			if errors.As(err, &placed) && placed.Function != "k" && !strings.Contains(placed.Msg, "type") { // those are the reader's, with a line
				t.Errorf("function %q", placed.Function)
			}
		})
	}
}

// TestUnreachedBlocks: blocks that nothing reaches may use all that stands before.
func TestUnreachedBlocks(t *testing.T) {
	code, err := fromir.Translate(parseIR(t, hostileKernel+"  %a = add i32 %n, 1\n  br label %x\nx:\n  ret void\nu:\n  %b = add i32 %a, 1\n  br label %v\nv:\n  %c = phi i32 [ %b, %u ], [ %d, %v ]\n"+
		"  %d = add i32 %c, 1\n  %e = icmp eq i32 %d, 9\n  br i1 %e, label %v, label %x\n}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	verified(t, code)
	validate(t, code)
}

// TestLoopWithSwitch: OpLoopMerge may stand before branches alone, and threaded
// jumps give a loop another end of its header.
func TestLoopWithSwitch(t *testing.T) {
	code, err := fromir.Translate(parseIR(t, hostileKernel+"  br label %x\nx:\n  switch i32 %n, label %y [ i32 1, label %z ]\ny:\n  br label %z\nz:\n"+
		"  %c = icmp eq i32 %n, 0\n  br i1 %c, label %x, label %w, !llvm.loop !0\nw:\n  ret void\n}\n!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.disable\"}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range verified(t, code).Functions() {
		for _, in := range f.Body {
			if in.Op == spirv.OpLoopMerge {
				t.Error("a loop merge before a switch")
			}
		}
	}
	validate(t, code)
}
