package fromir_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir/irfile"
	"offlink/spirv/fromir"
)

// clangs are compiled with where the system has them.
var clangs = []struct{ program, level string }{
	{"clang-14", "-O0"},
	{"clang-14", "-O2"},
	{"clang-15", "-O0"},
	{"clang-15", "-O2"},
	{"clang-16", "-O0"},
	{"clang-16", "-O2"},
	{"clang-19", "-O0"},
	{"clang-19", "-O2"},
}

// TestClangCorpus translates each clang's output for the project's OpenCL C
// and C++ for OpenCL, without extensions for integers; the validator takes it.
func TestClangCorpus(t *testing.T) {
	testtool.Need(t, "spirv-val")
	sources, err := filepath.Glob("../../testdata/clang/*.cl*")
	if err != nil || len(sources) == 0 {
		t.Fatal("no corpus", err)
	}
	kernels, err := filepath.Glob("../../runtime/hostdev/testdata/kernels/*.cl")
	if err != nil || len(kernels) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, c := range clangs {
		t.Run(c.program+c.level, func(t *testing.T) {
			testtool.Need(t, c.program)
			t.Parallel()
			for _, source := range append(sources, kernels...) {
				t.Run(filepath.Base(source), func(t *testing.T) { testClang(t, c.program, c.level, source) })
			}
		})
	}
}

func testClang(t *testing.T, program, level, source string) {
	bc := filepath.Join(t.TempDir(), "a.bc")
	args := []string{"--target=spir64-unknown-unknown", level, "-w", "-I../../include", "-c", "-emit-llvm", "-o", bc}
	switch {
	case filepath.Ext(source) == ".clcpp":
		args = append(args, "-x", "clcpp")
	case program == "clang-14": // its built-in header lacks functions
		args = append(args, "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header")
	default:
		args = append(args, "-x", "cl", "-cl-std=CL3.0")
	}
	if log, err := exec.Command(program, append(args, source)...).CombinedOutput(); err != nil {
		t.Skipf("%s does not take it: %s", program, log)
	}
	f, err := irfile.Open(bc, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := options()
	o.WidenIntegers = true
	o.Extensions["SPV_EXT_optnone"] = false // Debian 12's validator does not know it
	code, err := fromir.Translate(f.Module, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := fromir.Translate(f.Module, o)
	if err != nil || !bytes.Equal(code, again) {
		t.Error("translated again, the module differs", err)
	}
	verified(t, code)
	validate(t, code)
}
