package spirv

import (
	"encoding/binary"
	"os/exec"
	"testing"

	"offlink/internal/testtool"
)

// versionModule is a kernel with capabilities, modes, decorations and instructions put in.
func versionModule(capabilities, modes, decorations, body string) string {
	return `OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
` + capabilities + `
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
` + modes + `
OpDecorate %p FuncParamAttr NoCapture
` + decorations + `
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%t = OpConstantTrue %bool
%three = OpConstant %uint 3
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%k = OpFunction %void None %fn
%p = OpFunctionParameter %ptr
%l = OpLabel
` + body + `
OpReturn
OpFunctionEnd
`
}

// The versions are those that spirv-val asks for.
func TestLeastVersion(t *testing.T) {
	testtool.Need(t, "spirv-val")
	for _, tt := range []struct{ name, capabilities, modes, decorations, body, want string }{
		{"nothing new", "", "", "", "", "1.0"},
		{"a control of loops", "", "", "", "OpBranch %h\n%h = OpLabel\nOpLoopMerge %e %c DependencyInfinite\nOpBranch %c\n%c = OpLabel\nOpBranchConditional %t %h %e\n%e = OpLabel", "1.1"},
		{"a capability", "OpCapability SubgroupDispatch", "", "", "", "1.1"},
		{"a mode", "OpCapability SubgroupDispatch", "OpExecutionMode %k SubgroupSize 8", "", "", "1.1"},
		{"a decoration", "", "", "OpDecorate %p MaxByteOffset 4", "", "1.1"},
		{"a mode with an identifier", "", "OpExecutionModeId %k LocalSizeHintId %three %three %three", "", "", "1.2"},
		{"an instruction", "OpCapability GroupNonUniform", "", "", "%x = OpGroupNonUniformElect %bool %three", "1.3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code := assemble(t, versionModule(tt.capabilities, tt.modes, tt.decorations, tt.body))
			binary.LittleEndian.PutUint32(code[4:], uint32(Version1_3))
			m, err := Parse(code)
			if err != nil {
				t.Fatal(err)
			}
			least := m.LeastVersion()
			if least.String() != tt.want {
				t.Fatalf("SPIR-V %v, want %s", least, tt.want)
			}
			if log, err := validate(t, m.WithVersion(least)); err != nil {
				t.Errorf("spirv-val refuses it as %v: %s", least, log)
			}
			if least == Version1_0 {
				return
			}
			if _, err := validate(t, m.WithVersion(least-1<<8)); err == nil {
				t.Errorf("spirv-val takes it as %v too", least-1<<8)
			}
			if m.Version != Version1_3 {
				t.Error("WithVersion changed its module")
			}
		})
	}
}

// A module of 1.4 may not be given an older header.
func TestLeastVersionOfNewModule(t *testing.T) {
	m, err := Parse(assemble(t, versionModule("", "", "", "")))
	if err != nil || m.LeastVersion() != Version1_4 {
		t.Errorf("%v, %v", m.LeastVersion(), err)
	}
}

func validate(t *testing.T, m *Module) (string, error) {
	t.Helper()
	log, err := exec.Command("spirv-val", "--target-env", "spv"+m.Version.String(), writeTemp(t, m.Bytes())).CombinedOutput()
	return string(log), err
}
