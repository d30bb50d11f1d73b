package spirv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// assemble makes a module of assembly text, checked by spirv-as alone.
func assemble(t testing.TB, text string) []byte {
	t.Helper()
	testtool.Need(t, "spirv-as")
	dir := t.TempDir()
	source, out := filepath.Join(dir, "a.spvasm"), filepath.Join(dir, "a.spv")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	runTool(t, "spirv-as", "--preserve-numeric-ids", "--target-env", "spv1.4", source, "-o", out)
	code, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

const asmHead = `OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%zero = OpConstant %int 0
%true = OpConstantTrue %bool
%fn = OpTypeFunction %void
%fi = OpTypeFunction %int %int
`

func TestVerify(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"right", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpBranch %loop
%loop = OpLabel
%i = OpPhi %int %x %a %j %loop
%j = OpIAdd %int %i %zero
OpBranchConditional %true %loop %end
%end = OpLabel
OpReturnValue %j
OpFunctionEnd`, ""},
		{"blocks out of order", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpBranch %b
%c = OpLabel
OpReturnValue %y
%b = OpLabel
%y = OpIAdd %int %x %zero
OpBranch %c
OpFunctionEnd`, ""},
		{"use before definition", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
%z = OpIAdd %int %x %y
%y = OpIAdd %int %x %zero
OpReturnValue %z
OpFunctionEnd`, "is used where it is not always defined"},
		{"use beside a definition", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpBranchConditional %true %b %c
%b = OpLabel
%y = OpIAdd %int %x %zero
OpBranch %c
%c = OpLabel
OpReturnValue %y
OpFunctionEnd`, "is used where it is not always defined"},
		{"phi of a value that is not there", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpBranchConditional %true %b %c
%b = OpLabel
%y = OpIAdd %int %x %zero
OpBranch %c
%c = OpLabel
%z = OpPhi %int %y %a %y %b
OpReturnValue %z
OpFunctionEnd`, "is used where it is not always defined"},
		{"phi without a predecessor", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpBranchConditional %true %b %c
%b = OpLabel
OpBranch %c
%c = OpLabel
%z = OpPhi %int %x %a
OpReturnValue %z
OpFunctionEnd`, "it has no value for the block"},
		{"value of another function", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpReturnValue %x
OpFunctionEnd
%g = OpFunction %int None %fi
%y = OpFunctionParameter %int
%b = OpLabel
OpReturnValue %x
OpFunctionEnd`, "is a value of another function"},
		{"branch into another function", `%f = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpFunctionEnd
%g = OpFunction %void None %fn
%b = OpLabel
OpBranch %a
OpFunctionEnd`, "is not a block of the function"},
		{"branch to the entry", `%f = OpFunction %void None %fn
%a = OpLabel
OpBranch %b
%b = OpLabel
OpBranch %a
OpFunctionEnd`, "a branch leads to the entry block"},
		{"block without an end", `%f = OpFunction %void None %fn
%a = OpLabel
%b = OpLabel
OpReturn
OpFunctionEnd`, "the block before has no end"},
		{"code behind an end", `%f = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpReturn
OpFunctionEnd`, "stands after the end of a block"},
		{"last block without an end", `%f = OpFunction %void None %fn
%a = OpLabel
OpFunctionEnd`, "has no end"},
		{"late phi", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpBranch %b
%b = OpLabel
%y = OpIAdd %int %x %zero
%z = OpPhi %int %x %a
OpReturnValue %z
OpFunctionEnd`, "does not stand at the start of its block"},
		{"merge before a phi, as of llvm-spirv 15", `%f = OpFunction %int None %fi
%x = OpFunctionParameter %int
%a = OpLabel
OpBranch %loop
%loop = OpLabel
OpLoopMerge %end %loop None
%i = OpPhi %int %x %a %j %loop
%j = OpIAdd %int %i %zero
OpBranchConditional %true %loop %end
%end = OpLabel
OpReturnValue %j
OpFunctionEnd`, ""},
		{"parameters", `%f = OpFunction %void None %fi
%a = OpLabel
OpReturn
OpFunctionEnd`, "does not fit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := Parse(assemble(t, asmHead+test.text))
			if err != nil {
				t.Fatal(err)
			}
			err = m.Verify()
			switch {
			case test.want == "" && err != nil:
				t.Errorf("Verify: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("Verify: %v; want %s", err, test.want)
			}
		})
	}
}

// TestVerifyCompiled verifies modules that llvm-spirv and Link made.
func TestVerifyCompiled(t *testing.T) {
	for _, level := range []string{"-O0", "-O2"} {
		m, err := Parse(compile(t, "testdata/rich.cl", level))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Verify(); err != nil {
			t.Errorf("%s: %v", level, err)
		}
		if m, err = Link([]Input{{"rich", m}}, LinkOptions{AllowUnresolved: true}); err != nil {
			t.Fatal(err)
		}
		if err := m.Verify(); err != nil {
			t.Errorf("%s, linked: %v", level, err)
		}
	}
}

// TestVerifyGlobals: spirv-as does not write globals in a wrong order.
func TestVerifyGlobals(t *testing.T) {
	code := words(Version1_0, 10,
		inst(OpMemoryModel, 2, 2), inst(OpTypeVector, 2, 1, 4), inst(OpTypeInt, 1, 32, 0))
	m, err := Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Verify(); err == nil || !strings.Contains(err.Error(), "%1 is used before it is defined") {
		t.Errorf("Verify: %v; want that %%1 is used too early", err)
	}
}
