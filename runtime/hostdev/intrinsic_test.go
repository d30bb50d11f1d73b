package hostdev

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
)

// The intrinsics of LLVM, and integers of all widths, are compared with the code
// that clang compiles from the same IR for the test's machine.

// irCase is the body of a function in IR: it computes the i64 values %r0 and
// %r1 of the i64 values %x, %y and %z.
type irCase struct {
	name   string
	body   string
	floats bool // %r0 is one
}

// intCases are for the integer type T of w bits.
func intCases(w int) []irCase {
	t := fmt.Sprintf("i%d", w)
	head := `
  %a = trunc i64 %x to T
  %b = trunc i64 %y to T
  %c = trunc i64 %z to T
`
	if w == 64 {
		head = `
  %a = add i64 %x, 0
  %b = add i64 %y, 0
  %c = add i64 %z, 0
`
	}
	tail := "\n  %r0 = zext T %r to i64\n  %r1 = sext T %r to i64\n"
	if w == 64 {
		tail = "\n  %r0 = add T %r, 0\n  %r1 = sub T %r, %a\n"
	}
	var list []irCase
	add := func(name, body string) {
		list = append(list, irCase{name: name + "_" + t, body: strings.ReplaceAll(head+body+tail, "T", t)})
	}
	for _, op := range []string{"sadd.sat", "uadd.sat", "ssub.sat", "usub.sat", "smin", "smax", "umin", "umax"} {
		add(op, "  %r = call T @llvm."+op+".T(T %a, T %b)")
	}
	for _, op := range []string{"sshl.sat", "ushl.sat"} {
		add(op, fmt.Sprintf("  %%n = urem T %%b, %d\n  %%r = call T @llvm.%s.T(T %%a, T %%n)", max(w&^1, 1), op))
	}
	for _, op := range []string{"fshl", "fshr"} {
		add(op, "  %r = call T @llvm."+op+".T(T %a, T %b, T %c)")
	}
	add("ctpop", "  %r = call T @llvm.ctpop.T(T %a)")
	add("bitreverse", "  %r = call T @llvm.bitreverse.T(T %a)")
	add("abs", "  %r = call T @llvm.abs.T(T %a, i1 false)")
	add("ctlz", "  %r = call T @llvm.ctlz.T(T %a, i1 false)")
	add("cttz", "  %r = call T @llvm.cttz.T(T %a, i1 false)")
	if w%16 == 0 {
		add("bswap", "  %r = call T @llvm.bswap.T(T %a)")
	}
	for _, op := range []string{"sadd", "uadd", "ssub", "usub", "smul", "umul"} {
		list = append(list, irCase{name: op + "_overflow_" + t, body: strings.ReplaceAll(head+`
  %s = call { T, i1 } @llvm.`+op+`.with.overflow.T(T %a, T %b)
  %v = extractvalue { T, i1 } %s, 0
  %o = extractvalue { T, i1 } %s, 1
  %r1 = zext i1 %o to i64
`+map[bool]string{false: "  %r0 = zext T %v to i64\n", true: "  %r0 = add T %v, 0\n"}[w == 64], "T", t)})
	}
	for _, op := range []string{"add", "sub", "mul", "and", "or", "xor"} {
		add(op, "  %r = "+op+" T %a, %b")
	}
	// Division by nothing, and of the least number by -1, are left out.
	add("udiv", "  %d = or T %b, 1\n  %r = udiv T %a, %d")
	add("urem", "  %d = or T %b, 1\n  %r = urem T %a, %d")
	if w > 2 {
		add("sdiv", "  %h = lshr T %b, 1\n  %d = or T %h, 1\n  %r = sdiv T %a, %d")
		add("srem", "  %h = lshr T %b, 1\n  %d = or T %h, 1\n  %r = srem T %a, %d")
		for _, op := range []string{"shl", "lshr", "ashr"} {
			add(op, fmt.Sprintf("  %%n = urem T %%b, %d\n  %%r = %s T %%a, %%n", w, op))
		}
	}
	for _, predicate := range []string{"eq", "ult", "ule", "sgt", "sge"} {
		add("icmp_"+predicate, "  %q = icmp "+predicate+" T %a, %b\n  %r = select i1 %q, T %a, T %c")
	}
	return list
}

// vectorCases cut vectors of booleans and of odd widths to integers and back.
var vectorCases = []irCase{
	{name: "mask4", body: `
  %v = bitcast i64 %x to <4 x i16>
  %w = bitcast i64 %y to <4 x i16>
  %q = icmp slt <4 x i16> %v, %w
  %m = bitcast <4 x i1> %q to i4
  %r0 = zext i4 %m to i64
  %n = trunc i64 %z to i4
  %k = bitcast i4 %n to <4 x i1>
  %s = select <4 x i1> %k, <4 x i16> %v, <4 x i16> %w
  %r1 = bitcast <4 x i16> %s to i64
`},
	{name: "mask8", body: `
  %v = bitcast i64 %x to <8 x i8>
  %w = bitcast i64 %y to <8 x i8>
  %q = icmp ugt <8 x i8> %v, %w
  %m = bitcast <8 x i1> %q to i8
  %r0 = zext i8 %m to i64
  %n = trunc i64 %z to i8
  %k = bitcast i8 %n to <8 x i1>
  %e = zext <8 x i1> %k to <8 x i8>
  %r1 = bitcast <8 x i8> %e to i64
`},
	{name: "reduce", body: `
  %v = bitcast i64 %x to <4 x i16>
  %a = call i16 @llvm.vector.reduce.add.v4i16(<4 x i16> %v)
  %b = call i16 @llvm.vector.reduce.umax.v4i16(<4 x i16> %v)
  %c = call i16 @llvm.vector.reduce.xor.v4i16(<4 x i16> %v)
  %d = call i16 @llvm.vector.reduce.smin.v4i16(<4 x i16> %v)
  %a1 = zext i16 %a to i64
  %b1 = zext i16 %b to i64
  %c1 = zext i16 %c to i64
  %d1 = zext i16 %d to i64
  %s = shl i64 %b1, 16
  %r0 = or i64 %a1, %s
  %u = shl i64 %d1, 16
  %r1 = or i64 %c1, %u
`},
	{name: "memory", body: `
  %area = alloca [4 x i64]
  %other = alloca [4 x i64]
  %a = bitcast [4 x i64]* %area to i8*
  %o = bitcast [4 x i64]* %other to i8*
  %a8 = getelementptr i8, i8* %a, i64 3
  %value = trunc i64 %y to i8
  %n = and i64 %z, 15
  call void @llvm.memset.p0i8.i64(i8* %a, i8 1, i64 32, i1 false)
  call void @llvm.memset.p0i8.i64(i8* %o, i8 2, i64 32, i1 false)
  %start = getelementptr [4 x i64], [4 x i64]* %area, i64 0, i64 0
  store i64 %x, i64* %start
  call void @llvm.memmove.p0i8.p0i8.i64(i8* %a8, i8* %a, i64 %n, i1 false)
  call void @llvm.memset.p0i8.i64(i8* %a, i8 %value, i64 %n, i1 false)
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %o, i8* %a8, i64 %n, i1 false)
  %s0 = bitcast i8* %o to i64*
  %r0 = load i64, i64* %s0
  %s1 = getelementptr i64, i64* %start, i64 1
  %r1 = load i64, i64* %s1
`},
	{name: "vector_sat", body: `
  %v = bitcast i64 %x to <4 x i16>
  %w = bitcast i64 %y to <4 x i16>
  %s = call <4 x i16> @llvm.usub.sat.v4i16(<4 x i16> %v, <4 x i16> %w)
  %r0 = bitcast <4 x i16> %s to i64
  %f = call <4 x i16> @llvm.fshl.v4i16(<4 x i16> %v, <4 x i16> %w, <4 x i16> %s)
  %r1 = bitcast <4 x i16> %f to i64
`},
}

// floatCases convert the bits of %x, %y and %z.
func floatCases() []irCase {
	head := "\n  %a = bitcast i64 %x to double\n  %b = bitcast i64 %y to double\n  %c = bitcast i64 %z to double\n"
	var list []irCase
	add := func(name, body string) { list = append(list, irCase{name, head + body, true}) }
	whole := "\n  %r0 = bitcast double %r to i64\n  %r1 = add i64 0, 0\n"
	for _, op := range []string{"fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "sqrt"} {
		add(op, "  %r = call double @llvm."+op+".f64(double %a)"+whole)
	}
	for _, op := range []string{"copysign", "minnum", "maxnum"} {
		add(op, "  %r = call double @llvm."+op+".f64(double %a, double %b)"+whole)
	}
	add("fma", "  %r = call double @llvm.fma.f64(double %a, double %b, double %c)"+whole)
	add("to_sat", `
  %si = call i32 @llvm.fptosi.sat.i32.f64(double %a)
  %u = call i16 @llvm.fptoui.sat.i16.f64(double %a)
  %r0 = sext i32 %si to i64
  %r1 = zext i16 %u to i64
`)
	for mask := 1; mask < 1<<10; mask <<= 1 {
		add(fmt.Sprintf("class_%d", mask), fmt.Sprintf(`
  %%q = call i1 @llvm.is.fpclass.f64(double %%a, i32 %d)
  %%r0 = zext i1 %%q to i64
  %%r1 = add i64 0, 0
`, mask))
	}
	return list
}

// module is the IR of the cases: kernels, or functions of the host.
func irModule(cases []irCase, kernels bool) string {
	var b strings.Builder
	space, convention := "", ""
	if kernels {
		space, convention = " addrspace(1)", "spir_kernel "
		b.WriteString(`target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)
!opencl.ocl.version = !{!0}
!opencl.spir.version = !{!0}
!0 = !{i32 2, i32 0}
`)
	}
	for i, c := range cases {
		fmt.Fprintf(&b, "define %svoid @case%d(i64 %%index, i64%s* %%in, i64%s* %%out) {\n", convention, i, space, space)
		if kernels {
			b.WriteString("  %i = call spir_func i64 @_Z13get_global_idj(i32 0)\n")
		} else {
			b.WriteString("  %i = add i64 %index, 0\n")
		}
		b.WriteString("  %first = mul i64 %i, 3\n")
		for j, name := range []string{"x", "y", "z"} {
			fmt.Fprintf(&b, "  %%i%s = add i64 %%first, %d\n  %%p%s = getelementptr i64, i64%s* %%in, i64 %%i%s\n  %%%s = load i64, i64%s* %%p%s\n",
				name, j, name, space, name, name, space, name)
		}
		b.WriteString(c.body)
		fmt.Fprintf(&b, "  %%o0 = mul i64 %%i, 2\n  %%o1 = add i64 %%o0, 1\n")
		for j := range 2 {
			fmt.Fprintf(&b, "  %%q%d = getelementptr i64, i64%s* %%out, i64 %%o%d\n  store i64 %%r%d, i64%s* %%q%d\n", j, space, j, j, space, j)
		}
		b.WriteString("  ret void\n}\n")
	}
	for _, d := range declarations(b.String()) {
		b.WriteString(d + "\n")
	}
	return b.String()
}

// declarations are those of the intrinsics that the text calls.
func declarations(text string) []string {
	seen := map[string]bool{}
	var list []string
	for line := range strings.Lines(text) {
		_, call, ok := strings.Cut(line, "call ")
		if !ok || !strings.Contains(call, "@llvm.") {
			continue
		}
		name, rest, _ := strings.Cut(call, "(")
		if seen[name] {
			continue
		}
		seen[name] = true
		var types []string
		for arg := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(rest), ")"), ", ") {
			t := arg[:strings.LastIndex(arg, " ")]
			types = append(types, t)
		}
		list = append(list, "declare "+name+"("+strings.Join(types, ", ")+")")
	}
	return list
}

// irOperands are triples of numbers: ends of ranges, small ones, random ones,
// and the bits of floats.
func irOperands() []uint64 {
	random := rand.New(rand.NewPCG(3, 4))
	special := []uint64{0, 1, 2, 3, 7, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 1<<63 - 1, 1 << 63, math.MaxUint64, 1 << 23, 1<<24 - 1}
	for _, f := range []float64{0.5, -1.5, 2.5, 1e10, -1e300, 1e-320, math.Inf(1), math.Inf(-1), 65535.5, -2147483649} {
		special = append(special, math.Float64bits(f))
	}
	special = append(special, 0x7ff8000000000001, 0x7ff0000000000001)
	var list []uint64
	for _, x := range special {
		for _, y := range special {
			list = append(list, x, y, special[(len(list)/3)%len(special)])
		}
	}
	for range 300 {
		list = append(list, random.Uint64(), random.Uint64(), random.Uint64())
	}
	return list
}

const irMain = `#include <stdio.h>
#include <stdlib.h>
CASES
int main(void) {
  static unsigned long long in[1 << 16], out[1 << 16];
  size_t n = fread(in, 24, sizeof in / 24, stdin);
  static void (*const f[])(unsigned long long, void *, void *) = {NAMES};
  for (size_t c = 0; c < sizeof f / sizeof *f; c++) {
    for (size_t i = 0; i < n; i++) f[c](i, in, out);
    if (fwrite(out, 16, n, stdout) != n) return 1;
  }
}
`

// onHost compiles the cases for this machine and runs them. spelling changes
// the IR to the form that that clang reads.
func onHost(t *testing.T, clang string, spelling func(string) string, cases []irCase, in []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	ir, source, program := filepath.Join(dir, "a.ll"), filepath.Join(dir, "main.c"), filepath.Join(dir, "a.out")
	var prototypes, names strings.Builder
	for i := range cases {
		fmt.Fprintf(&prototypes, "void case%d(unsigned long long, void *, void *);\n", i)
		fmt.Fprintf(&names, "case%d, ", i)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(irMain, "CASES", prototypes.String()), "NAMES", names.String())
	if err := os.WriteFile(ir, []byte(spelling(irModule(cases, false))), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, clang, "-w", "-O0", ir, source, "-o", program, "-lm")
	cmd := exec.Command(program)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestIntrinsics(t *testing.T) {
	sets := map[string][]irCase{"vectors": vectorCases, "floats": floatCases()}
	for _, w := range []int{3, 7, 8, 16, 24, 32, 33, 48, 64} {
		sets[fmt.Sprintf("i%d", w)] = intCases(w)
	}
	operands := irOperands()
	for name, cases := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testIR(t, cases, operands, translateIR(t, irModule(cases, true)))
		})
	}
}

// TestUnknownIntrinsic: one that the device does not implement is refused only
// where a kernel reaches it.
func TestUnknownIntrinsic(t *testing.T) {
	for intrinsic, reason := range map[string]string{
		"llvm.smul.fix.i64":  "the embedded device does not implement this LLVM intrinsic",
		"llvm.genx.iabs.i64": "the code is explicit SIMD (ESIMD)",
	} {
		text := irModule([]irCase{{name: "unknown", body: "  %r0 = call i64 @" + intrinsic + "(i64 %x, i64 %y, i64 %z)\n  %r1 = add i64 0, 0\n"}}, true)
		_, err := driver.Build(t.Context(), New(Options{}).device, []driver.Module{module("m", translateIR(t, text))}, driver.BuildOptions{})
		if want := "function case0: OpFunctionCall " + intrinsic + ": " + reason; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v; want %s", err, want)
		}
		text = strings.ReplaceAll(text, "define spir_kernel", "define spir_func")
		buildModules(t, Options{}, driver.BuildOptions{}, module("m", translateIR(t, text)))
	}
}

// TestEmulatedIntrinsics tests the intrinsics that the translator expands
// wrongly.
func TestEmulatedIntrinsics(t *testing.T) {
	testtool.Need(t, "clang-15", "llvm-as-15", "llvm-spirv-15")
	cases := slices.DeleteFunc(intCases(32), func(c irCase) bool {
		return c.name != "fshl_i32" && c.name != "fshr_i32" && c.name != "umul_overflow_i32"
	})
	if len(cases) != 3 {
		t.Fatalf("%d cases", len(cases))
	}
	testIR(t, cases, irOperands(), translateWith(t, testtool.Path(t, "llvm-spirv-15"), irModule(cases, true)))
}

// pointerSpelling returns the function that spells the pointers of the cases as the
// compiler reads them.
func pointerSpelling(c testtool.Compiler) func(string) string {
	if c.Typed() {
		return func(text string) string { return text }
	}
	return opaquePointers
}

// testIR runs the cases on the device and on this machine.
func testIR(t *testing.T, cases []irCase, operands []uint64, code []byte) {
	t.Helper()
	compiler := testtool.OpenCLCompiler(t)
	testIRWith(t, compiler.Clang, pointerSpelling(compiler), cases, operands, code)
}

// testIRWith is testIR with the clang, and how it spells pointers.
func testIRWith(t *testing.T, clang string, spelling func(string) string, cases []irCase, operands []uint64, code []byte) {
	t.Helper()
	in, err := binary.Append(nil, binary.LittleEndian, operands)
	if err != nil {
		t.Fatal(err)
	}
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("cases", code))
	want := onHost(t, clang, spelling, cases, in)
	size := len(operands) / 3 * 16
	arg, out := p.buffer(in), p.buffer(make([]byte, size))
	for i, c := range cases {
		p.launch(fmt.Sprintf("case%d", i), items(len(operands)/3), byValueOf(int64(0)), arg, out)
		got := readBuffer[byte](p, out)
		for at := 0; at < size; at += 16 {
			w := want[i*size+at:][:16]
			if g := got[at:][:16]; !bytes.Equal(g, w) && !(c.floats && equalFloats(g, w)) {
				x := operands[at/16*3:]
				t.Errorf("%s of %#x, %#x, %#x = %x; want %x", c.name, x[0], x[1], x[2], g, w)
				break
			}
		}
	}
}

// equalFloats: which NaN an operation gives is left open, and which of two
// zeros is the less.
func equalFloats(got, want []byte) bool {
	x := math.Float64frombits(binary.LittleEndian.Uint64(got))
	y := math.Float64frombits(binary.LittleEndian.Uint64(want))
	return (x == y || x != x && y != y) && bytes.Equal(got[8:], want[8:])
}

// translateIR makes SPIR-V of textual IR. Translators expand the intrinsics
// that they know, each version others and some wrongly; so they see the names
// of ordinary functions, and the module imports all of them.
func translateIR(t testing.TB, text string) []byte {
	t.Helper()
	code := translateWith(t, testtool.PinnedTranslator(t), strings.ReplaceAll(text, "@llvm.", "@llvx."))
	return bytes.ReplaceAll(code, []byte("llvx."), []byte("llvm."))
}

func translateWith(t testing.TB, translator, text string) []byte {
	t.Helper()
	dir := t.TempDir()
	ir, bc, spv := filepath.Join(dir, "a.ll"), filepath.Join(dir, "a.bc"), filepath.Join(dir, "a.spv")
	compiler := testtool.OpenCLCompiler(t)
	if err := os.WriteFile(ir, []byte(pointerSpelling(compiler)(text)), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, compiler.Assembler, ir, "-o", bc)
	mustRun(t, translator, "--spirv-allow-unknown-intrinsics=llvm", "--spirv-ext=+SPV_INTEL_arbitrary_precision_integers", bc, "-o", spv)
	code, err := os.ReadFile(spv)
	if err != nil {
		t.Fatal(err)
	}
	return code
}
