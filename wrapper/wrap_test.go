package wrapper

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
)

// hosts are all that objects are written for, and the kinds of relocations
// that they may have: none that needs a GOT entry of a data symbol or that a
// position-independent program cannot take.
var hosts = []struct {
	triple      string
	format      string // of llvm-readobj
	relocations string
	sections    []string
}{
	{
		"x86_64-unknown-linux-gnu", "elf64-x86-64", "R_X86_64_64 R_X86_64_PC32 R_X86_64_PLT32",
		[]string{".init_array.1", ".fini_array.1", ".tgtimg", ".data.rel.ro", ".note.GNU-stack", ".note.gnu.property"},
	},
	{
		"aarch64-unknown-linux-gnu", "elf64-littleaarch64", "R_AARCH64_ABS64 R_AARCH64_ADD_ABS_LO12_NC R_AARCH64_ADR_PREL_PG_HI21 R_AARCH64_JUMP26",
		[]string{".init_array.1", ".fini_array.1", ".tgtimg", ".data.rel.ro", ".note.GNU-stack", ".note.gnu.property"},
	},
	{
		"riscv64-unknown-linux-gnu", "elf64-littleriscv", "R_RISCV_64 R_RISCV_CALL_PLT R_RISCV_PCREL_HI20 R_RISCV_PCREL_LO12_I",
		[]string{".init_array.1", ".fini_array.1", ".tgtimg", ".data.rel.ro", ".note.GNU-stack"},
	},
	{
		"i686-unknown-linux-gnu", "elf32-i386", "R_386_32 R_386_GOTOFF R_386_GOTPC R_386_PLT32",
		[]string{".init_array.1", ".fini_array.1", ".tgtimg", ".data.rel.ro", ".note.GNU-stack"},
	},
	{
		"x86_64-pc-windows-msvc", "COFF-x86-64", "IMAGE_REL_AMD64_ADDR64 IMAGE_REL_AMD64_REL32",
		[]string{".CRT$XCA00001", ".CRT$XTA00001", ".tgtimg", ".rdata"},
	},
	{
		"aarch64-pc-windows-msvc", "COFF-ARM64", "IMAGE_REL_ARM64_ADDR64 IMAGE_REL_ARM64_BRANCH26 IMAGE_REL_ARM64_PAGEBASE_REL21 IMAGE_REL_ARM64_PAGEOFFSET_12A",
		[]string{".CRT$XCA00001", ".CRT$XTA00001", ".tgtimg", ".rdata"},
	},
	{
		"x86_64-w64-windows-gnu", "COFF-x86-64", "IMAGE_REL_AMD64_ADDR64 IMAGE_REL_AMD64_REL32",
		[]string{".ctors.65534", ".dtors.65534", ".tgtimg", ".rdata"},
	},
	{
		"x86_64-apple-macosx12.3.0", "Mach-O 64-bit x86-64", "X86_64_RELOC_BRANCH X86_64_RELOC_SIGNED X86_64_RELOC_UNSIGNED",
		[]string{"__mod_init_func", "__tgtimg", "__const", "__offload_img"},
	},
	{
		"arm64-apple-macosx", "Mach-O arm64", "ARM64_RELOC_BRANCH26 ARM64_RELOC_PAGE21 ARM64_RELOC_PAGEOFF12 ARM64_RELOC_UNSIGNED",
		[]string{"__mod_init_func", "__tgtimg", "__const", "__offload_img"},
	},
}

// testImages are images with everything in them, for two targets and none.
func testImages() []*devimg.Image {
	sets := &props.Sets{}
	sets.Put(props.SetExportedSymbols, "one", props.Uint32(1))
	sets.Put(props.SetKernelParamOpt, "kernel", props.Bits([]byte{5}, 3))
	sets.Open("no properties")
	image := func(target, code string) *devimg.Image {
		return &devimg.Image{
			Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: target, CompileOptions: "-a b", LinkOptions: "-c",
			Code: devimg.Bytes([]byte(code)), Entries: []string{"kernel", "one"}, HasEntries: true, Properties: sets,
		}
	}
	bare := image("", "third image, of no target")
	bare.Entries, bare.HasEntries, bare.Properties = nil, false, nil
	return []*devimg.Image{image("spir64", "first image"), image("spir64_gen", "second"), bare, image("spir64", "")}
}

func mustWrap(t *testing.T, images []*devimg.Image, o WrapOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Wrap(&b, images, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func mustHost(t *testing.T, triple string) Host {
	t.Helper()
	h, err := ParseHost(triple)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Images that are wrapped for any host are found again.
func TestWrapUnwrap(t *testing.T) {
	for _, h := range hosts {
		for _, record := range []abi.Record{abi.Record2, abi.Record3, abi.RecordLLVM} {
			t.Run(fmt.Sprintf("%s record %d", h.triple, record), func(t *testing.T) {
				images := testImages()
				object := mustWrap(t, images, WrapOptions{Host: mustHost(t, h.triple), Record: record})
				found, err := Unwrap(object, ReadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if len(found) != len(images) {
					t.Fatalf("%d images found, want %d", len(found), len(images))
				}
				for i := range found {
					if diff := cmp.Diff(printed(t, images[i]), printed(t, &found[i].Image)); diff != "" {
						t.Errorf("image %d (-wrapped +found)\n%s", i, diff)
					}
				}
			})
		}
	}
}

func printed(t *testing.T, image *devimg.Image) string {
	t.Helper()
	code, err := devimg.ReadCode(image.Code)
	if err != nil {
		t.Fatal(err)
	}
	text, err := image.Properties.Text()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%v %v %q %q %q\n%q %q\nentries %q %v\nproperties %v\n%s", image.Kind, image.Format,
		image.Target, image.CompileOptions, image.LinkOptions, image.Manifest, code, image.Entries, image.HasEntries, image.Properties != nil, text)
}

// LLVM's reader takes every object, and sees the sections and the kinds of
// relocations that there should be.
func TestWrapReadobj(t *testing.T) {
	relocation := regexp.MustCompile(`\b(R_[A-Z0-9_]+|IMAGE_REL_[A-Z0-9_]+|[A-Z0-9_]+_RELOC_[A-Z0-9_]+)`)
	name := regexp.MustCompile(`(?m)^    Name: (\S+)`)
	for _, h := range hosts {
		t.Run(h.triple, func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "object")
			data := mustWrap(t, testImages(), WrapOptions{Host: mustHost(t, h.triple)})
			if err := os.WriteFile(object, data, 0o666); err != nil {
				t.Fatal(err)
			}
			out := run(t, "llvm-readobj-19", "--sections", "--symbols", "--relocs", object)
			if !strings.Contains(out, "Format: "+h.format+"\n") || strings.Contains(out, "warning:") {
				t.Errorf("want format %s, no warning:\n%s", h.format, out)
			}
			kinds := relocation.FindAllString(out, -1)
			slices.Sort(kinds)
			if got := strings.Join(slices.Compact(kinds), " "); got != h.relocations {
				t.Errorf("relocations %s\nwant %s", got, h.relocations)
			}
			names := map[string]bool{}
			for _, m := range name.FindAllStringSubmatch(out, -1) {
				names[m[1]] = true
			}
			for _, want := range h.sections {
				if !names[want] {
					t.Errorf("no section %s", want)
				}
			}
		})
	}
}

// sized is code that is only a size: who reads it fails.
type sized int64

func (s sized) Size() int64                       { return int64(s) }
func (s sized) ReadAt([]byte, int64) (int, error) { return 0, errors.New("read") }

// Images that a format cannot hold are refused before anything is read or
// written.
func TestWrapLimits(t *testing.T) {
	for _, tt := range []struct {
		triple string
		size   int64
		want   string
	}{
		{"x86_64-pc-windows-msvc", 2 * gib, "x86_64-pc-windows-msvc: a Windows program or library is smaller than 2 GiB"},
		{"aarch64-pc-windows-msvc", 3 * gib, "smaller than 2 GiB"},
		{"i686-linux-gnu", 2 * gib, "hold less than 2 GiB"},
		{"riscv64-linux-gnu", 2 * gib, "medany"},
		{"aarch64-linux-gnu", 4 * gib, "less than 4 GiB"},
		{"x86_64-apple-macosx", 2 * gib, "less than 2 GiB"},
		{"arm64-apple-macosx", 4 * gib, "less than 4 GiB"},
	} {
		for _, images := range [][]*devimg.Image{
			{{Kind: devimg.KindSYCL, Code: sized(tt.size)}},
			{{Kind: devimg.KindSYCL, Code: sized(tt.size / 2)}, {Kind: devimg.KindHIP, Code: sized(tt.size / 2)}},
		} {
			var out bytes.Buffer
			err := Wrap(&out, images, WrapOptions{Host: mustHost(t, tt.triple)})
			if err == nil || !strings.Contains(err.Error(), tt.want) || out.Len() != 0 {
				t.Errorf("%s, %d images, %d bytes: %v, %d bytes written; want %s", tt.triple, len(images), tt.size, err, out.Len(), tt.want)
			}
		}
	}
	many := slices.Repeat([]*devimg.Image{{Kind: devimg.KindSYCL, Code: devimg.Bytes(nil)}}, abi.MaxImages+1)
	var out bytes.Buffer
	if err := Wrap(&out, many, WrapOptions{}); err == nil || out.Len() != 0 {
		t.Errorf("%d images: %v, %d bytes written; want an error", len(many), err, out.Len())
	}
}

// Only ELF for x86-64 puts images into sections far away, and only past 1 GiB
// in one object.
func TestWrapLargeSections(t *testing.T) {
	for _, tt := range []struct {
		triple string
		size   int64
		want   string
	}{
		{"x86_64-linux-gnu", 1*gib - 64, "__CLANG_OFFLOAD_BUNDLE__sycl-spir64"},
		{"x86_64-linux-gnu", 1*gib + 1, ".lrodata.__CLANG_OFFLOAD_BUNDLE__sycl-spir64"},
		{"aarch64-linux-gnu", 3 * gib, "__CLANG_OFFLOAD_BUNDLE__sycl-spir64"},
	} {
		o := WrapOptions{Host: mustHost(t, tt.triple)}
		images := []*devimg.Image{{Kind: devimg.KindSYCL, Target: "spir64", Code: sized(tt.size)}}
		kinds, err := encodeKinds(images, &o)
		if err != nil {
			t.Fatal(err)
		}
		object, err := buildObject(kinds, &o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range object.Sections {
			names = append(names, s.Name)
		}
		if !slices.Contains(names, tt.want) {
			t.Errorf("%s, %d bytes: sections %q, want %s", tt.triple, tt.size, names, tt.want)
		}
	}
}

// Code that changes while it is copied is an error, and so is one that
// cannot be read.
func TestWrapChangedCode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	code, err := devimg.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 999); err != nil {
		t.Fatal(err)
	}
	for _, c := range []devimg.Code{code, sized(10)} {
		err := Wrap(io.Discard, []*devimg.Image{{Kind: devimg.KindSYCL, Code: c}}, WrapOptions{})
		if err == nil {
			t.Errorf("wrapping %T: no error", c)
		}
	}
}

func TestParseHost(t *testing.T) {
	for _, tt := range []struct{ triple, want string }{
		{"x86_64-unknown-linux-gnu", "ELF x86_64"},
		{"x86_64", "ELF x86_64"},
		{"amd64-unknown-freebsd13", "ELF x86_64"},
		{"aarch64-linux-android30", "ELF aarch64"},
		{"riscv64-unknown-elf", "ELF riscv64"},
		{"i586-pc-linux-gnu", "ELF i386"},
		{"x86_64-pc-windows-msvc19.40", "COFF x86_64"},
		{"arm64-pc-windows-msvc", "COFF aarch64"},
		{"x86_64-w64-mingw32", "COFF x86_64 mingw"},
		{"arm64-apple-darwin23", "Mach-O aarch64"},
		{"arm64-apple-macosx14.2.1", "Mach-O aarch64"},
		{"i686-pc-windows-msvc", "IR 4"},
		{"riscv64-apple-macosx", "IR 8"},
		{"powerpc64le-unknown-linux-gnu", "IR 8"},
		{"armv7-unknown-linux-gnueabihf", "IR 4"},
	} {
		h := mustHost(t, tt.triple)
		got := fmt.Sprintf("%v %v", h.format.object, h.machine)
		if h.format == &mingwFormat {
			got += " mingw"
		}
		if err := h.checkObjects(); err != nil {
			got = fmt.Sprintf("IR %d", h.pointer)
		}
		if got != tt.want {
			t.Errorf("ParseHost(%s) is %s, want %s", tt.triple, got, tt.want)
		}
	}
	if h := mustHost(t, "arm64-apple-macosx14.2.1"); h.macOS != [2]uint8{14, 2} {
		t.Errorf("macOS %d, want 14.2", h.macOS)
	}
	for _, triple := range []string{"", "pdp11", "-linux"} {
		if _, err := ParseHost(triple); err == nil {
			t.Errorf("ParseHost(%q): no error", triple)
		}
	}
	if DefaultHost().Triple == "" {
		t.Error("no default host")
	}
}
