package irtext_test

import (
	"strings"
	"testing"

	"offlink/ir"
	"offlink/ir/irtext"
)

const specModule = `target datalayout = "e-i64:64"
%S = type { i8, float }
@n = private unnamed_addr addrspace(1) constant [2 x i8] c"a\00"
@0 = internal addrspace(1) constant { i32 } { i32 5 }
define spir_kernel void @k(ptr addrspace(4) %0, ptr addrspace(4) %buf) {
  call void @other()
  %2 = call spir_func i32 @get(ptr addrspace(1) @n, ptr addrspace(1) @0, ptr addrspace(4) %buf)
  %3 = add i32 %2, %2
  br label %4

4:                                                ; preds = %1
  %5 = phi i32 [ %2, %1 ]
  %6 = call spir_func i1 @flag(ptr addrspace(1) @n, ptr addrspace(1) @0, ptr addrspace(4) %buf)
  br i1 %6, label %8, label %7

7:
  call spir_func void @whole(ptr addrspace(4) sret(%S) align 4 %0, ptr addrspace(1) @n, ptr addrspace(1) @0, ptr addrspace(4) %buf)
  br label %8

8:
  store i32 %5, ptr addrspace(4) %0
  ret void
}
define void @other() { ret void }
declare spir_func i32 @get(ptr addrspace(1), ptr addrspace(1), ptr addrspace(4))
declare spir_func i1 @flag(ptr addrspace(1), ptr addrspace(1), ptr addrspace(4))
declare spir_func void @whole(ptr addrspace(4) sret(%S), ptr addrspace(1), ptr addrspace(1), ptr addrspace(4))
`

// findType returns the type that is like want.
func findType(t *testing.T, m *ir.Module, want func(*ir.Type) bool) ir.TypeID {
	t.Helper()
	for i := range m.Types {
		if want(&m.Types[i]) {
			return ir.TypeID(i)
		}
	}
	t.Fatal("no such type")
	return 0
}

func integer(bits uint32) func(*ir.Type) bool {
	return func(t *ir.Type) bool { return t.Kind == ir.TypeInteger && t.Bits == bits }
}

// specSlice returns a partition of specModule that replaces its three calls.
func specSlice(t *testing.T, edit func(m *ir.Module, calls []ir.Call) []ir.CallEdit) *ir.Partition {
	t.Helper()
	m, err := irtext.Parse("spec.ll", []byte(specModule))
	if err != nil {
		t.Fatal(err)
	}
	callees := map[ir.ValueID]bool{}
	for _, name := range []string{"get", "flag", "whole"} {
		id, _ := m.Lookup(name)
		callees[id] = true
	}
	kernel, _ := m.Lookup("k")
	calls, err := ir.FindCalls(m, kernel, callees)
	if err != nil {
		t.Fatal(err)
	}
	s := &ir.Partition{Module: m}
	other, _ := m.Lookup("other")
	s.Definitions = []ir.ValueID{kernel, other}
	s.Edit(kernel).Calls = edit(m, calls)
	return s
}

func TestCalls(t *testing.T) {
	specSlice(t, func(m *ir.Module, calls []ir.Call) []ir.CallEdit {
		if len(calls) != 3 || calls[0].Number != 1 || calls[2].Number != 7 {
			t.Fatalf("Calls() = %+v", calls)
		}
		n, _ := m.Lookup("n")
		get := calls[0].Arguments
		if get[0].Constant.Kind != ir.ConstantValue || get[0].Constant.Value != n || get[2].Constant.Kind != ir.ConstantOther {
			t.Errorf("arguments of @get = %+v", get)
		}
		whole := calls[2].Arguments[0]
		if !whole.SRet || m.Types[whole.Pointee].Name != "S" {
			t.Errorf("first argument of @whole = %+v", whole)
		}
		return nil
	})
}

// Each form of replacement leaves a module that LLVM accepts, in all
// versions, with the replacements of the edits.
func TestReplaceCalls(t *testing.T) {
	constant := func(typ ir.TypeID, n uint64, bits int) ir.Expression {
		return ir.Expression{Type: typ, Constant: ir.Constant{Kind: ir.ConstantInt, Int: n, Bits: bits}}
	}
	tests := []struct {
		name string
		edit func(m *ir.Module, calls []ir.Call) []ir.CallEdit
		want []string
	}{
		{"constants", func(m *ir.Module, calls []ir.Call) []ir.CallEdit {
			whole := ir.Expression{Type: calls[2].Arguments[0].Pointee, Align: 4, Constant: ir.Constant{
				Kind: ir.ConstantAggregate, Elements: []ir.Constant{
					{Kind: ir.ConstantInt, Int: 7, Bits: 8}, {Kind: ir.ConstantFloat, Int: 0x3FC00000, Bits: 32},
				},
			}}
			return []ir.CallEdit{
				{Call: calls[0].Number, Value: constant(findType(t, m, integer(32)), 1<<32-5, 32)},
				{Call: calls[1].Number, Value: constant(findType(t, m, integer(8)), 1, 8)},
				{Call: calls[2].Number, Value: whole},
			}
		}, []string{
			"%2 = add i32 -5, -5", "br label %3", "%4 = phi i32 [ -5, %1 ]", "%5 = trunc i8 1 to i1", "br i1 %5, label %7, label %6",
			"store %S { i8 7, float 0x3FF8000000000000 }, ptr addrspace(4) %0, align 4", "store i32 %4",
		}},
		{"calls", func(m *ir.Module, calls []ir.Call) []ir.CallEdit {
			i32, i8 := findType(t, m, integer(32)), findType(t, m, integer(8))
			read := func(typ ir.TypeID, n uint64) ir.Expression {
				return ir.Expression{Kind: ir.ExpressionCall, Type: typ, Callee: "_Z20__spirv_SpecConstanti" + string(rune('a'+m.Types[typ].Bits/8)), Operands: []ir.Expression{
					constant(i32, n, 32), constant(typ, 9, int(m.Types[typ].Bits)),
				}}
			}
			f := findType(t, m, func(t *ir.Type) bool { return t.Kind == ir.TypeFloat })
			number := ir.Expression{Type: f, Constant: ir.Constant{Kind: ir.ConstantFloat, Int: 0x40000000, Bits: 32}}
			whole := ir.Expression{Kind: ir.ExpressionCall, Type: calls[2].Arguments[0].Pointee, Callee: "composite", Operands: []ir.Expression{read(i8, 2), number}}
			return []ir.CallEdit{{Call: calls[0].Number, Value: read(i32, 0)}, {Call: calls[1].Number, Value: read(i8, 1)}, {Call: calls[2].Number, Value: whole}}
		}, []string{
			"%2 = call spir_func i32 @_Z20__spirv_SpecConstantie(i32 0, i32 9)", "%6 = trunc i8 %spec.",
			"declare spir_func %S @composite(i8, float)", "store %S %spec.",
		}},
		{"loads", func(m *ir.Module, calls []ir.Call) []ir.CallEdit {
			load := func(typ ir.TypeID, argument int, offset uint64) ir.Expression {
				return ir.Expression{Kind: ir.ExpressionLoad, Type: typ, Argument: argument, Offset: offset, Align: 1}
			}
			return []ir.CallEdit{
				{Call: calls[0].Number, Value: load(findType(t, m, integer(32)), 2, 0)},
				{Call: calls[1].Number, Value: load(findType(t, m, integer(8)), 2, 4)},
				{Call: calls[2].Number, Value: load(calls[2].Arguments[0].Pointee, 3, 8)},
			}
		}, []string{
			"getelementptr i8, ptr addrspace(4) %buf, i64 4", "%2 = load i32, ptr addrspace(4) %spec.1, align 1",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := specSlice(t, test.edit)
			out := write(t, s)
			for _, want := range test.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("the output lacks %q", want)
				}
			}
			for _, gone := range []string{"@get", "@n", "@0", "@flag"} {
				if strings.Contains(string(out), gone) {
					t.Errorf("the output still has %s", gone)
				}
			}
			for _, version := range []string{"15", "16", "19"} {
				verify(t, version, out)
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}
