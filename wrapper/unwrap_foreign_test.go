package wrapper

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

const stub = `
void __sycl_register_lib(void *d) {}
void __sycl_unregister_lib(void *d) {}
int start(void) { return 0; }
`

// linkers make programs for systems that this machine does not run: $OBJECT
// and $STUB are the inputs, $OUT the output.
var linkers = []struct{ name, host, link string }{
	{"PE", "x86_64-pc-windows-msvc", "lld-link-19 /entry:start /subsystem:console /nodefaultlib /out:$OUT $OBJECT $STUB"},
	{"PE without relocations", "x86_64-pc-windows-msvc", "lld-link-19 /entry:start /subsystem:console /nodefaultlib /fixed /out:$OUT $OBJECT $STUB"},
	{"PE ARM64", "aarch64-pc-windows-msvc", "lld-link-19 /entry:start /subsystem:console /nodefaultlib /out:$OUT $OBJECT $STUB"},
	{"DLL", "x86_64-pc-windows-msvc", "lld-link-19 /dll /noentry /nodefaultlib /out:$OUT $OBJECT $STUB"},
	{"MinGW", "x86_64-w64-windows-gnu", "x86_64-w64-mingw32-gcc -o $OUT $OBJECT $STUB -nostartfiles -e start"},
	{"MinGW stripped", "x86_64-w64-windows-gnu", "x86_64-w64-mingw32-gcc -s -o $OUT $OBJECT $STUB -nostartfiles -e start"},
	{"Mach-O", "x86_64-apple-macosx11.0.0", "ld64.lld-19 -arch x86_64 -platform_version macos 11.0 11.0 -dylib -undefined dynamic_lookup -o $OUT $OBJECT $STUB"},
	{"Mach-O ARM64", "arm64-apple-macosx11.0.0", "ld64.lld-19 -arch arm64 -platform_version macos 11.0 11.0 -dylib -undefined dynamic_lookup -o $OUT $OBJECT $STUB"},
	{"Mach-O chained", "arm64-apple-macosx13.0.0", "ld64.lld-19 -arch arm64 -platform_version macos 13.0 13.0 -fixup_chains -dylib -undefined dynamic_lookup -o $OUT $OBJECT $STUB"},
	{"Mach-O x86-64 chained", "x86_64-apple-macosx13.0.0", "ld64.lld-19 -arch x86_64 -platform_version macos 13.0 13.0 -fixup_chains -dylib -undefined dynamic_lookup -o $OUT $OBJECT $STUB"},
}

func linkForeign(t *testing.T, host, command, object string) string {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "stub.c"), filepath.Join(dir, "linked")
	if err := os.WriteFile(source, []byte(stub), 0o666); err != nil {
		t.Fatal(err)
	}
	target := host
	run(t, "clang-19", "--target="+target, "-c", "-o", filepath.Join(dir, "stub.o"), source)
	words := strings.Fields(command) // before paths, which may have spaces, are put in
	for i := range words {
		words[i] = os.Expand(words[i], func(name string) string {
			return map[string]string{"OUT": out, "OBJECT": object, "STUB": filepath.Join(dir, "stub.o")}[name]
		})
	}
	run(t, words[0], words[1:]...)
	if strings.Contains(command, "mingw32-gcc") { // it adds .exe
		return out + ".exe"
	}
	return out
}

func same(images []Located) []Located { return images }

// TestForeignSystems reads images out of PE and Mach-O files, and edits them
// where these can be edited.
func TestForeignSystems(t *testing.T) {
	large := bytes.Repeat([]byte("large "), 5000)
	for _, test := range linkers {
		t.Run(test.name, func(t *testing.T) {
			object := mixed(t, test.host)
			want := dumpWith(t, object, same)
			linked := linkForeign(t, test.host, test.link, object)
			testDump(t, linked, want)
			testDump(t, replaced(t, linked, 1, []byte("small")), dumpWith(t, linked, with(1, []byte("small"))))
			testDump(t, removed(t, linked, 3), dumpWith(t, linked, without(3)))
			if strings.Contains(test.name, "ARM64") && strings.HasPrefix(test.name, "Mach-O") {
				testSignature(t, linked)
				testSignature(t, replaced(t, linked, 1, []byte("small")))
			}
			if strings.HasPrefix(test.name, "Mach-O") { // its tables of relocations are not made anew
				testRefused(t, linked, 0, "wrap them anew")
			} else {
				testDump(t, removed(t, linked, 0), dumpWith(t, linked, without(0)))
			}
			if !strings.HasPrefix(test.name, "Mach-O") {
				grown := replaced(t, linked, 1, large)
				testDump(t, grown, dumpWith(t, linked, with(1, large)))
				run(t, "llvm-readobj-19", "--sections", grown)
			}
			// Objects, edited and then linked.
			testDump(t, linkForeign(t, test.host, test.link, removed(t, object, 0)), dumpWith(t, object, without(0)))
			if !strings.HasPrefix(test.name, "Mach-O") {
				testDump(t, linkForeign(t, test.host, test.link, replaced(t, object, 1, large)), dumpWith(t, object, with(1, large)))
			}
		})
	}
}

// testSignature checks that the hashes of a Mach-O file's pages hold.
func testSignature(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := objfile.NewEditor(data)
	if err != nil {
		t.Fatal(err)
	}
	patches, err := e.Resign(bytes.NewReader(data))
	if err != nil || len(patches) > 0 {
		t.Errorf("%s: %d pages have other hashes than its signature, %v", name, len(patches), err)
	}
	damaged := bytes.Clone(data)
	damaged[len(data)/4] ^= 1
	if patches, _ = e.Resign(bytes.NewReader(damaged)); len(patches) != 1 {
		t.Errorf("%s: a changed byte changes %d hashes, want 1", name, len(patches))
	}
}

// TestRemoveUniform removes images from files of all systems whose records
// have the same pointers.
func TestRemoveUniform(t *testing.T) {
	for _, test := range linkers {
		t.Run(test.name, func(t *testing.T) {
			object := uniform(t, test.host)
			linked := linkForeign(t, test.host, test.link, object)
			for i := range 3 {
				testDump(t, removed(t, linked, i), dumpWith(t, linked, without(i)))
			}
		})
	}
}

// TestEditWindows edits a Windows program and runs it, where wine is
// installed.
func TestEditWindows(t *testing.T) {
	if _, err := exec.LookPath("wine"); err != nil {
		t.Skip("wine is not installed, and not asked for: TestForeignSystems reads such programs")
	}
	t.Setenv("WINEPREFIX", t.TempDir())
	t.Setenv("WINEDEBUG", "-all")
	object := mixed(t, "x86_64-w64-windows-gnu")
	program := link(t, "x86_64-w64-mingw32-gcc", object) + ".exe"
	large := bytes.Repeat([]byte("large "), 5000)
	for name, want := range map[string]string{
		program:                        dumpWith(t, object, same),
		replaced(t, program, 1, large): dumpWith(t, program, with(1, large)),
		removed(t, program, 1):         dumpWith(t, program, without(1)),
	} {
		run(t, "cp", name, name+".run.exe")
		out, err := exec.Command("wine", name+".run.exe").Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.ReplaceAll(string(out), "\r", "")); diff != "" {
			t.Errorf("what %s prints (-want +got):\n%s", name, diff)
		}
	}
}

// Images in sections that a tool compressed are not read, and an error says so:
// without it a part of a bundle would be listed as an image of garbage, and an
// OffloadBinary not at all.
func TestCompressedSections(t *testing.T) {
	testtool.Need(t, "llvm-objcopy-19")
	dir := t.TempDir()
	object, code := wrapped(t, "x86_64-unknown-linux-gnu", []*devimg.Image{{Kind: devimg.KindSYCL, Code: devimg.Bytes([]byte("code"))}}), filepath.Join(dir, "code")
	if err := os.WriteFile(code, make([]byte, 1<<12), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, section := range []string{"__CLANG_OFFLOAD_BUNDLE__sycl-spir64", ".llvm.offloading", ".hip_fatbin"} {
		fat := filepath.Join(dir, "fat.o")
		run(t, "llvm-objcopy-19", "--add-section="+section+"="+code, object, fat)
		run(t, "llvm-objcopy-19", "--compress-sections="+section+"=zlib", fat)
		_, err := Open(fat, ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), "section "+section+" is compressed") {
			t.Errorf("%s: %v", section, err)
		}
	}
}
