package spirv

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

const extCallsText = `
               OpCapability Addresses
               OpCapability Kernel
               OpCapability Float16
               OpCapability Float16Buffer
          %1 = OpExtInstImport "OpenCL.std"
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %k "k"
       %void = OpTypeVoid
       %half = OpTypeFloat 16
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 0
         %h2 = OpTypeVector %half 2
         %f2 = OpTypeVector %float 2
         %i2 = OpTypeVector %int 2
        %ptr = OpTypePointer CrossWorkgroup %f2
       %kind = OpTypeFunction %void %h2 %f2 %i2 %ptr
          %k = OpFunction %void None %kind
          %h = OpFunctionParameter %h2
          %f = OpFunctionParameter %f2
          %i = OpFunctionParameter %i2
          %p = OpFunctionParameter %ptr
      %entry = OpLabel
          %a = OpExtInst %h2 %1 sin %h
          %b = OpExtInst %f2 %1 sincos %f %p
          %c = OpExtInst %f2 %1 pown %f %i
          %d = OpExtInst %f2 %1 floor %f
               OpReturn
               OpFunctionEnd
`

// TestWithExtCalls compares the functions that are called, and has spirv-val look at the
// module: vectors go component by component, halves as floats, and the second result by a
// function of its own.
func TestWithExtCalls(t *testing.T) {
	m, err := Parse(assemble(t, extCallsText))
	if err != nil {
		t.Fatal(err)
	}
	choose := func(name string) (ExtCall, bool) {
		if name == "sincos" {
			return ExtCall{Result: "sin", Stored: "cos"}, true
		}
		return ExtCall{Result: name}, true
	}
	has := func(name string) bool { return !strings.HasPrefix(name, "floor") && name != "sin_f16" }
	out, names, err := m.WithExtCalls("OpenCL.std", choose, has)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"sin_f32", "cos_f32", "pown_f32"}; !slices.Equal(names, want) {
		t.Errorf("functions %q, want %q", names, want)
	}
	counts := map[Opcode]int{}
	for in := range out.Instructions() {
		counts[in.Op]++
	}
	for op, want := range map[Opcode]int{OpFunctionCall: 8, OpExtInst: 1, OpStore: 1, OpFConvert: 4, OpCompositeConstruct: 4} {
		if counts[op] != want {
			t.Errorf("%v: %d times, want %d", op, counts[op], want)
		}
	}
	if err := out.Verify(); err != nil {
		t.Error(err)
	}
	name := filepath.Join(t.TempDir(), "out.spv")
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	testtool.Need(t, "spirv-val")
	runTool(t, "spirv-val", "--target-env", "spv1.4", name)
	if same, names, err := out.WithExtCalls("OpenCL.std", choose, has); same != out || names != nil || err != nil {
		t.Errorf("a module without such instructions changed: %q, %v", names, err)
	}
}
