package wrapper

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/wrapper/devimg"
)

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	testtool.NeedLinker(t, args)
	out, err := exec.Command(testtool.Path(t, name), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// needBundler ends the test unless LLVM 19's bundler is there. The bundler looks for
// llvm-objcopy, by its name without a version, which lies where the bundler itself does:
// that folder comes to the front of PATH.
func needBundler(t *testing.T) {
	t.Helper()
	bundler, err := filepath.EvalSymlinks(testtool.Path(t, "clang-offload-bundler-19"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(bundler)+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// TestUnwrapLinked links the reference tool's objects in many ways and reads
// the images out of the results.
func TestUnwrapLinked(t *testing.T) {
	for name, command := range map[string]string{
		"static":             "gcc -static",
		"static PIE":         "gcc -static-pie",
		"no PIE":             "gcc -no-pie",
		"PIE":                "gcc -pie",
		"PIE stripped":       "gcc -pie -s",
		"RELR":               "gcc -pie -Wl,-z,pack-relative-relocs",
		"shared":             "gcc -shared -fPIC",
		"text":               "gcc -pie -Wl,-z,text -Wl,--gc-sections",
		"one segment":        "gcc -pie -Wl,-z,noseparate-code",
		"lld PIE":            "clang-19 -fuse-ld=lld -pie",
		"lld static":         "clang-19 -fuse-ld=lld -static",
		"lld RELR":           "clang-19 -fuse-ld=lld -pie -Wl,-z,pack-relative-relocs",
		"lld shared":         "clang-19 -fuse-ld=lld -shared -fPIC",
		"lld one segment":    "clang-19 -fuse-ld=lld -pie -Wl,--no-rosegment",
		"lld stripped to it": "clang-19 -fuse-ld=lld -pie -s",
		"joined object":      "gcc -r -nostdlib",
	} {
		t.Run(name, func(t *testing.T) { testLinked(t, strings.Fields(command)) })
	}
}

func testLinked(t *testing.T, command []string) {
	linked := filepath.Join(t.TempDir(), "linked")
	object := filepath.Join(goldenDir, "two_targets", "wrapped.pic.o")
	run(t, command[0], append(command[1:], "-o", linked, filepath.Join(goldenDir, "dumper.c"), object)...)
	want, err := os.ReadFile(filepath.Join(goldenDir, "two_targets", "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	testDump(t, linked, string(want))
	if command[1] != "-r" { // a relocatable object is nothing without sections
		testDump(t, stripSections(t, linked), string(want))
	}
}

// stripSections copies a 64-bit ELF file without its section headers.
func stripSections(t *testing.T, name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[40:48]) // e_shoff
	clear(data[58:64]) // e_shentsize, e_shnum, e_shstrndx
	stripped := name + ".stripped"
	if err := os.WriteFile(stripped, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return stripped
}

// TestUnwrapNativeCPU: images of host code have no element in .tgtimg, and are
// found beside images that do.
func TestUnwrapNativeCPU(t *testing.T) {
	dir := t.TempDir()
	source, object := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "native.o")
	if err := os.WriteFile(source, []byte("void k__SYCLNCPU(void) {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	image := &devimg.Image{Kind: devimg.KindSYCL, Target: "native_cpu", Entries: []string{"k"}, HasEntries: true, Code: devimg.Bytes(nil)}
	if err := Wrap(f, []*devimg.Image{image}, WrapOptions{NativeCPU: true}); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(dir, "linked")
	run(t, "gcc", "-o", linked, source, filepath.Join(goldenDir, "dumper.c"), object, filepath.Join(goldenDir, "one_image", "wrapped.pic.o"))
	program, err := Open(linked, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	var targets []string
	for i := range program.Images() {
		targets = append(targets, program.Images()[i].Target)
	}
	if got := strings.Join(targets, " "); got != "native_cpu spir64" {
		t.Errorf("targets = %s, want native_cpu and spir64", got)
	}
}
