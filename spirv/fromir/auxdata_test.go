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
		{name: "not allowed", ir: module, extensions: "-all", err: "SPV_INTEL_long_composites"},
	})
}
