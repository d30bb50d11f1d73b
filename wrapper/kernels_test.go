package wrapper

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/ptx"
	"offlink/wrapper/devimg"
)

const kernelSource = `
__kernel void fill(__global int *p) { *p = 7; }
static int helper(int i) { return i + 1; }
__kernel void next(__global int *p) { *p = helper(*p); }
void not_a_kernel(void) {}
`

// Kernels by the compiler's own code: ELF files and bitcode.
func TestKernelNamesOfCompilers(t *testing.T) {
	testtool.Need(t, "clang-19")
	for _, tt := range []struct{ name, flags, source, want string }{
		{"AMD ELF", "-x cl --target=amdgcn-amd-amdhsa -mcpu=gfx906 -nogpulib", kernelSource, "fill next"},
		{"AMD bitcode", "-x cl --target=amdgcn-amd-amdhsa -mcpu=gfx906 -nogpulib -emit-llvm -c", kernelSource, "fill next"},
		{"NVIDIA bitcode", "-x cl --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -emit-llvm -c", kernelSource, "fill next"},
		{"PTX", "-x cl --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -S -Xclang -O1", kernelSource, "fill next"},
		{"OpenMP ELF", "-shared -fPIC -nostdlib -x c", "void __omp_offloading_10_main_l2(void) {} void other(void) {}", "__omp_offloading_10_main_l2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			source, out := filepath.Join(dir, "source"), filepath.Join(dir, "out")
			if err := os.WriteFile(source, []byte(tt.source), 0o666); err != nil {
				t.Fatal(err)
			}
			flags := append(strings.Fields(tt.flags), source, "-o", out)
			if message, err := exec.Command("clang-19", flags...).CombinedOutput(); err != nil {
				t.Fatalf("clang-19 %s: %v\n%s", flags, err, message)
			}
			code, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			testKernelNames(t, code, tt.want)
		})
	}
}

func testKernelNames(t *testing.T, code []byte, want string) {
	t.Helper()
	got, err := KernelNames(&devimg.Image{Code: devimg.Bytes(code)})
	slices.Sort(got)
	if strings.Join(got, " ") != want || err != nil {
		t.Errorf("kernels %q, %v; want %q", got, err, want)
	}
}

func TestKernelNames(t *testing.T) {
	spirv, err := os.ReadFile("../testdata/wrapper/inputs/gain.spv")
	if err != nil {
		t.Fatal(err)
	}
	testKernelNames(t, spirv, "gain mute")
	testKernelNames(t, []byte("//\n.version 7.5\n.visible .entry  one(\n.param .u64 p)\n// .entry two(\n.entry\tthree {"), "one three")
	testKernelNames(t, cubin(elf.EM_CUDA, "entry\x00", elf.STT_FUNC, ptx.SymbolEntry), "entry")
	testKernelNames(t, cubin(elf.EM_CUDA, "device_function\x00", elf.STT_FUNC, 0), "")
	testKernelNames(t, cubin(elf.EM_AMDGPU, "k.kd\x00", elf.STT_OBJECT, 0), "k")
	testKernelNames(t, []byte("something else"), "")
}

// cubin is an ELF file with one symbol.
func cubin(machine elf.Machine, name string, typ elf.SymType, other byte) []byte {
	const headers = 64 + 48 + 16 // the file header, two symbols, names
	names := append([]byte{0}, name...)
	var b bytes.Buffer
	put := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	put(elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, Type: 2, Machine: uint16(machine), Version: 1,
		Shoff: headers + 16, Ehsize: 64, Shentsize: 64, Shnum: 3,
	})
	put(elf.Sym64{})
	put(elf.Sym64{Name: 1, Info: elf.ST_INFO(elf.STB_GLOBAL, typ), Other: other, Shndx: 1})
	b.Write(names)
	b.Write(make([]byte, headers+16-b.Len()))
	put(elf.Section64{})
	put(elf.Section64{Type: uint32(elf.SHT_SYMTAB), Off: 64, Size: 48, Link: 2})
	put(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 112, Size: uint64(len(names))})
	return b.Bytes()
}

// Symbols that share the end of one long name are not copied without bound.
func TestKernelNamesAreBounded(t *testing.T) {
	const symbols = 3000
	name := bytes.Repeat([]byte("n"), maxKernelName)
	copy(name[len(name)-4:], ".kd\x00")
	base := cubin(elf.EM_AMDGPU, "", 0, 0)
	var table bytes.Buffer
	for i := range symbols {
		binary.Write(&table, binary.LittleEndian, elf.Sym64{Name: uint32(i), Shndx: 1})
	}
	sections := len(base) - 3*64
	at := uint64(len(base))
	binary.LittleEndian.PutUint64(base[sections+64+24:], at)
	binary.LittleEndian.PutUint64(base[sections+64+32:], uint64(table.Len()))
	binary.LittleEndian.PutUint64(base[sections+128+24:], at+uint64(table.Len()))
	binary.LittleEndian.PutUint64(base[sections+128+32:], uint64(len(name)))
	file := append(append(base, table.Bytes()...), name...)
	if _, err := KernelNames(&devimg.Image{Code: devimg.Bytes(file)}); err == nil || !strings.Contains(err.Error(), "many times over") {
		t.Errorf("%v", err)
	}
}

func FuzzKernelNames(f *testing.F) {
	f.Add(cubin(elf.EM_CUDA, "entry\x00", elf.STT_FUNC, ptx.SymbolEntry))
	f.Add(cubin(elf.EM_AMDGPU, "k.kd\x00", elf.STT_OBJECT, 0))
	f.Add(cubin(elfMachineIntel, ".text.k\x00", elf.STT_FUNC, 0))
	f.Add([]byte(".version 7.5\n.visible .entry one("))
	f.Fuzz(func(t *testing.T, code []byte) {
		names, err := KernelNames(&devimg.Image{Code: devimg.Bytes(code)})
		total := 0
		for _, name := range names {
			total += len(name)
		}
		if err == nil && total > 8*len(code)+1<<20 {
			t.Fatalf("%d bytes of names from %d", total, len(code))
		}
	})
}
