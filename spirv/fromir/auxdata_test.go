package fromir_test

import (
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

// TestAuxiliaryData: attributes and metadata become instructions of NonSemantic.AuxData.
func TestAuxiliaryData(t *testing.T) {
	const module = `@g = addrspace(1) global i32 0, !node !0
define available_externally spir_func void @f() #0 !node !0 !nodes !1 { ret void }
define spir_kernel void @k() { call spir_func void @f() ret void }
attributes #0 = { nounwind "b" "a"="v" }
!0 = !{!"text", i32 4, i1 true}
!1 = !{!0}`
	with := fromir.Options{AuxData: true}
	checkConstructs(t, []construct{
		{
			name: "kept", ir: module, options: with, extensions: "-all",
			want:   []string{`OpExtInstImport "NonSemantic.AuxData"`, `OpString "text"`, `OpString "node"`, `OpString "nounwind"`, `OpString "a"`, `OpString "v"`, `OpString "b"`},
			absent: []string{`OpString "nodes"`, "OpExtension"},
		},
		{name: "before 1.6", ir: module, options: with, version: spirv.Version1_3, extensions: "-all", want: []string{`OpExtension "SPV_KHR_non_semantic_info"`, "AuxData"}},
		{name: "not asked for", ir: module, absent: []string{"AuxData", "OpString"}},
	})
}

// TestLongComposites: structs and constants that need more than one instruction.
func TestLongComposites(t *testing.T) {
	const n = 66000
	members := strings.TrimSuffix(strings.Repeat("i8, ", n), ", ")
	var elements strings.Builder
	for i := range n {
		if i > 0 {
			elements.WriteByte(',')
		}
		elements.WriteString([]string{"i8 1", "i8 2"}[i%2])
	}
	module := "%big = type { " + members + " }\n@g = addrspace(1) global %big zeroinitializer\n@a = addrspace(1) constant [66000 x i8] [" + elements.String() + "]\n"
	checkConstructs(t, []construct{
		{
			name: "allowed", ir: module, extensions: "+SPV_INTEL_long_composites",
			want: []string{"OpCapability LongConstantCompositeINTEL", "OpTypeStruct", "OpTypeStructContinuedINTEL", "OpConstantComposite", "OpConstantCompositeContinuedINTEL"},
		},
		{
			name: "allowed by its earlier name", ir: module, extensions: "+SPV_INTEL_long_constant_composite", disputed: "requires one of these extensions: SPV_INTEL_long_composites",
			want: []string{"OpCapability LongConstantCompositeINTEL", `OpExtension "SPV_INTEL_long_constant_composite"`}, absent: []string{"SPV_INTEL_long_composites"},
		},
		{
			name: "allowed by both names", ir: module, extensions: "+SPV_INTEL_long_constant_composite,+SPV_INTEL_long_composites",
			want: []string{`OpExtension "SPV_INTEL_long_composites"`}, absent: []string{"SPV_INTEL_long_constant_composite"},
		},
		{name: "not allowed", ir: module, extensions: "-all", err: "SPV_INTEL_long_composites"},
		{name: "forbidden by its earlier name", ir: module, extensions: "+all,-SPV_INTEL_long_constant_composite", err: "SPV_INTEL_long_composites"},
	})
}

// TestPoisonFreeze: the instructions of SPV_KHR_poison_freeze, where it is allowed by name.
func TestPoisonFreeze(t *testing.T) {
	const module = `define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %f = freeze i32 %n
  store i32 %f, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %p, i64 1
  store i32 poison, ptr addrspace(1) %q
  ret void
}
`
	checkConstructs(t, []construct{
		{
			name: "allowed by name", ir: module, extensions: "+SPV_KHR_poison_freeze",
			want: []string{"OpCapability PoisonFreezeKHR", `OpExtension "SPV_KHR_poison_freeze"`, "OpPoisonKHR", "OpFreezeKHR"},
		},
		{name: "all", ir: module, extensions: "+all", absent: []string{"PoisonKHR", "FreezeKHR"}},
	})
}

// TestRelaxedPrintf: a format outside of constant memory, by both names of the extension.
func TestRelaxedPrintf(t *testing.T) {
	const module = `@f = addrspace(1) constant [2 x i8] c"x\00"
define spir_kernel void @k() {
  %r = call spir_func i32 (ptr addrspace(1), ...) @_Z18__spirv_ocl_printfPU3AS1Kcz(ptr addrspace(1) @f)
  ret void
}
declare spir_func i32 @_Z18__spirv_ocl_printfPU3AS1Kcz(ptr addrspace(1), ...)
`
	checkConstructs(t, []construct{
		{
			name: "published name", ir: module, extensions: "+SPV_EXT_relaxed_printf_string_address_space",
			want: []string{`OpExtension "SPV_EXT_relaxed_printf_string_address_space"`, "printf"}, absent: []string{"OpCapability CooperativeMatrixPrefetchINTEL"},
		},
		{
			name: "earlier name", ir: module, extensions: "+SPV_INTEL_non_constant_addrspace_printf",
			// The number of NonConstantAddrspacePrintfINTEL was given to another later.
			want: []string{"OpCapability CooperativeMatrixPrefetchINTEL", `OpExtension "SPV_INTEL_non_constant_addrspace_printf"`, "printf"},
		},
	})
}
