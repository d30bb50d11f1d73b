package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/cmd/internal/cli"
	"offlink/internal/testtool"
)

const linux = "x86_64-unknown-linux-gnu"

// linkProgram compiles a C source, links it with the objects, and returns the
// program's path.
func linkProgram(t *testing.T, dir, compiler, source string, objects ...string) string {
	t.Helper()
	file, program := filepath.Join(dir, "host.c"), filepath.Join(dir, "program")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	runTool(t, slices.Concat(strings.Fields(compiler), []string{file}, objects, []string{"-o", program})...)
	return program
}

// The later image record, in objects and in IR: the dumper without the
// manifest prints the same but for the version.
func TestRecord3(t *testing.T) {
	dumper := readFile(t, golden+"/dumper.c")
	dumper = strings.Replace(dumper, "*manifest_begin, *manifest_end, ", "", 1)
	dumper = strings.Replace(dumper, `  range("manifest", m->manifest_begin, m->manifest_end);`, "", 1)
	want := readFile(t, golden+"/batch_of_three/expected.txt")
	want = strings.ReplaceAll(want, "    manifest null null\n", "")
	want = strings.ReplaceAll(want, " version 2 kind", " version 3 kind")
	for _, name := range []string{"wrapped.o", "wrapped.ll"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			object := wrapGolden(t, dir, goldenCases[1].args, linux, name, "-image-version=3")
			if strings.HasSuffix(name, ".ll") {
				runTool(t, strings.Fields("llc-19 -filetype=obj -relocation-model=pic "+object+" -o "+dir+"/compiled.o")...)
				object = dir + "/compiled.o"
			}
			got := runTool(t, linkProgram(t, dir, "gcc -pie", dumper, object))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-reference, changed +ours)\n%s", diff)
			}
		})
	}
}

// A manifest and an empty symbol file, next to each other.
func TestManifestAndEmptySymbols(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.sym")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	object := wrapGolden(t, dir, "-kind=sycl -entries="+empty+" native.bin three.table", linux, "wrapped.o")
	t.Chdir("..")
	got := runLinked(t, linkings("gcc", "gcc", "")[0], dir, object)
	want := `register version 1 images 1 host entries null null
  image 0 version 2 kind 4 format 0
    target ""
    compile ""
    link ""
    manifest 110 bytes fnv1a e1e4c37c05f330c6 first 5b 43 6f 64 65 7c 50 72
    code 517 bytes fnv1a 684ce455a74cb8a0 first 00 01 02 03 04 05 06 07
    entries 0
    sets null null
main
unregister what was registered
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// tgtHost is a host program of the runtime that serves the other kinds.
const tgtHost = `
#include <stdint.h>
#include <stdio.h>
struct entry { void *address; char *name; size_t size; int32_t flags, reserved; };
struct image { char *begin, *end; struct entry *entries_begin, *entries_end; };
struct descriptor { int32_t count; struct image *images; struct entry *begin, *end; };
int variable;
__attribute__((used, retain, section("omp_offloading_entries"))) struct entry host_entry = {&variable, "variable", 4, 0, 0};
void __tgt_register_lib(struct descriptor *d) {
  printf("register %d, %td host entries", d->count, d->end - d->begin);
  for (int i = 0; i < d->count; i++)
    printf(", %td bytes from %02x with %td", d->images[i].end - d->images[i].begin, d->images[i].begin[0] & 255,
           d->images[i].entries_end - d->images[i].entries_begin);
  puts("");
}
void __tgt_unregister_lib(struct descriptor *d) { printf("unregister %d\n", d->count); }
void __sycl_register_lib(void *d) { puts("register SYCL"); }
void __sycl_unregister_lib(void *d) { puts("unregister SYCL"); }
int main(void) { return 0; }
`

// Several kinds in one call: a descriptor each, and the host's entry table
// for those that are not SYCL.
func TestOtherKinds(t *testing.T) {
	for _, name := range []string{"wrapped.o", "wrapped.ll"} {
		for _, compiler := range []string{"gcc -pie", "gcc -static", "clang-19 -fuse-ld=lld -pie -Wl,--gc-sections"} {
			t.Run(name+" "+compiler, func(t *testing.T) {
				dir := t.TempDir()
				args := "-kind=openmp -target=nvptx64 native.bin -target=amdgcn fill.spv -kind=sycl -target=spir64 blur.spv -kind=hip -target=x native.bin"
				object := wrapGolden(t, dir, args, linux, name)
				if strings.HasSuffix(name, ".ll") {
					runTool(t, strings.Fields("llc-19 -filetype=obj -relocation-model=pic "+object+" -o "+dir+"/compiled.o")...)
					object = dir + "/compiled.o"
				}
				lines := strings.Split(strings.TrimSpace(runTool(t, linkProgram(t, dir, compiler, tgtHost, object))), "\n")
				// Constructors of one priority run in the order of the file
				// that a linker makes, which is its own affair.
				got := map[string]int{}
				for _, line := range lines {
					got[line]++
				}
				want := map[string]int{
					"register 2, 1 host entries, 517 bytes from 00 with 1, 804 bytes from 03 with 1": 1,
					"register 1, 1 host entries, 517 bytes from 00 with 1":                           1,
					"register SYCL": 1, "unregister 2": 1, "unregister 1": 1, "unregister SYCL": 1,
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("lines (-want +got)\n%s", diff)
				}
			})
		}
	}
}

// nativeHost is a host program with an image of the native CPU device.
const nativeHost = `
#include <stdint.h>
#include <stdio.h>
struct kernel { const char *name; void (*function)(void *, void *); };
struct image { uint16_t version; uint8_t kind, format; char *strings[5]; struct kernel *begin, *end; };
struct descriptor { uint16_t version, count; struct image *images; };
void blur3__SYCLNCPU(void *a, void *b) { puts("blur3 runs"); }
void weigh__SYCLNCPU(void *a, void *b) { puts("weigh runs"); }
void __sycl_register_lib(struct descriptor *d) {
  printf("%td kernels\n", d->images->end - d->images->begin);
  struct kernel *k = d->images->begin;
  for (; k->function; k++) {
    puts(k->name);
    k->function(0, 0);
  }
  puts(k->name);
}
void __sycl_unregister_lib(void *d) {}
int main(void) { return 0; }
`

func TestNativeCPU(t *testing.T) {
	for _, name := range []string{"wrapped.o", "wrapped.ll"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			object := wrapGolden(t, dir, "-native-cpu -kind=sycl -target=native_cpu -entries=blur.sym native.bin", linux, name)
			if strings.HasSuffix(name, ".ll") {
				runTool(t, strings.Fields("llc-19 -filetype=obj -relocation-model=pic "+object+" -o "+dir+"/compiled.o")...)
				object = dir + "/compiled.o"
			}
			got := runTool(t, linkProgram(t, dir, "gcc -pie", nativeHost, object))
			want := "3 kernels\nblur3\nblur3 runs\nweigh\nweigh runs\n__nativecpu_end\n"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// With a name the descriptor is there for other objects, which can register
// it themselves.
func TestNamedDescriptor(t *testing.T) {
	const host = `
#include <stdint.h>
#include <stdio.h>
extern struct { uint16_t version, count; } descriptor __asm__(".sycl_offloading.mine");
int main(void) { printf("version %d, %d images\n", descriptor.version, descriptor.count); return 0; }
`
	dir := t.TempDir()
	object := wrapGolden(t, dir, "-desc-name=mine -emit-reg-funcs=false "+goldenCases[1].args, linux, "wrapped.o")
	for _, compiler := range []string{"gcc -pie", "clang-19 -fuse-ld=lld -pie -Wl,--gc-sections"} {
		if got, want := runTool(t, linkProgram(t, dir, compiler, host, object)), "version 1, 3 images\n"; got != want {
			t.Errorf("%s: %q, want %q", compiler, got, want)
		}
	}
	if symbols := runTool(t, strings.Fields("nm "+object)...); strings.Contains(symbols, "register") || strings.Contains(symbols, ".info") {
		t.Errorf("symbols without registration:\n%s", symbols)
	}
}

// Objects link into shared libraries, also where the descriptor has a name
// that another library could define, and after their local symbols are gone.
// That of RISC-V needs a local symbol, which is then refused.
func TestStrippedObject(t *testing.T) {
	for _, tt := range []struct{ triple, linker string }{
		{linux, "gcc -shared"},
		{linux, "clang-19 -fuse-ld=lld -shared -nostdlib"},
		{"aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc -shared"},
		{"i386-unknown-linux-gnu", "ld -m elf_i386 -shared"},
		{"i386-unknown-linux-gnu", "ld.lld-19 -shared"},
		{"riscv64-unknown-linux-gnu", "ld.lld-19 -shared"},
	} {
		for _, name := range []string{"", "mine"} {
			t.Run(tt.triple+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				object := wrapGolden(t, dir, "-desc-name="+name+" "+goldenCases[1].args, tt.triple, "wrapped.o")
				library := filepath.Join(dir, "libwrapped.so")
				link := tt.linker + " " + object + " -o " + library
				runTool(t, strings.Fields(link)...)
				testtool.Need(t, "llvm-strip-19")
				out, err := exec.Command("llvm-strip-19", "--discard-all", object).CombinedOutput()
				switch {
				case strings.HasPrefix(tt.triple, "riscv64"):
					if !strings.Contains(string(out), ".Lpcrel_hi") {
						t.Errorf("llvm-strip: %v\n%s", err, out)
					}
				case err != nil:
					t.Fatalf("llvm-strip: %v\n%s", err, out)
				}
				runTool(t, strings.Fields(link)...)
				if images := openImages(t, library); len(images) != 3 {
					t.Errorf("%d images in the library, want 3: %q", len(images), images)
				}
			})
		}
	}
}

// The record of LLVM's own runtime, as its headers declare it
// (libsycl, device_binary_structures.hpp; __tgt_offload_entry).
func TestLLVMRecord(t *testing.T) {
	const host = `
#include <stdint.h>
#include <stdio.h>
struct entry { uint64_t reserved; uint16_t version, kind; uint32_t flags; void *address; char *name; uint64_t size, data; void *auxiliary; };
struct image {
  uint16_t version; uint8_t kind, format;
  const char *triple, *compile, *link;
  const unsigned char *begin, *end;
  struct entry *entries, *entries_end;
  void *properties, *properties_end;
};
struct descriptor { uint16_t version, count; struct image *images; void *host[2]; };
void __sycl_register_lib(struct descriptor *d) {
  for (struct image *i = d->images; i < d->images + d->count; i++) {
    printf("version %d kind %d format %d %s %d bytes:", i->version, i->kind, i->format, i->triple, (int)(i->end - i->begin));
    for (struct entry *e = i->entries; e < i->entries_end; e++)
      printf(" %d %d %d %d %s", (int)e->reserved, e->version, e->kind, (int)e->flags, e->name);
    puts("");
  }
}
void __sycl_unregister_lib(void *d) {}
int main(void) { return 0; }
`
	const args = "-image-version=llvm -kind=sycl -target=spirv64-unknown-unknown -entries=blur.sym -properties=blur.prop blur.spv -format=native -entries= -properties= native.bin"
	const want = "version 3 kind 8 format 6 spirv64-unknown-unknown 2048 bytes: 0 1 8 0 blur3 0 1 8 0 weigh\n" +
		"version 3 kind 8 format 1 spirv64-unknown-unknown 517 bytes:\n"
	for _, name := range []string{"wrapped.o", "wrapped.ll"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			object := wrapGolden(t, dir, args, linux, name)
			if name == "wrapped.ll" {
				runTool(t, strings.Fields("llc-19 -filetype=obj -relocation-model=pic "+object+" -o "+dir+"/compiled.o")...)
				object = dir + "/compiled.o"
			}
			program := linkProgram(t, dir, "gcc -pie", host, object)
			if got := runTool(t, program); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
			for _, file := range []string{object, program} {
				images := openImages(t, file)
				if len(images) != 2 || images[0] != "spirv64-unknown-unknown 2048 bytes blur3 weigh" {
					t.Errorf("%s: images %q", file, images)
				}
			}
		})
	}
}

// Objects of LLVM's wrapper (OffloadWrapper.cpp, LLVM 22) are read: they have no
// .tgtimg, and the code lies in .llvm.offloading.
func TestReadLLVMRecord(t *testing.T) {
	const module = `
%entry = type { i64, i16, i16, i32, ptr, ptr, i64, i64, ptr }
%image = type { i16, i8, i8, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%descriptor = type { i16, i16, ptr, ptr, ptr }
@target = internal unnamed_addr constant [24 x i8] c"spirv64-unknown-unknown\00"
@none = internal unnamed_addr constant [1 x i8] zeroinitializer
@code = internal unnamed_addr constant [8 x i8] c"\03\02#\07code", section ".llvm.offloading"
@name = internal unnamed_addr constant [7 x i8] c"kernel\00", section ".llvm.rodata.offloading", align 1
@entries = internal constant [1 x %entry] [%entry { i64 0, i16 1, i16 8, i32 0, ptr null, ptr @name, i64 0, i64 0, ptr null }]
@images = internal unnamed_addr constant [1 x %image] [%image { i16 3, i8 8, i8 6, ptr @target, ptr @none, ptr @none, ptr @code, ptr getelementptr (i8, ptr @code, i64 8), ptr @entries, ptr getelementptr (%entry, ptr @entries, i64 1), ptr null, ptr null }]
@descriptor = internal constant %descriptor { i16 1, i16 1, ptr @images, ptr null, ptr null }
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @reg, ptr null }]
declare void @__sycl_register_lib(ptr)
define internal void @reg() section ".text.startup" {
  call void @__sycl_register_lib(ptr @descriptor)
  ret void
}
`
	dir := t.TempDir()
	source := filepath.Join(dir, "wrapped.ll")
	if err := os.WriteFile(source, []byte(module), 0o666); err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(dir, "wrapped.o")
	runTool(t, strings.Fields("llc-19 -filetype=obj -relocation-model=pic "+source+" -o "+object)...)
	program := linkProgram(t, dir, "gcc -pie -s", "void __sycl_register_lib(void *d) {} int main(void) { return 0; }", object)
	for _, file := range []string{object, program} {
		if images := openImages(t, file); len(images) != 1 || images[0] != "spirv64-unknown-unknown 8 bytes kernel" {
			t.Errorf("%s: images %q", file, images)
		}
	}
}

// Linking a wrapped object does not switch off the protection of branches:
// with lld the lack of it would be an error here.
func TestProtectedBranches(t *testing.T) {
	const host = "void __sycl_register_lib(void *d) {} void __sycl_unregister_lib(void *d) {} int main(void) { return 0; }"
	for _, tt := range []struct{ triple, compiler, reader, want string }{
		{linux, "clang-19 -fuse-ld=lld -fcf-protection -nostdlib -shared -Wl,-z,cet-report=error", "readelf", "IBT, SHSTK"},
		{"aarch64-unknown-linux-gnu", "clang-19 --target=aarch64-linux-gnu -fuse-ld=lld -mbranch-protection=standard -nostdlib -shared -Wl,-z,bti-report=error", "aarch64-linux-gnu-readelf", "BTI, PAC"},
	} {
		t.Run(tt.triple, func(t *testing.T) {
			dir := t.TempDir()
			object := wrapGolden(t, dir, goldenCases[0].args, tt.triple, "wrapped.o")
			notes := runTool(t, strings.Fields(tt.reader+" -nW "+linkProgram(t, dir, tt.compiler, host, object))...)
			if !strings.Contains(notes, tt.want) {
				t.Errorf("notes of the library, want %s:\n%s", tt.want, notes)
			}
		})
	}
}

// Thousands of images in one object: more relocations than 16 bits count in
// COFF, and all of them right.
func TestThousandsOfImages(t *testing.T) {
	const count = 4000
	dir := t.TempDir()
	var table bytes.Buffer
	table.WriteString("[Code|Properties|Symbols]\n")
	for range count {
		table.WriteString("blur.spv|blur.prop|blur.sym\n")
	}
	file := filepath.Join(dir, "many.table")
	if err := os.WriteFile(file, table.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	args := "-kind=sycl -target=spir64 -format=spirv -batch " + file
	for _, triple := range []string{linux, "x86_64-w64-windows-gnu", "arm64-apple-macosx12.0"} {
		t.Run(triple, func(t *testing.T) {
			dir := t.TempDir()
			object := wrapGolden(t, dir, args, triple, "wrapped.o")
			if images := openImages(t, object); len(images) != count || images[count-1] != "spir64 2048 bytes blur3 weigh" {
				t.Errorf("%d images in the object, the last %q", len(images), images[len(images)-1])
			}
			if triple != "x86_64-w64-windows-gnu" {
				return
			}
			program := linkProgram(t, dir, "x86_64-w64-mingw32-gcc", "void __sycl_register_lib(void *d) {} void __sycl_unregister_lib(void *d) {} int main(void) { return 0; }", object)
			if images := openImages(t, program+".exe"); len(images) != count || images[count-1] != "spir64 2048 bytes blur3 weigh" {
				t.Errorf("%d images in the program, the last %q", len(images), images[len(images)-1])
			}
		})
	}
}

// Bitcode needs an assembler: the message names the missing one, and no file is
// left.
func TestNoAssembler(t *testing.T) {
	dir := t.TempDir()
	inputs, err := filepath.Abs(golden + "/inputs")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Chdir(dir)
	var stderr bytes.Buffer
	code := run([]string{"-o", "out.bc", "-kind=sycl", inputs + "/blur.spv"}, cli.Streams{Err: &stderr})
	if code != 1 || !strings.Contains(stderr.String(), "no llvm-as of LLVM 15 or later") {
		t.Errorf("exit %d: %s", code, &stderr)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The IR that bitcode is made from stays where that is asked for.
func TestSaveTemps(t *testing.T) {
	testtool.Need(t, "llvm-as-19")
	for _, keep := range []string{"false", "true"} {
		t.Run(keep, func(t *testing.T) {
			dir := t.TempDir()
			wrapGolden(t, dir, goldenCases[0].args, linux, "out.bc", "-save-temps="+keep)
			var names []string
			left, _ := os.ReadDir(dir)
			for _, entry := range left {
				names = append(names, entry.Name())
			}
			want := map[string]string{"false": "out.bc", "true": "out.bc out.ll"}[keep]
			if got := strings.Join(names, " "); got != want {
				t.Errorf("-save-temps=%s: files %s, want %s", keep, got, want)
			}
		})
	}
}

// bigHost reads the first and the last bytes of an image and its size.
const bigHost = `
#include <stdint.h>
#include <stdio.h>
struct image { uint16_t v; uint8_t k, f; void *strings[5]; const char *begin, *end; };
struct descriptor { uint16_t version, count; struct image *images; };
void __sycl_register_lib(struct descriptor *d) {
  printf("%.4s %.4s %lld\n", d->images->begin, d->images->end - 4, (long long)(d->images->end - d->images->begin));
}
void __sycl_unregister_lib(void *d) {}
static char zeros[1 << 20]; /* .bss must stay in reach of the code */
int main(void) { puts(zeros); return zeros[99]; }
`

// An image larger than code can reach across links into a program and into a
// library, and both run.
func TestLinkBig(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes files of more than 2 GiB")
	}
	dir := t.TempDir()
	const size = 9 << 28 // past the reach of 32 bits in either direction
	image := filepath.Join(dir, "image")
	writeSparse(t, image, size)
	object := filepath.Join(dir, "big.o")
	mustWrap(t, dir, "-o", object, "-host="+linux, "-kind=sycl", "-target=spir64", image)
	if err := os.Remove(image); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("HEAD TAIL %d\n\n", int64(size))
	for _, compiler := range []string{"gcc", "clang-19 -fuse-ld=lld"} {
		program := linkProgram(t, dir, compiler+" -fPIE -pie", bigHost, object)
		if got := runTool(t, program); got != want {
			t.Errorf("%s, program: %q, want %q", compiler, got, want)
		}
		os.Remove(program)
		library := filepath.Join(dir, "libbig.so")
		runTool(t, strings.Fields(compiler+" -shared "+object+" -o "+library)...)
		program = linkProgram(t, dir, compiler+" -rdynamic -Wl,--no-as-needed -Wl,-rpath,"+dir, bigHost, library)
		if got := runTool(t, program); got != want {
			t.Errorf("%s, library: %q, want %q", compiler, got, want)
		}
		os.Remove(library)
	}
}

// writeSparse makes a file of zeros between HEAD and TAIL.
func writeSparse(t *testing.T, name string, size int64) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, part := range []struct {
		text string
		at   int64
	}{{"HEAD", 0}, {"TAIL", size - 4}} {
		if _, err := f.WriteAt([]byte(part.text), part.at); err != nil {
			t.Fatal(err)
		}
	}
}
