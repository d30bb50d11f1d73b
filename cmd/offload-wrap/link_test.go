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
	"offlink/wrapper"
)

// The reference tool's cases in testdata/wrapper, and our command lines for
// them: the dumper linked with our objects prints the same as with the
// reference's.
var goldenCases = []struct{ name, args string }{
	{"one_image", "-kind=sycl -target=spir64 -format=spirv -entries=blur.sym -properties=blur.prop blur.spv"},
	{"batch_of_three", "-kind=sycl -target=spir64 -format=spirv -batch three.table"},
	{"two_targets", "-kind=sycl -target=spir64 -format=spirv|-compile-opts=-cl-opt-disable -D \"X=1\"|-link-opts=-ze-take-global-address -entries=blur.sym -properties=blur.prop blur.spv" +
		" -target=spir64_x86_64 -format=native -compile-opts= -link-opts=--x=y -entries=fill.sym -properties=fill.prop native.bin -target=spir64_gen -format=none gain.spv"},
	{"bare", "-kind=sycl -target=spir64 -format=spirv blur.spv"},
}

// goldenArgs splits a command line: at bars where there are some, for
// arguments with spaces in them.
func goldenArgs(line string) []string {
	var args []string
	for i, part := range strings.Split(line, "|") {
		if words := strings.Fields(part); i == 1 {
			args = append(args, part)
		} else {
			args = append(args, words...)
		}
	}
	return args
}

// golden is the folder of the reference's objects, as seen from the inputs.
const golden = "../../testdata/wrapper"

// wrapGolden wraps a case for a host and returns the path of the object.
func wrapGolden(t *testing.T, dir, args, host, name string, more ...string) string {
	t.Helper()
	object := filepath.Join(dir, name)
	line := append([]string{"-o", object, "-host=" + host}, more...)
	mustWrap(t, filepath.Join(golden, "inputs"), append(line, goldenArgs(args)...)...)
	return object
}

// mustWrap runs the program in a folder.
func mustWrap(t *testing.T, dir string, args ...string) {
	t.Helper()
	t.Chdir(dir)
	var stderr bytes.Buffer
	if code := run(args, cli.Streams{Err: &stderr}); code != 0 {
		t.Fatalf("offload-wrap %q: exit %d\n%s", args, code, &stderr)
	}
}

// linking is a way to link a C file and an object into something that runs:
// commands whose $DUMPER, $OBJECT and $DIR are replaced.
type linking struct {
	name     string
	commands []string
	emulator string // how to run $DIR/program, "" for directly
}

// linkings are the ways of one compiler. cc makes position-independent code.
func linkings(prefix, cc, emulator string) []linking {
	var list []linking
	for name, flags := range map[string]string{
		"static":            "-static",
		"static PIE":        "-static-pie",
		"PIE":               "-pie",
		"fixed":             "-no-pie",
		"PIE, strict":       "-pie -Wl,-z,text",
		"collected":         "-pie -Wl,--gc-sections",
		"static, collected": "-static -Wl,--gc-sections",
	} {
		list = append(list, linking{prefix + " " + name, []string{cc + " -fPIC " + flags + " $DUMPER $OBJECT -o $DIR/program"}, emulator})
	}
	return append(list, linking{prefix + " shared library", []string{
		cc + " -shared -Wl,-z,text -Wl,--gc-sections $OBJECT -o $DIR/libwrapped.so",
		cc + " -rdynamic -Wl,--no-as-needed $DUMPER $DIR/libwrapped.so -Wl,-rpath,$DIR -o $DIR/program",
	}, emulator})
}

// runLinked links and runs, and returns the output of the program.
func runLinked(t *testing.T, l linking, dir, object string) string {
	t.Helper()
	dumper, err := filepath.Abs("dumper.c")
	if err != nil {
		t.Fatal(err)
	}
	replace := strings.NewReplacer("$DUMPER", dumper, "$OBJECT", object, "$DIR", dir)
	for _, command := range l.commands {
		runTool(t, splitCommand(command, replace)...)
	}
	return runTool(t, append(strings.Fields(l.emulator), filepath.Join(dir, "program"))...)
}

// splitCommand splits a command before its variables are replaced: a path may
// have spaces.
func splitCommand(command string, variables *strings.Replacer) []string {
	words := strings.Fields(command)
	for i := range words {
		words[i] = variables.Replace(words[i])
	}
	return words
}

// runTool runs a command and returns its output.
func runTool(t *testing.T, words ...string) string {
	t.Helper()
	testtool.Need(t, words[0])
	testtool.NeedLinker(t, words)
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", words, err, out)
	}
	return string(out)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLinkGolden links every case in every way with GNU ld and lld.
func TestLinkGolden(t *testing.T) {
	for _, c := range goldenCases {
		for _, l := range append(linkings("gcc", "gcc", ""), linkings("lld", "clang-19 -fuse-ld=lld", "")...) {
			t.Run(c.name+"/"+l.name, func(t *testing.T) {
				dir := t.TempDir()
				object := wrapGolden(t, dir, c.args, "x86_64-unknown-linux-gnu", "wrapped.o")
				t.Chdir("..")
				got := runLinked(t, l, dir, object)
				if diff := cmp.Diff(readFile(t, filepath.Join(c.name, "expected.txt")), got); diff != "" {
					t.Errorf("(-reference +ours)\n%s", diff)
				}
			})
		}
	}
}

// crossHost is a host that qemu runs. Without are the ways in
// which no program at all can be linked or run: glibc has no static PIE for
// RISC-V (no rcrt1.o), and an empty one of lld for i386 crashes in start-up.
type crossHost struct {
	triple, tools, qemu string
	without             []string
}

// crossHosts are the other Linux hosts.
var crossHosts = []crossHost{
	{"aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "qemu-aarch64", nil},
	{"riscv64-unknown-linux-gnu", "riscv64-linux-gnu", "qemu-riscv64", []string{"gcc static PIE", "lld static PIE"}},
	{"i386-unknown-linux-gnu", "i686-linux-gnu", "qemu-i386", []string{"lld static PIE"}},
}

// TestLinkCross does so for the other Linux hosts, with the batch.
func TestLinkCross(t *testing.T) {
	for _, h := range crossHosts {
		emulator := h.qemu + " -L /usr/" + h.tools
		ways := append(linkings("gcc", h.tools+"-gcc", emulator), linkings("lld", "clang-19 --target="+h.tools+" -fuse-ld=lld", emulator)...)
		for _, l := range ways {
			if slices.Contains(h.without, l.name) {
				continue
			}
			t.Run(h.triple+"/"+l.name, func(t *testing.T) {
				dir := t.TempDir()
				object := wrapGolden(t, dir, goldenCases[1].args, h.triple, "wrapped.o")
				t.Chdir("..")
				got := runLinked(t, l, dir, object)
				if diff := cmp.Diff(readFile(t, "batch_of_three/expected.txt"), got); diff != "" {
					t.Errorf("(-reference +ours)\n%s", diff)
				}
			})
		}
	}
}

// hostless defines all symbols that a wrapped object refers to, for systems
// whose C library is not installed.
const hostless = `
void __sycl_register_lib(void *d) {}
void __sycl_unregister_lib(void *d) {}
#ifdef __APPLE__
int __cxa_atexit(void *f, void *a, void *d) { return 0; }
#endif
#ifdef _WIN32
int mainCRTStartup(void) { return 0; }
#endif
int main(void) { return 0; }
`

// TestLinkForeign links for systems that nothing here can run: with lld's
// COFF and Mach-O flavours. The linked files hold the images.
func TestLinkForeign(t *testing.T) {
	for _, tt := range []struct{ triple, link string }{
		{"x86_64-pc-windows-msvc", "lld-link-19 /entry:mainCRTStartup /subsystem:console /nodefaultlib /opt:ref $OBJECT $DIR/host.o /out:$DIR/linked"},
		{"x86_64-pc-windows-msvc", "lld-link-19 /dll /noentry /nodefaultlib /opt:ref $OBJECT $DIR/host.o /out:$DIR/linked"},
		{"aarch64-pc-windows-msvc", "lld-link-19 /entry:mainCRTStartup /subsystem:console /nodefaultlib /opt:ref $OBJECT $DIR/host.o /out:$DIR/linked"},
		{"x86_64-apple-macosx12.0.0", "ld64.lld-19 -arch x86_64 -platform_version macos 12.0 12.0 -dead_strip -e _main $DIR/host.o $OBJECT -o $DIR/linked"},
		{"x86_64-apple-macosx12.0.0", "ld64.lld-19 -arch x86_64 -platform_version macos 12.0 12.0 -dead_strip -dylib $DIR/host.o $OBJECT -o $DIR/linked"},
		{"arm64-apple-macosx12.0.0", "ld64.lld-19 -arch arm64 -platform_version macos 12.0 12.0 -dead_strip -e _main $DIR/host.o $OBJECT -o $DIR/linked"},
		{"arm64-apple-macosx12.0.0", "ld64.lld-19 -arch arm64 -platform_version macos 12.0 12.0 -dead_strip -dylib $DIR/host.o $OBJECT -o $DIR/linked"},
	} {
		t.Run(tt.triple, func(t *testing.T) {
			dir := t.TempDir()
			object := wrapGolden(t, dir, goldenCases[1].args, tt.triple, "wrapped.o")
			source := filepath.Join(dir, "host.c")
			if err := os.WriteFile(source, []byte(hostless), 0o666); err != nil {
				t.Fatal(err)
			}
			runTool(t, strings.Fields("clang-19 --target="+tt.triple+" -fno-stack-protector -c "+source+" -o "+dir+"/host.o")...)
			runTool(t, strings.Fields(strings.NewReplacer("$OBJECT", object, "$DIR", dir).Replace(tt.link))...)
			checkLinked(t, filepath.Join(dir, "linked"))
		})
	}
}

// checkLinked looks for the three images of the batch in a linked file.
func checkLinked(t *testing.T, name string) {
	t.Helper()
	want := []string{"spir64 2048 bytes blur3 weigh", "spir64 804 bytes fill", "spir64 1428 bytes gain mute"}
	if diff := cmp.Diff(want, openImages(t, name)); diff != "" {
		t.Errorf("images (-want +linked)\n%s", diff)
	}
}

// openImages describes the images in a file, a line each.
func openImages(t *testing.T, name string) []string {
	t.Helper()
	found, err := wrapper.Open(name, wrapper.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	var lines []string
	for _, image := range found.Images() {
		lines = append(lines, fmt.Sprintf("%s %d bytes %s", image.Target, image.Code.Size(), strings.Join(image.Entries, " ")))
	}
	return lines
}

// TestLinkWindows links with MinGW, and runs the program where wine is
// installed, which is not asked for: without it this is a test of linking.
// MinGW's C library does not run the destructors of Microsoft's, which is so
// for the reference's objects too.
func TestLinkWindows(t *testing.T) {
	wine := t.TempDir()
	expected := readFile(t, golden+"/batch_of_three/expected.txt")
	for _, tt := range []struct{ triple, want string }{
		{"x86_64-w64-windows-gnu", expected},
		{"x86_64-pc-windows-msvc", strings.TrimSuffix(expected, "unregister what was registered\n")},
	} {
		t.Run(tt.triple, func(t *testing.T) {
			dir := t.TempDir()
			object := wrapGolden(t, dir, goldenCases[1].args, tt.triple, "wrapped.o")
			t.Chdir("..")
			runTool(t, strings.Fields("x86_64-w64-mingw32-gcc dumper.c "+object+" -o "+dir+"/program.exe")...)
			checkLinked(t, dir+"/program.exe")
			if _, err := exec.LookPath("wine"); err != nil {
				t.Log("linked and not run: wine is not installed")
				return
			}
			t.Setenv("WINEPREFIX", wine)
			t.Setenv("WINEDEBUG", "-all")
			out, err := exec.Command("wine", dir+"/program.exe").Output()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(string(out), "\r", "")); diff != "" {
				t.Errorf("(-reference +ours)\n%s", diff)
			}
		})
	}
}

// TestLinkLLVM compiles the IR for each host with LLVM and runs it.
func TestLinkLLVM(t *testing.T) {
	for _, h := range append(crossHosts, crossHost{triple: "x86_64-unknown-linux-gnu"}) {
		for _, name := range []string{"wrapped.ll", "wrapped.bc"} {
			t.Run(h.triple+"/"+name, func(t *testing.T) {
				testtool.Need(t, "llvm-as-19")
				dir := t.TempDir()
				ir := wrapGolden(t, dir, goldenCases[1].args, h.triple, name)
				t.Chdir("..")
				runTool(t, strings.Fields("opt-19 -passes=verify "+ir+" -o "+dir+"/verified.bc")...)
				runTool(t, strings.Fields("llc-19 -filetype=obj -relocation-model=pic "+dir+"/verified.bc -o "+dir+"/wrapped.o")...)
				way := linking{"PIE", []string{"gcc -pie $DUMPER $OBJECT -o $DIR/program"}, ""}
				if h.qemu != "" {
					way.commands[0] = h.tools + "-" + way.commands[0]
					way.emulator = h.qemu + " -L /usr/" + h.tools
				}
				got := runLinked(t, way, dir, dir+"/wrapped.o")
				if diff := cmp.Diff(readFile(t, "batch_of_three/expected.txt"), got); diff != "" {
					t.Errorf("(-reference +ours)\n%s", diff)
				}
			})
		}
	}
}
