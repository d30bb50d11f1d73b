package spirv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"

	"github.com/google/go-cmp/cmp"
)

func writeTemp(t testing.TB, code []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(name, code, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func runTool(t testing.TB, name string, args ...string) string {
	t.Helper()
	var out, log bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, log.String())
	}
	return out.String()
}

// compile translates OpenCL C; the option -g is clang's, others are
// llvm-spirv's.
func compile(t testing.TB, source string, level string, options ...string) []byte {
	t.Helper()
	compiler := testtool.OpenCLCompiler(t)
	dir := t.TempDir()
	bc, spv := filepath.Join(dir, "a.bc"), filepath.Join(dir, "a.spv")
	clang := append([]string{level}, compiler.Options...)
	if len(options) > 0 && options[0] == "-g" {
		clang, options = append(clang, "-g"), options[1:]
	}
	runTool(t, compiler.Clang, append(clang, "--target=spir64-unknown-unknown", "-x", "cl",
		"-cl-std=CL3.0", "-emit-llvm", "-c", source, "-o", bc)...)
	runTool(t, compiler.Translator, append(options, bc, "-o", spv)...)
	code, err := os.ReadFile(spv)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestDump compares with the disassembler of SPIRV-Tools.
func TestDump(t *testing.T) {
	testtool.Need(t, "spirv-dis")
	modules := map[string][]byte{"app": readTestdata(t, "app.spv"), "lib": readTestdata(t, "lib.spv")}
	for _, level := range []string{"-O0", "-O2"} {
		modules["rich"+level] = compile(t, "testdata/rich.cl", level)
	}
	modules["debug"] = debugModule(t, "ocl-100")
	for name, code := range modules {
		t.Run(name, func(t *testing.T) {
			m, err := Parse(code)
			if err != nil {
				t.Fatal(err)
			}
			want := runTool(t, "spirv-dis", "--raw-id", "--no-header", "--no-indent", writeTemp(t, code))
			var got bytes.Buffer
			if err := m.Dump(&got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(dumpLines(want), dumpLines(got.String())); diff != "" {
				t.Errorf("(-spirv-dis +Dump):\n%s", diff)
			}
		})
	}
}

// dumpLines cuts the flags of debug information, which Dump writes as
// numbers, off the lines.
func dumpLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if at := strings.Index(line, " Debug"); at >= 0 {
			end := strings.IndexByte(line[at+1:]+" ", ' ')
			lines[i] = line[:at+1+end]
		}
	}
	return lines
}

// debugModule has debug information; llvm-spirv-15 aborts on that of -O2.
func debugModule(t *testing.T, version string) []byte {
	return compile(t, "testdata/rich.cl", "-O0", "-g", "--spirv-debug-info-version="+version)
}

// TestLegacyDebugInfo reads a set of instructions that SPIRV-Tools does not
// know.
func TestLegacyDebugInfo(t *testing.T) {
	m, err := Parse(debugModule(t, "legacy"))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := m.Dump(&got); err != nil {
		t.Fatal(err)
	}
	if want := " DebugCompilationUnit 65536 5 %"; !strings.Contains(got.String(), want) {
		t.Errorf("the text has no %q", want)
	}
}
