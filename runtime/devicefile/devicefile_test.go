package devicefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/props"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

const library = "../drivertest/testdata/lib.spv"

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSPIRV(t *testing.T) {
	f, err := Open(library)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Images) != 1 || f.Images[0].Format != devimg.FormatSPIRV || f.Images[0].Target != "spir64" {
		t.Fatalf("%+v", f.Images)
	}
	if diff := cmp.Diff([]string{"add_variable"}, f.Images[0].Entries); diff != "" {
		t.Error(diff)
	}
	if exports := f.Images[0].Properties.Get(props.SetExportedSymbols).Names(); !slices.Contains(exports, "LibDeviceFunc") {
		t.Errorf("exports %q", exports)
	}
}

// TestNVIDIA: PTX and cubins are images of their own; LLVM IR for their target is
// refused, as it would become SPIR-V.
func TestNVIDIA(t *testing.T) {
	f, err := Open("../drivertest/testdata/special.ptx")
	if err != nil {
		t.Fatal(err)
	}
	if img := f.Images[0]; len(f.Images) != 1 || img.Format != devimg.FormatNone || img.Target != "nvptx64" {
		t.Errorf("%+v", f.Images)
	} else if diff := cmp.Diff([]string{"special_buffer"}, img.Entries); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		write(t, "app.ll", []byte("target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @k() {\n  ret void\n}\n")): "postlink -to=ptx",
	} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
		if !IsCode(name) {
			t.Errorf("%s is not device code", name)
		}
	}
}

// TestFatBinary: a fat binary of CUDA is one image with the kernels of all its entries.
func TestFatBinary(t *testing.T) {
	entry := func(sm uint32, kernel string) []byte {
		const headerSize, align = 64, 8
		code := []byte(".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry both() {\nret;\n}\n.visible .entry " + kernel + "() {\nret;\n}\n")
		code = append(code, make([]byte, align-len(code)%align)...)
		head := binary.LittleEndian.AppendUint64([]byte{1, 0, 1, 1, headerSize, 0, 0, 0}, uint64(len(code)))
		head = append(head, make([]byte, headerSize-len(head))...)
		binary.LittleEndian.PutUint32(head[28:], sm)
		return append(head, code...)
	}
	body := append(entry(50, "old"), entry(90, "new")...)
	whole := append(binary.LittleEndian.AppendUint64([]byte{0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0}, uint64(len(body))), body...)
	path := write(t, "k.fatbin", whole)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	img := f.Images[0]
	if len(f.Images) != 1 || img.Target != "nvptx64" || img.Format != devimg.FormatNative || img.Code.Size() != int64(len(whole)) || !IsCode(path) {
		t.Errorf("%+v", img)
	}
	if diff := cmp.Diff([]string{"both", "old", "new"}, img.Entries); diff != "" {
		t.Error(diff)
	}
	for name, bad := range map[string][]byte{"header": whole[:12], "entry": whole[:90], "no entries": append(append([]byte{}, whole[:8]...), make([]byte, 8)...)} {
		if _, err := Open(write(t, "bad.fatbin", bad)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCarrier: the images stay when the file is gone.
func TestCarrier(t *testing.T) {
	code, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	sets := new(props.Sets)
	sets.Put(props.SetExportedSymbols, "LibDeviceFunc", props.Uint32(1))
	img := &devimg.Image{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", HasEntries: true,
		Entries: []string{"LibDeviceFunc"}, Code: devimg.Bytes(code), Properties: sets,
	}
	var object bytes.Buffer
	if err := wrapper.Wrap(&object, []*devimg.Image{img}, wrapper.WrapOptions{}); err != nil {
		t.Fatal(err)
	}
	path := write(t, "lib.o", object.Bytes())
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	got, err := devimg.ReadCode(f.Images[0].Code)
	if err != nil || !bytes.Equal(got, code) {
		t.Errorf("%d bytes of code, %v", len(got), err)
	}
	if _, ok := f.Images[0].Properties.Get(props.SetExportedSymbols).Get("LibDeviceFunc"); !ok {
		t.Error("the property is missing")
	}
}

// TestOffloadBinary: an envelope that names a triple and nothing else is read like
// bare code, of SPIR-V and of LLVM IR.
func TestOffloadBinary(t *testing.T) {
	testtool.Need(t, "clang-offload-packager-19")
	clang := testtool.OpenCLCompiler(t).Clang
	source := write(t, "k.cl", []byte("int twice(int i) { return 2 * i; }\n__kernel void k(__global int *out) { out[0] = twice(1); }\n"))
	bitcode := filepath.Join(t.TempDir(), "k.bc")
	runTool(t, clang, "--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O0", "-c", "-emit-llvm", "-o", bitcode, source)
	path := filepath.Join(t.TempDir(), "app.offload")
	runTool(t, "clang-offload-packager-19", "-o", path,
		"--image=file=../drivertest/testdata/lib.spv,triple=spirv64-unknown-unknown,kind=sycl",
		"--image=file="+bitcode+",triple=spir64-unknown-unknown,kind=openmp",
		"--image=file="+source+",triple=amdgcn-amd-amdhsa,arch=gfx90a,kind=hip")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, img := range f.Images {
		got = append(got, fmt.Sprintf("%s %v %v", img.Target, img.Entries, img.Properties.Get(props.SetExportedSymbols).Names()))
	}
	want := []string{"spir64 [add_variable] [LibDeviceFunc]", "spir64 [k] []", "amdgcn-amd-amdhsa [] []"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if format := devimg.Sniff(f.Images[1].Code); format != devimg.FormatSPIRV {
		t.Errorf("LLVM IR became %v", format)
	}
	cut := filepath.Join(t.TempDir(), "cut.offload")
	runTool(t, "clang-offload-packager-19", "-o", cut,
		"--image=file="+write(t, "cut.spv", []byte("\x03\x02\x23\x07"))+",triple=spir64-unknown-unknown,kind=sycl")
	if _, err := Open(cut); err == nil || !strings.Contains(err.Error(), "cut.offload: image 0: its code is not valid") {
		t.Errorf("cut code: %v", err)
	}
}

func runTool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// TestIR: IR becomes an image as postlink makes it: marks of device.h count.
func TestIR(t *testing.T) {
	clang := testtool.OpenCLCompiler(t).Clang
	source := write(t, "k.cl", []byte(`#include <offlink/device.h>
OFFLINK_EXTERNAL int imported(int i);
OFFLINK_DEVICE_GLOBAL(int, counter) = 7;
OFFLINK_EXTERNAL int twice(int i) { return 2 * i + counter; }
OFFLINK_KERNEL void k(OFFLINK_GLOBAL int *out) { out[0] = imported(twice(1)); }
`))
	for _, form := range []string{"bc", "ll"} {
		path := filepath.Join(t.TempDir(), "k."+form)
		flags := []string{"--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O1", "-I../../include", "-emit-llvm", "-o", path, source}
		if out, err := exec.Command(clang, append(flags, map[string]string{"bc": "-c", "ll": "-S"}[form])...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		img := f.Images[0]
		if diff := cmp.Diff([]string{"twice", "k"}, img.Entries); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
		for set, name := range map[string]string{props.SetExportedSymbols: "twice", props.SetImportedSymbols: "imported", props.SetDeviceGlobals: "counter"} {
			if _, ok := img.Properties.Get(set).Get(name); !ok {
				t.Errorf("%s: %s lacks %s", form, set, name)
			}
		}
		if names, err := wrapper.KernelNames(img); err != nil || len(names) != 1 || names[0] != "k" {
			t.Errorf("%s: kernels of the code: %v, %v", form, names, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "nothing.spv"): "no such file",
		dir:                               "is a folder",
		write(t, "cut.spv", []byte("\x03\x02\x23\x07")):                           "not valid SPIR-V",
		write(t, "text", []byte("no device code\n")):                              "text",
		write(t, "empty", nil):                                                    "empty",
		write(t, "cut.bc", []byte("BC\xc0\xde")):                                  "cut.bc",
		write(t, "wrong.ll", []byte("define void @f( {\n")):                       "wrong.ll",
		write(t, "none.ll", []byte("target triple = \"spir64-unknown-unknown\"")): "none.ll",
	} {
		if f, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", path, f, err, want)
		}
	}
}

// FuzzOpen: hostile files are errors.
func FuzzOpen(f *testing.F) {
	code, err := os.ReadFile(library)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(code)
	f.Add([]byte("BC\xc0\xde"))
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_, _ = Open(path)
	})
}

// TestIRSpecConstants: the constants that a SYCL front end leaves as calls become
// constants of SPIR-V that a program can set by name.
func TestIRSpecConstants(t *testing.T) {
	path := write(t, "spec.ll", []byte(`target triple = "spir64-unknown-unknown"
@name = private unnamed_addr addrspace(1) constant [6 x i8] c"width\00"
@default = internal addrspace(1) constant i32 12
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
define spir_kernel void @k(ptr addrspace(1) %out) #0 {
  %v = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @name to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @default to ptr addrspace(4)), ptr addrspace(4) null)
  store i32 %v, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "sycl-module-id"="a.cpp" }
`))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	sets := f.Images[0].Properties
	constant, ok := sets.Get(props.SetSpecConstants).Get("width")
	if want := []byte{0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0}; !ok || !bytes.Equal(constant.Data(), want) {
		t.Errorf("width: %v, %v; want %v", ok, constant, want)
	}
	defaults, ok := sets.Get(props.SetSpecConstantsDefaults).Get("all")
	if want := []byte{12, 0, 0, 0}; !ok || !bytes.Equal(defaults.Data(), want) {
		t.Errorf("defaults: %v, %v; want %v", ok, defaults, want)
	}
}
