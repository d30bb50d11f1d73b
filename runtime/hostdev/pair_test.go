package hostdev

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/emitc"
)

// pairText is a kernel of integers of a width that stores both results of each instruction
// with two, and of floats of it where there are some.
func pairText(width int) string {
	var s strings.Builder
	float := width >= 32
	s.WriteString("OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int8\nOpCapability Int16\nOpCapability Shader\nOpCapability Float64\n")
	s.WriteString("%std = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %gid Constant\n")
	fmt.Fprintf(&s, "%%void = OpTypeVoid\n%%long = OpTypeInt 64 0\n%%bool = OpTypeBool\n%%v3 = OpTypeVector %%long 3\n%%pv3 = OpTypePointer Input %%v3\n%%gid = OpVariable %%pv3 Input\n")
	if width != 64 {
		fmt.Fprintf(&s, "%%t = OpTypeInt %d 0\n", width)
	}
	s.WriteString("%pair = OpTypeStruct %t %t\n%flagged = OpTypeStruct %t %bool\n%pt = OpTypePointer CrossWorkgroup %t\n")
	if float {
		fmt.Fprintf(&s, "%%f = OpTypeFloat %d\n%%f4 = OpTypeVector %%f 4\n", width)
	}
	s.WriteString("%ft = OpTypeFunction %void %pt %pt %pt\n%stride = OpConstant %long 16\n")
	for i := range 16 {
		fmt.Fprintf(&s, "%%n%d = OpConstant %%long %d\n", i, i)
	}
	s.WriteString("%k = OpFunction %void None %ft\n%a = OpFunctionParameter %pt\n%b = OpFunctionParameter %pt\n%o = OpFunctionParameter %pt\n%entry = OpLabel\n")
	s.WriteString("%ids = OpLoad %v3 %gid\n%id = OpCompositeExtract %long %ids 0\n%pa = OpInBoundsPtrAccessChain %pt %a %id\n%pb = OpInBoundsPtrAccessChain %pt %b %id\n%x = OpLoad %t %pa\n%y = OpLoad %t %pb\n%first = OpIMul %long %id %stride\n")
	n := 0
	store := func(id string) {
		fmt.Fprintf(&s, "%%at%d = OpIAdd %%long %%first %%n%d\n%%po%d = OpInBoundsPtrAccessChain %%pt %%o %%at%d\nOpStore %%po%d %s\n", n, n, n, n, n, id)
		n++
	}
	for _, op := range []string{"OpIAddCarry", "OpISubBorrow", "OpUMulExtended", "OpSMulExtended"} {
		fmt.Fprintf(&s, "%%r%s = %s %%pair %%x %%y\n%%l%s = OpCompositeExtract %%t %%r%s 0\n%%h%s = OpCompositeExtract %%t %%r%s 1\n", op, op, op, op, op, op)
		store("%l" + op)
		store("%h" + op)
	}
	for _, op := range []string{"OpIAddCarry", "OpISubBorrow"} { // a Boolean as the carry, which llvm-spirv wrote
		fmt.Fprintf(&s, "%%f%s = %s %%flagged %%x %%y\n%%b%s = OpCompositeExtract %%bool %%f%s 1\n%%s%s = OpSelect %%t %%b%s %%x %%y\n", op, op, op, op, op, op)
		store("%s" + op)
	}
	s.WriteString("%smod = OpSMod %t %x %y\n")
	store("%smod")
	if float {
		s.WriteString("%fx = OpBitcast %f %x\n%fy = OpBitcast %f %y\n%frem = OpFRem %f %fx %fy\n%frembits = OpBitcast %t %frem\n%fmod = OpFMod %f %fx %fy\n%fmodbits = OpBitcast %t %fmod\n")
		store("%frembits")
		store("%fmodbits")
		s.WriteString("%vec = OpCompositeConstruct %f4 %fx %fy %fy %fx\n%len = OpExtInst %f %std length %vec\n%lenbits = OpBitcast %t %len\n%unit = OpExtInst %f4 %std normalize %vec\n%unit1 = OpCompositeExtract %f %unit 1\n%unitbits = OpBitcast %t %unit1\n")
		store("%lenbits")
		store("%unitbits")
	}
	s.WriteString("OpReturn\nOpFunctionEnd\n")
	if width == 64 { // a module must not declare a type twice
		return regexp.MustCompile(`%t\b`).ReplaceAllString(s.String(), "%long")
	}
	return s.String()
}

// pairNumbers are numbers of a width whose bits are random, small, or near a limit.
func pairNumbers(r *rand.Rand, width, count int, nonzero bool) []byte {
	var out []byte
	for range count {
		v := r.Uint64()
		switch r.IntN(4) {
		case 0:
			v >>= 64 - uint(1+r.IntN(width))
		case 1:
			v = ^(v >> (64 - uint(1+r.IntN(width))))
		case 2:
			v = uint64(1)<<(width-1) - uint64(r.IntN(3))
		}
		if v &= mask(width); nonzero && v == 0 {
			v = 3
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, v)[:width/8]...)
	}
	return out
}

// TestPairs compares all executors on instructions that clang has no words for.
func TestPairs(t *testing.T) {
	testtool.Need(t, "spirv-as")
	for _, width := range []int{8, 16, 32, 64} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "pairs")
			if err := os.WriteFile(base+".spvasm", []byte(pairText(width)), 0o666); err != nil {
				t.Fatal(err)
			}
			mustRun(t, "spirv-as", "--target-env", "spv1.2", base+".spvasm", "-o", base+".spv")
			code, err := os.ReadFile(base + ".spv")
			if err != nil {
				t.Fatal(err)
			}
			if s, err := NativeC(t.Context(), "pairs", code); err != nil || len(s.Refused) > 0 {
				t.Errorf("ahead of time: %v, refused: %v", err, s.Refused)
			}
			const count = 3008
			r := rand.New(rand.NewPCG(1, uint64(width)))
			x, y := pairNumbers(r, width, count, false), pairNumbers(r, width, count, true)
			var first []byte
			for _, e := range executors {
				p := buildModules(t, e.options, driver.BuildOptions{}, module("pairs", code))
				out := p.buffer(make([]byte, 16*count*width/8))
				p.launch("k", groups(count, 16), p.buffer(x), p.buffer(y), out)
				got := readBuffer[byte](p, out)
				if first == nil {
					first = got
				}
				for i := range got {
					if at := i / (width / 8); got[i] != first[i] {
						t.Fatalf("%s: result %d of work-item %d differs from the interpreter's: %x and %x", e.name, at%16, at/16,
							got[at*width/8:(at+1)*width/8], first[at*width/8:(at+1)*width/8])
					}
				}
				if !e.options.Interpret && !e.options.Check {
					requireC(t, p, "k")
				}
			}
		})
	}
}

// requireC fails if a kernel has no native code.
func requireC(t *testing.T, p *testProgram, name string) {
	t.Helper()
	made, err := p.program.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := launchedCode(made)
	if err == nil {
		_, err = emitc.EmitFunction(n.wide, emitc.Symbol)
	}
	if err != nil {
		t.Errorf("kernel %s: %v", name, err)
	}
}
