package fromir_test

import (
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

const typedAccess = `%s = type { i32, [4 x i32] }
%u = type { i64 }
define spir_kernel void @k(%s addrspace(1)* %p, %u addrspace(1)* %q) {
  %a = call [4 x i32] addrspace(1)* @llvm.preserve.struct.access.index.p1a4i32.p1s(%s addrspace(1)* %p, i32 1, i32 1)
  %b = call i32 addrspace(1)* @llvm.preserve.array.access.index.p1i32.p1a4i32([4 x i32] addrspace(1)* %a, i32 1, i32 2)
  store i32 7, i32 addrspace(1)* %b
  %c = call %u addrspace(1)* @llvm.preserve.union.access.index.p1u.p1u(%u addrspace(1)* %q, i32 1)
  %d = bitcast %u addrspace(1)* %c to i32 addrspace(1)*
  store i32 7, i32 addrspace(1)* %d
  ret void
}
declare [4 x i32] addrspace(1)* @llvm.preserve.struct.access.index.p1a4i32.p1s(%s addrspace(1)*, i32 immarg, i32 immarg)
declare i32 addrspace(1)* @llvm.preserve.array.access.index.p1i32.p1a4i32([4 x i32] addrspace(1)*, i32 immarg, i32 immarg)
declare %u addrspace(1)* @llvm.preserve.union.access.index.p1u.p1u(%u addrspace(1)*, i32 immarg)
`

const opaqueAccess = `%s = type { i32, [4 x i32] }
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = call ptr addrspace(1) @llvm.preserve.struct.access.index.p1.p1(ptr addrspace(1) elementtype(%s) %p, i32 1, i32 1)
  %b = call ptr addrspace(1) @llvm.preserve.array.access.index.p1.p1(ptr addrspace(1) elementtype([4 x i32]) %a, i32 1, i32 2)
  store i32 7, ptr addrspace(1) %b
  %c = call ptr addrspace(1) @llvm.preserve.union.access.index.p1.p1(ptr addrspace(1) %q, i32 1)
  store i32 7, ptr addrspace(1) %c
  ret void
}
declare ptr addrspace(1) @llvm.preserve.struct.access.index.p1.p1(ptr addrspace(1), i32 immarg, i32 immarg)
declare ptr addrspace(1) @llvm.preserve.array.access.index.p1.p1(ptr addrspace(1), i32 immarg, i32 immarg)
declare ptr addrspace(1) @llvm.preserve.union.access.index.p1.p1(ptr addrspace(1), i32 immarg)
`

// TestAccessIndices: the address computations of __builtin_preserve_access_index are
// those of getelementptr, with the index that stands in them.
func TestAccessIndices(t *testing.T) {
	for name, text := range map[string]string{"typed": typedAccess, "opaque": opaqueAccess} {
		t.Run(name, func(t *testing.T) {
			code, err := fromir.Translate(parseIR(t, text), options())
			if err != nil {
				t.Fatal(err)
			}
			validate(t, code)
			var last []uint64 // the last index of each
			m := verified(t, code)
			for _, f := range m.Functions() {
				for _, in := range f.Body {
					if in.Op == spirv.OpInBoundsPtrAccessChain {
						index := m.Def(spirv.ID(in.Words[len(in.Words)-1]))
						last = append(last, uint64(index.Words[2]))
					}
				}
			}
			if len(last) != 2 || last[0] != 1 || last[1] != 2 {
				t.Errorf("indices %v, want 1 and 2", last)
			}
		})
	}
}

// TestBadAccessIndices: calls that stand for no address are refused.
func TestBadAccessIndices(t *testing.T) {
	for _, text := range []string{
		strings.Replace(opaqueAccess, "elementtype(%s)", "", 1),          // the pointee is not known
		strings.Replace(opaqueAccess, "%p, i32 1", "%p, i32 2", 1),       // there is no such member
		strings.Replace(opaqueAccess, "%a, i32 1", "%a, i32 1000000", 1), // nor such dimensions
		strings.Replace(typedAccess, "%p, i32 1", "%p, i32 0", 1),        // the result points to something else
	} {
		if _, err := fromir.Translate(parseIR(t, text), options()); err == nil {
			t.Errorf("no error:\n%s", text)
		}
	}
}
