package irtext_test

import (
	"slices"
	"strings"
	"testing"

	"offlink/ir"
	"offlink/ir/irtext"
)

// slotModule returns a module whose function stores and loads in the way that
// body says; %name is the argument of the call of @get.
func slotModule(body string) string {
	return `@n = private addrspace(4) constant [2 x i8] c"a\00"
@m = private addrspace(4) constant [2 x i8] c"b\00"
@pointers = global ptr null
%outer = type { i32, [2 x ptr addrspace(4)] }
define void @k(ptr %p, i1 %c) {
  %slot = alloca ptr addrspace(4), align 8
  %outer = alloca %outer, align 8
  %o4 = addrspacecast ptr %outer to ptr addrspace(4)
  %1 = addrspacecast ptr %slot to ptr addrspace(4)
` + body + `
  call void @get(ptr addrspace(4) %name)
  ret void
}
declare void @get(ptr addrspace(4))
declare void @see(ptr addrspace(4))
declare void @take(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.assume(i1)
`
}

const storeAndLoad = `  store ptr addrspace(4) @n, ptr %slot
  %name = load ptr addrspace(4), ptr addrspace(4) %1
`

const memberStoreAndLoad = `  %member = getelementptr inbounds %outer, ptr %outer, i32 0, i32 1, i64 1
  store ptr addrspace(4) @n, ptr %member
  %again = getelementptr inbounds %outer, ptr addrspace(4) %o4, i32 0, i32 1, i64 1
  %name = load ptr addrspace(4), ptr addrspace(4) %again
`

// An argument is a constant where the variable that it is loaded from holds
// nothing else, and the store goes with the call where nothing else reads it.
func TestSlots(t *testing.T) {
	for _, tt := range []struct {
		name, body     string
		constant, goes bool
	}{
		{"through casts", storeAndLoad, true, true},
		{"a lifetime marker", "  call void @llvm.lifetime.start.p0(i64 8, ptr %slot)\n" + storeAndLoad, true, true},
		{"stored twice", "  store ptr addrspace(4) @n, ptr addrspace(4) %1\n" + storeAndLoad, true, true},
		{"an offset of zero", strings.Replace(storeAndLoad, "@n,", "getelementptr inbounds ([2 x i8], ptr addrspace(4) @n, i64 0, i64 0),", 1), true, true},
		{"another user of the load", storeAndLoad + "  call void @see(ptr addrspace(4) %name)\n", true, false},
		{"another load that is used", storeAndLoad + "  %2 = load ptr addrspace(4), ptr %slot\n  call void @see(ptr addrspace(4) %2)\n", true, false},
		{"another load that is not used", storeAndLoad + "  %2 = load ptr addrspace(4), ptr %slot\n", true, true},
		{"a bundle of another call has the load", storeAndLoad + "  call void @see(ptr addrspace(4) null) [ \"tag\"(ptr addrspace(4) %name) ]\n", true, false},
		{"a bundle of another call has the address", "  call void @take(ptr null) [ \"tag\"(ptr %slot) ]\n" + storeAndLoad, false, false},
		{"an assumption about the variable", "  call void @llvm.assume(i1 true) [ \"align\"(ptr %slot, i64 8) ]\n" + storeAndLoad, true, true},
		{"another value", "  store ptr addrspace(4) @m, ptr addrspace(4) %1\n" + storeAndLoad, false, false},
		{"a value of the function", "  %2 = addrspacecast ptr %p to ptr addrspace(4)\n  store ptr addrspace(4) %2, ptr addrspace(4) %1\n" + storeAndLoad, false, false},
		{"a volatile store", strings.Replace(storeAndLoad, "store", "store volatile", 1), false, false},
		{"no store", "  %name = load ptr addrspace(4), ptr %slot\n", false, false},
		{"the address is passed on", "  call void @take(ptr %slot)\n" + storeAndLoad, false, false},
		{"the address is stored", "  store ptr %slot, ptr @pointers\n" + storeAndLoad, false, false},
		{"the address is stored in itself", "  store ptr %slot, ptr %slot\n" + storeAndLoad, false, false},
		{"a part is written", "  %2 = getelementptr i8, ptr %slot, i64 1\n  store i8 0, ptr %2\n" + storeAndLoad, false, false},
		{"another type is written", "  store i64 0, ptr %slot\n" + storeAndLoad, false, false},
		{"a member", memberStoreAndLoad, true, true},
		{"a member of a member, step by step", `  %2 = getelementptr inbounds %outer, ptr addrspace(4) %o4, i32 0, i32 1
  %3 = getelementptr inbounds [2 x ptr addrspace(4)], ptr addrspace(4) %2, i64 0, i64 1
  store ptr addrspace(4) @n, ptr addrspace(4) %3
  %4 = getelementptr inbounds %outer, ptr %outer, i32 0, i32 1, i64 1
  %name = load ptr addrspace(4), ptr %4
`, true, true},
		{"another member has another value", "  %2 = getelementptr inbounds %outer, ptr %outer, i32 0, i32 1, i64 0\n  store ptr addrspace(4) @m, ptr %2\n" + memberStoreAndLoad, true, true},
		{"the member has another value", "  %2 = getelementptr inbounds %outer, ptr %outer, i32 0, i32 1, i64 1\n  store ptr addrspace(4) @m, ptr %2\n" + memberStoreAndLoad, false, false},
		{"the variable is passed on", "  call void @take(ptr %outer)\n" + memberStoreAndLoad, false, false},
		{"the variable is written as a whole", "  store %outer zeroinitializer, ptr %outer\n" + memberStoreAndLoad, false, false},
		{"a gep of another type", strings.ReplaceAll(memberStoreAndLoad, "%outer, ptr", "{ i64, [2 x ptr addrspace(4)] }, ptr"), false, false},
		{"an index of the function", "  %i = zext i1 %c to i64\n  %2 = getelementptr inbounds %outer, ptr %outer, i32 0, i32 1, i64 %i\n  store ptr addrspace(4) @m, ptr %2\n" + memberStoreAndLoad, false, false},
		{"an index out of range", strings.ReplaceAll(memberStoreAndLoad, "i64 1", "i64 2"), false, false},
		{"an index before the variable", strings.ReplaceAll(memberStoreAndLoad, "i64 1", "i64 -1"), false, false},
		{"an element after the variable", strings.ReplaceAll(memberStoreAndLoad, "i32 0,", "i32 1,"), false, false},
		{"a member of another type", strings.ReplaceAll(memberStoreAndLoad, "i32 1, i64 1", "i32 0"), false, false},
		{"an offset into the name", strings.Replace(storeAndLoad, "@n,", "getelementptr inbounds ([2 x i8], ptr addrspace(4) @n, i64 0, i64 1),", 1), false, false},
		{"casts of one another", "  store ptr addrspace(4) @n, ptr %slot\n  %name = load ptr addrspace(4), ptr addrspace(4) %1\n  br label %end\ndead:\n  %a = bitcast ptr %b to ptr\n  %b = bitcast ptr %a to ptr\n  %2 = load ptr addrspace(4), ptr %b\n  call void @get(ptr addrspace(4) %2)\n  br label %dead\nend:\n", true, true},
		{"loaded from an argument", "  %name = load ptr addrspace(4), ptr %p\n", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := irtext.Parse("slot.ll", []byte(slotModule(tt.body)))
			if err != nil {
				t.Fatal(err)
			}
			k, _ := m.Lookup("k")
			n, _ := m.Lookup("n")
			get, _ := m.Lookup("get")
			calls, err := ir.FindCalls(m, k, map[ir.ValueID]bool{get: true})
			if err != nil {
				t.Fatal(err)
			}
			a := calls[len(calls)-1].Arguments[0]
			if constant := a.FromSlot && a.Constant.Kind == ir.ConstantValue && a.Constant.Value == n; constant != tt.constant {
				t.Errorf("argument %+v; constant = %t, want %t", a, constant, tt.constant)
			}
			var gone []int
			for i := range calls {
				gone = append(gone, calls[i].Number)
			}
			refs, err := ir.RefsWithoutCalls(m, k, gone)
			if err != nil {
				t.Fatal(err)
			}
			has := slices.Contains(m.Refs(&m.Values[k]), ir.MakeRef(ir.RefAddress, uint32(n)))
			left := slices.Contains(refs, ir.MakeRef(ir.RefAddress, uint32(n)))
			if goes := has && !left; goes != tt.goes {
				t.Errorf("RefsWithoutCalls() = %v; the store goes = %t, want %t", refs, goes, tt.goes)
			}
		})
	}
}
