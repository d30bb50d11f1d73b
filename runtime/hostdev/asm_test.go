package hostdev

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
)

var update = flag.Bool("update", false, "write the modules of testdata anew")

// asmModule is a module of testdata/asm, as spirv-as makes it of the text
// beside it.
func asmModule(t testing.TB, name string) driver.Module {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata/asm", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	return module(name, code)
}

// TestAssembled compares the modules with their texts.
func TestAssembled(t *testing.T) {
	testtool.Need(t, "spirv-as")
	sources, err := filepath.Glob("testdata/asm/*.spvasm")
	if err != nil || len(sources) == 0 {
		t.Fatal("no texts")
	}
	for _, source := range sources {
		golden := strings.TrimSuffix(source, "asm")
		made := filepath.Join(t.TempDir(), "a.spv")
		mustRun(t, "spirv-as", "--target-env", "spv1.4", source, "-o", made)
		code, err := os.ReadFile(made)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(golden, code, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(golden); !bytes.Equal(code, want) {
			t.Errorf("%s is not what spirv-as makes of its text; run the test with -update", golden)
		}
	}
}

func TestRareInstructions(t *testing.T) {
	p := buildModules(t, Options{}, driver.BuildOptions{}, asmModule(t, "rare"))
	const big, pattern, minus7 = 0xfffffff0, 0x12345678, 0xfffffff9
	bits := math.Float32bits
	inserted := uint32(pattern&^0xff0 | 0xab<<4)
	want := []uint32{
		uint32((big + pattern) & 0xffffffff), 1,
		uint32((1<<32 + 3 - pattern) & 0xffffffff), 1,
		uint32(big * pattern >> 32 & 0xffffffff), 0xffffffff,
		2, bits(0.5), bits(-1.5),
		inserted, uint32(0xffffffab), 0xab, 0x1e6a2c48,
		uint32(0xfffffff1), 8, 0, 4, 0, 0, minus7, 1 << 25, 0,
	}
	out := p.buffer(make([]uint32, len(want)))
	p.launch("rare", items(1), out)
	check(t, p, "results", out, want)
}

func TestSpecConstants(t *testing.T) {
	encode := func(v any) []byte {
		data, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, test := range []struct {
		name       string
		i, n       int32
		l          int64
		f          float32
		b          bool
		c          int8
		specialize bool
	}{
		{"defaults", 10, 4, 20, 1.5, true, 7, false},
		{"specialized", -3, 6, 1 << 40, 9.75, false, -2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var build driver.BuildOptions
			if test.specialize {
				build.SpecConstants = map[uint32][]byte{
					1: encode(test.i), 2: encode(test.l), 3: encode(test.f), 4: encode(test.b), 5: encode(test.n), 6: encode(test.c),
					99: {1, 2, 3}, // of no constant
				}
			}
			p := buildModules(t, Options{}, build, asmModule(t, "spec"))
			square := (test.i + test.n) * (test.i + test.n)
			chosen, b := max(test.i, test.n), int32(0)
			if test.b {
				b = 1
			}
			out, lout := p.buffer(make([]int32, 8)), p.buffer(make([]int64, 3))
			p.launch("spec", items(1), out, lout)
			check(t, p, "integers", out, []int32{square, chosen, test.n, test.i + test.n, int32(test.f), b, int32(test.c), 1 << test.n})
			check(t, p, "longs", lout, []int64{test.l, -int64(square), 0})
		})
	}
}

// TestFilledVariable: the initial value of a variable is 171 in each byte.
func TestFilledVariable(t *testing.T) {
	for name, o := range map[string]Options{"compiled": {}, "interpreted": {Interpret: true}, "checked": {Check: true}} {
		t.Run(name, func(t *testing.T) {
			p := buildModules(t, o, driver.BuildOptions{}, asmModule(t, "filled"))
			if name == "compiled" {
				compiled(t, p, "filled")
			}
			const size, at = 5125, 4099
			out := p.buffer(make([]uint8, size))
			p.launch("filled", items(1), out, p.buffer([]int32{at}))
			check(t, p, "bytes", out, counted(size, func(i int) uint8 {
				if i == at {
					return at % 256
				}
				return 171
			}))
		})
	}
}

// TestExplicitSIMD: code for the vector units of Intel's GPUs is refused in words that say so.
func TestExplicitSIMD(t *testing.T) {
	_, err := driver.Build(t.Context(), New(Options{}).device, []driver.Module{asmModule(t, "explicit")}, driver.BuildOptions{})
	if want := "OpTypeVector: 1 components: the code is explicit SIMD (ESIMD)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error = %v; want %s", err, want)
	}
}

func TestSpecConstantSize(t *testing.T) {
	_, err := driver.Build(t.Context(), New(Options{}).device, []driver.Module{asmModule(t, "spec")},
		driver.BuildOptions{SpecConstants: map[uint32][]byte{2: {1, 2, 3, 4}}})
	if want := "specialization constant 2 has 8 bytes; the value has 4"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error = %v; want %s", err, want)
	}
}

// refusedHead starts a module whose kernel the device refuses.
const refusedHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int64
OpCapability Groups
%%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "k"
OpName %%inner "inner"
%%void = OpTypeVoid
%%bool = OpTypeBool
%%char = OpTypeInt 8 0
%%int = OpTypeInt 32 0
%%long = OpTypeInt 64 0
%%float = OpTypeFloat 32
%%image = OpTypeImage %%void 2D 0 0 1 0 Unknown ReadOnly
%%two = OpConstant %%int 2
%%zero = OpConstant %%int 0
%%one = OpConstant %%float 1
%%pchar = OpTypePointer CrossWorkgroup %%char
%%pint = OpTypePointer CrossWorkgroup %%int
%%byte = OpConstant %%char 1
%%ft = OpTypeFunction %%void %%pchar
%%k = OpFunction %%void None %%ft
%%arg = OpFunctionParameter %%pchar
%%a = OpLabel
%%r = OpFunctionCall %%void %%inner %%arg
OpReturn
OpFunctionEnd
%%inner = OpFunction %%void None %%ft
%%p = OpFunctionParameter %%pchar
%%b = OpLabel
%s
OpReturn
OpFunctionEnd
`

// TestRefusals tests that the build refuses modules that are not valid or that
// the device does not implement, with function and instruction.
func TestRefusals(t *testing.T) {
	testtool.Need(t, "spirv-as")
	for _, test := range []struct{ body, want string }{
		{"%x = OpAtomicIAdd %int %p %two %zero %one", "function inner: OpAtomicIAdd: the value is not an integer"},
		{"OpCommitReadPipe %p %p %two %two", "function inner: OpCommitReadPipe: the embedded device does not implement this instruction"},
		{"%x = OpUndef %image", "function inner: OpUndef: the embedded device does not implement the type Image"},
		{"%x = OpIAdd %long %two %two", "function inner: OpIAdd: operands of different widths"},
		{"%x = OpFAdd %int %two %two", "function inner: OpFAdd: a result of type int does not fit"},
		{"%x = OpIAdd %int %two %one", "function inner: OpIAdd: an operand of type float does not fit"},
		{"%x = OpLoad %int %p", "function inner: OpLoad: types char and int do not fit"},
		{"OpStore %p %two", "function inner: OpStore: types char and int do not fit"},
		{"OpStore %two %two", "function inner: OpStore: the operand is not a pointer"},
		{"%x = OpCompositeExtract %int %two 0", "function inner: OpCompositeExtract: int has no part 0"},
		{"%x = OpExtInst %int %std fmax %two %two", "OpExtInst OpenCL.std fmax: a result of type int does not fit"},
		{"OpControlBarrier %zero %zero %zero", "OpControlBarrier: the embedded device does not implement the scope 0 here"},
		{"%x = OpBitcast %long %two", "OpBitcast: int and long do not have the same bits"},
		{"%x = OpFunctionCall %void %inner %two", "OpFunctionCall: types int and char * CrossWorkgroup do not fit"},
		{"%x = OpFunctionCall %void %inner", "OpFunctionCall: 0 arguments for another number of parameters"},
	} {
		source := filepath.Join(t.TempDir(), "a.spvasm")
		if err := os.WriteFile(source, fmt.Appendf(nil, refusedHead, test.body), 0o644); err != nil {
			t.Fatal(err)
		}
		out := source + ".spv"
		mustRun(t, "spirv-as", "--target-env", "spv1.4", source, "-o", out)
		code, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		_, err = driver.Build(t.Context(), New(Options{}).device, []driver.Module{module("m", code)}, driver.BuildOptions{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\nerror = %v\nwant %s", test.body, err, test.want)
		}
	}
}

// TestPhis moves a vector and one of its components round a loop.
func TestPhis(t *testing.T) {
	for name, options := range map[string]Options{"compiled": {}, "interpreted": {Interpret: true}, "checked": {Check: true}} {
		t.Run(name, func(t *testing.T) { testPhis(t, options) })
	}
}

func testPhis(t *testing.T, options Options) {
	p := buildModules(t, options, driver.BuildOptions{}, asmModule(t, "phis"))
	first, second, x, y := int32(1), int32(2), int32(0), int32(0)
	var last int32
	for i := range 5 {
		if i > 0 {
			x, y = last, x
			first, second = second, first+second
		}
		last = second
	}
	out := p.buffer(make([]int32, 6))
	p.launch("phis", items(1), out)
	check(t, p, "results", out, []int32{last, x, y, 0, first + second, 0x7fc00005})

	err := p.tryLaunch("unreachable", items(1), out)
	if want := "the kernel reached a place that its compiler took for unreachable"; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "OpUnreachable") {
		t.Errorf("error = %v; want OpUnreachable and %s", err, want)
	}

	p.launch("subgroup", items(2), out)
	check(t, p, "functions of a sub-group", out, []int32{1, 5, 1, 5, 1, 2})
	if err := p.tryLaunch("subgroup", items(3), out); err == nil || !strings.Contains(err.Error(), "the local size [2] does not divide") {
		t.Errorf("error = %v; want that the required size does not divide", err)
	}
}

// TestGlobalBuiltIns: SYCL compilers declare built-in variables in global
// memory; every work-item has its own values all the same.
func TestGlobalBuiltIns(t *testing.T) {
	p := buildModules(t, Options{}, driver.BuildOptions{}, asmModule(t, "ids"))
	const columns = 26
	out := p.buffer(make([]int64, 4*6*columns))
	p.launch("ids", driver.Range{Global: []int{4, 6}, Local: []int{2, 3}, Offset: []int{10, 20}}, out)
	var want []int64
	for y := range int64(6) {
		for x := range int64(4) {
			want = append(want, 2, 2, 1, 2, 3, 1, x/2, y/3, 0, x%2, y%3, 0, 10+x, 20+y, 0, 4, 6, 1, 10, 20, 0, 2, 3, 1, y*4+x, y%3*2+x%2)
		}
	}
	check(t, p, "ids", out, want)
}
