package hostdev

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
)

// The kernels of testdata/kernels are compiled without optimization, with
// their variables promoted to values (phis), and optimized, and translated to
// two versions of SPIR-V.

// level is a way to compile.
type level struct {
	name    string
	clang   []string
	mem2reg bool
}

var levels = []level{
	{name: "O0", clang: []string{"-O0"}},
	{name: "mem2reg", clang: []string{"-O2", "-Xclang", "-disable-llvm-passes"}, mem2reg: true},
	{name: "O2", clang: []string{"-O2"}},
}

// tool runs a program and returns its standard error.
func tool(name string, args ...string) (string, error) {
	var log bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stderr = &log
	err := cmd.Run()
	return log.String(), err
}

func mustRun(t testing.TB, name string, args ...string) {
	t.Helper()
	if log, err := tool(name, args...); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, log)
	}
}

// bitcode compiles OpenCL C and returns the file's name.
func bitcode(t testing.TB, source string, l level, options ...string) string {
	t.Helper()
	compiler := testtool.OpenCLCompiler(t)
	bc := filepath.Join(t.TempDir(), "a.bc")
	args := append([]string{
		"--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-emit-llvm", "-c", source, "-o", bc,
	}, compiler.Options...)
	mustRun(t, compiler.Clang, append(append(args, l.clang...), options...)...)
	if l.mem2reg {
		mustRun(t, compiler.Optimizer, append(compiler.OptimizerOptions, "-passes=mem2reg", bc, "-o", bc)...)
	}
	return bc
}

// translate makes SPIR-V. It skips the test for optimized code beyond the
// translator's limits: freeze and integers of odd widths.
func translate(t testing.TB, bc string, l level, options ...string) []byte {
	t.Helper()
	return translateBy(t, testtool.OpenCLCompiler(t).Translator, bc, l, options...)
}

func translateBy(t testing.TB, translator, bc string, l level, options ...string) []byte {
	t.Helper()
	spv := strings.TrimSuffix(bc, ".bc") + ".spv"
	log, err := tool(translator, append(options, bc, "-o", spv)...)
	if err != nil {
		if l.name == "O2" && (strings.Contains(log, "freeze") || strings.Contains(log, "InvalidBitWidth")) {
			t.Skipf("%s does not take it: %s", translator, log)
		}
		t.Fatalf("%s: %v\n%s", translator, err, log)
	}
	code, err := os.ReadFile(spv)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// executors are the ways to run a kernel, which all give the same.
var executors = []struct {
	name    string
	options Options
}{
	{"interpreted", Options{Interpret: true}},
	{"one lane", Options{Lanes: 1}},
	{"four lanes", Options{Lanes: 4}},
	{"default", Options{}},
	{"checked", Options{Check: true}},
}

// inEveryExecutor runs a test with the options of each executor, and of native code.
func inEveryExecutor(t *testing.T, test func(t *testing.T, o Options)) {
	t.Helper()
	for _, e := range executors {
		t.Run(e.name, func(t *testing.T) { test(t, e.options) })
	}
	t.Run("native", func(t *testing.T) {
		if testing.Short() {
			t.Skip("-short runs no C compiler")
		}
		test(t, nativeOptions(t, 8))
	})
}

// beyondTranslator19 are files of which llvm-spirv-19 makes wrong modules: it leaves
// convert_uchar_sat_rte(char) a call, and its constant addresses in an array of int have
// the type of bytes.
var beyondTranslator19 = map[string]bool{"conversions.cl": true, "memory.cl": true}

// eachLevel runs a test with a file of kernels that is compiled at each level
// of optimization and translated to two versions of SPIR-V, with every
// executor; then with the compilers of [eachCompiler].
func eachLevel(t *testing.T, file string, test func(t *testing.T, p *testProgram)) {
	t.Helper()
	for _, l := range levels {
		t.Run(l.name, func(t *testing.T) {
			if beyondTranslator19[file] {
				testtool.Need(t, "clang-15", "llvm-spirv-15")
			}
			bc := bitcode(t, filepath.Join("testdata/kernels", file), l)
			for _, version := range []string{"1.4", "1.1"} {
				t.Run("SPIR-V "+version, func(t *testing.T) {
					code := translate(t, bc, l, "--spirv-max-version="+version)
					for i, e := range executors {
						if (i%2 == 0) != (version == "1.4") {
							continue // each executor with one version
						}
						t.Run(e.name, func(t *testing.T) {
							test(t, buildModules(t, e.options, driver.BuildOptions{}, module(file, code)))
						})
					}
				})
			}
		})
	}
	eachCompiler(t, file, test)
}
