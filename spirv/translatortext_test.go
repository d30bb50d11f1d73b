package spirv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
)

// TestTranslatorText compares the text with the one that llvm-spirv writes of
// the IR that it makes the module from.
func TestTranslatorText(t *testing.T) {
	testtool.Need(t, "clang-15", "llvm-spirv-15")
	for _, options := range [][]string{{"-O0"}, {"-O1"}, {"-O0", "-g"}} {
		dir := t.TempDir()
		ir := filepath.Join(dir, "rich.bc")
		runTool(t, "clang-15", append([]string{
			"-target", "spir64", "-Xclang", "-no-opaque-pointers", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header",
			"-emit-llvm", "-c", "testdata/rich.cl", "-o", ir,
		}, options...)...)
		code := filepath.Join(dir, "rich.spv")
		runTool(t, "llvm-spirv-15", ir, "-o", code)
		want, err := exec.Command("llvm-spirv-15", "-spirv-text", ir, "-o", "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(code)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := m.WriteTranslatorText(&got); err != nil {
			t.Fatal(err)
		}
		if back, err := ParseTranslatorText(want); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%v: llvm-spirv's text is not read as the module: %v", options, err)
		}
		// Older versions have a name of their own for the instruction.
		want = bytes.ReplaceAll(want, []byte(" DebugCompileUnit "), []byte(" DebugCompilationUnit "))
		// Before functions, and before and after debug information, the
		// translator's blank lines depend on the extensions that are allowed.
		if back, err := ParseTranslatorText(got.Bytes()); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%v: the text is not read back as the module: %v", options, err)
		}
		if d := cmp.Diff(string(dropBlankLines(want)), string(dropBlankLines(got.Bytes()))); d != "" {
			t.Errorf("%v: -llvm-spirv +here:\n%s", options, d)
		}
	}
}

func dropBlankLines(text []byte) []byte {
	for bytes.Contains(text, []byte("\n\n")) {
		text = bytes.ReplaceAll(text, []byte("\n\n"), []byte("\n"))
	}
	return text
}

func TestParseTranslatorTextErrors(t *testing.T) {
	const header = "119734787 65536 393230 10 0 \n"
	for text, want := range map[string]string{
		"":                                   "line 1: the text ends within an instruction",
		"1 2 3 4 5":                          "line 1: 1 is not the magic number 119734787",
		header + "2 Nonsense 1":              `line 2: unknown instruction "Nonsense"`,
		header + "2 Capability Kernels":      `line 2: OpCapability: unknown name "Kernels"`,
		header + "0 Capability Kernel":       "line 2: Capability: 0 is not a length",
		header + "3 Name 1 \"four words\"":   "line 2: Name: 5 words where the first number says 3",
		header + "3 Name 1 \"open":           "line 2: a string without its end",
		header + "2 Capability Kernel \n3 M": `line 3: unknown instruction "M"`,
	} {
		if _, err := ParseTranslatorText([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseTranslatorText: text that is read as a module is written as text
// that is read back the same.
func FuzzParseTranslatorText(f *testing.F) {
	f.Add([]byte("119734787 65536 393230 10 0 \n2 Capability Kernel \n3 MemoryModel 2 2 \n"))
	f.Add([]byte("119734787 65536 393230 10 0 \n5 ExtInstImport 1 \"OpenCL.std\" \n6 Decorate 12 LinkageAttributes \"table\" Export "))
	f.Fuzz(func(t *testing.T, text []byte) {
		code, err := ParseTranslatorText(text)
		if err != nil {
			return
		}
		m, err := Parse(code)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := m.WriteTranslatorText(&out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), `\`) {
			return // the form does not tell a backslash before a quote from an escaped quote
		}
		back, err := ParseTranslatorText(out.Bytes())
		if err != nil || !bytes.Equal(back, m.Bytes()) {
			t.Errorf("read back differently: %v\n%s", err, out.String())
		}
	})
}
