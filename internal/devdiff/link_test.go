package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/hostdev"
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
