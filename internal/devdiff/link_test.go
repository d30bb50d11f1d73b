package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir/irfile"
	"offlink/runtime/hostdev"
	"offlink/spirv"
	"offlink/spirv/fromir"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// TestImported counts a kernel whose functions another image of the file has, and the
// device library.
func TestImported(t *testing.T) {
	devices, err := hostdev.New(hostdev.Options{Output: io.Discard}).Devices()
	if err != nil {
		t.Fatal(err)
	}
	kernel := compileOpenCL(t, `float twice(float); float __devicelib_ConvertBF16ToFINTEL(const ushort *);
kernel void k(global float *p, global ushort *q) { *p = twice(__devicelib_ConvertBF16ToFINTEL(q)); }`)
	function := compileOpenCL(t, "float twice(float x) { return x + x; }")
	images := newFileImages("file", []wrapper.Located{located(kernel), located(function)})
	list := kernelsOf("file", func() ([]byte, error) { return kernel, nil })
	if len(list) != 1 {
		t.Fatalf("%d kernels", len(list))
	}
	if why := interpretedBecause(devices[0], list[0]); why == "" {
		t.Error("alone, the kernel is compiled")
	}
	list[0].imported = images.importedBy(0)
	if why := interpretedBecause(devices[0], list[0]); why != "" {
		t.Error(why)
	}
}

func located(code []byte) wrapper.Located {
	return wrapper.Located{Image: devimg.Image{Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Code: devimg.Bytes(code)}}
}

func compileOpenCL(t *testing.T, source string) []byte {
	t.Helper()
	compiler := testtool.OpenCLCompiler(t)
	base := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(base+".cl", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	options := append([]string{"--target=spir64-unknown-unknown", "-cl-std=CL2.0", "-O1", "-c", "-emit-llvm", "-o", base + ".bc", base + ".cl"}, compiler.Options...)
	for _, args := range [][]string{append([]string{compiler.Clang}, options...), {compiler.Translator, base + ".bc", "-o", base + ".spv"}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	code, err := os.ReadFile(base + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestUnreadableImage has an image that cannot be read in the report, where it stands for
// kernels that nobody has seen.
func TestUnreadableImage(t *testing.T) {
	code := []byte{3, 2, 35, 7, 0, 0, 1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	list := kernelsOf("file", func() ([]byte, error) { return code, nil })
	if len(list) != 1 {
		t.Fatalf("%d kernels", len(list))
	}
	if _, err := list[0].readCode(); err == nil {
		t.Error("the code is read")
	}
	if other := kernelsOf("file", func() ([]byte, error) { return []byte("!<arch>\n"), nil }); other != nil {
		t.Error("native code of a GPU counts")
	}
}

// TestLinkedLaunch launches a kernel that calls a function of another image, one of the
// device library, and one that devices provide.
func TestLinkedLaunch(t *testing.T) {
	kernel := compileOpenCL(t, `float twice(float); float __devicelib_ConvertBF16ToFINTEL(const ushort *);
kernel void k(global float *p) { ushort one = 0x3f80; *p = twice(__devicelib_ConvertBF16ToFINTEL(&one)) + sqrt(16.0f); }`)
	function := compileOpenCL(t, "float twice(float x) { return x + x; }")
	images := newFileImages("file", []wrapper.Located{located(kernel), located(function)})
	c := kernelsOf("file", func() ([]byte, error) { return kernel, nil })[0]
	c.imported = images.importedBy(0)
	j, err := planJob(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := statedFloat(littleEndian(j.Buffers[0].result[:4]), 4); got != 6 {
		t.Errorf("it leaves %v; want 6", got)
	}
	// A file of SPIR-V has the device library too.
	file := filepath.Join(t.TempDir(), "one.spv")
	code := compileOpenCL(t, `float __devicelib_ConvertBF16ToFINTEL(const ushort *);
kernel void k(global float *p) { ushort one = 0x3f80; *p = __devicelib_ConvertBF16ToFINTEL(&one); }`)
	if err := os.WriteFile(file, code, 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := readCandidates([]string{file})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := planJob(list[0]); err != nil {
		t.Error(err)
	}
}

// TestLinkedAddress calls a function of another image by its address. The translator has
// found the type of its parameter there, and not where the address is.
func TestLinkedAddress(t *testing.T) {
	const target = "target datalayout = \"e-i64:64-n8:16:32:64\"\ntarget triple = \"spir64-unknown-unknown\"\n"
	kernel := translateText(t, target+`
@table = internal addrspace(1) constant [1 x ptr] [ptr @area]
declare spir_func float @area(ptr addrspace(4))
define spir_kernel void @k(ptr addrspace(1) %p) {
  %this = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %f = load volatile ptr, ptr addrspace(1) @table
  %direct = call spir_func float @area(ptr addrspace(4) %this)
  %result = call spir_func float %f(ptr addrspace(4) %this)
  store float %direct, ptr addrspace(1) %p
  %second = getelementptr float, ptr addrspace(1) %p, i64 1
  store float %result, ptr addrspace(1) %second
  ret void
}`)
	function := translateText(t, target+`
%class.Circle = type { ptr, float }
define spir_func float @area(ptr addrspace(4) %this) {
  %r = getelementptr inbounds %class.Circle, ptr addrspace(4) %this, i64 0, i32 1
  %v = load float, ptr addrspace(4) %r
  %twice = fadd float %v, %v
  ret float %twice
}`)
	c := kernelsOf("file", func() ([]byte, error) { return kernel, nil })[0]
	c.imported = newFileImages("file", []wrapper.Located{located(kernel), located(function)}).importedBy(0)
	j, err := planJob(c)
	if err != nil {
		t.Fatal(err)
	}
	want := 2 * statedFloat(littleEndian(j.Buffers[0].Data[8:12]), 4)
	for i := range 2 {
		if got := statedFloat(littleEndian(j.Buffers[0].result[4*i:][:4]), 4); got != want {
			t.Errorf("call %d leaves %v; want %v", i, got, want)
		}
	}
}

// translateText makes SPIR-V of textual IR, with function pointers.
func translateText(t *testing.T, text string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.ll")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := irfile.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options := fromir.Options{Version: spirv.Version1_4}
	if err := options.AllowExtensions("+SPV_INTEL_function_pointers"); err != nil {
		t.Fatal(err)
	}
	code, err := fromir.Translate(f.Module, options)
	if err != nil {
		t.Fatal(err)
	}
	return code
}
