package hostdev

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir/irfile"
	"offlink/runtime/driver"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// The kernels are also compiled by other versions of clang, with typed and with
// opaque pointers, and translated by spirv/fromir.

type clangLevel struct{ clang, level string }

// compilers are the compilers that eachLevel tries where the system has them.
var compilers = []clangLevel{
	{"clang-14", "-O0"},
	{"clang-14", "-O2"},
	{"clang-15", "-O0"},
	{"clang-15", "-O2"},
	{"clang-16", "-O0"},
	{"clang-16", "-O2"},
	{"clang-19", "-O0"},
	{"clang-19", "-O2"},
}

// translateHere makes SPIR-V with spirv/fromir.
func translateHere(t testing.TB, bc string) []byte {
	t.Helper()
	f, err := irfile.Open(bc, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options := fromir.Options{Version: spirv.Version1_4}
	if err := options.AllowExtensions("+SPV_INTEL_arbitrary_precision_integers,+SPV_KHR_integer_dot_product"); err != nil {
		t.Fatal(err)
	}
	code, err := fromir.Translate(f.Module, options)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// compilersOfFile are those that a test takes: two of them, others for each file,
// and all with OFFLINK_ALL_COMPILERS, as the gate sets it.
func compilersOfFile(file string) (list []clangLevel) {
	first := int(crc32.ChecksumIEEE([]byte(file)))
	for i, c := range compilers {
		if (first+i)%4 == 0 || os.Getenv("OFFLINK_ALL_COMPILERS") != "" {
			list = append(list, c)
		}
	}
	return list
}

// eachCompiler runs a test with a file of kernels that each of the file's
// compilers made and spirv/fromir translated.
func eachCompiler(t *testing.T, file string, test func(t *testing.T, p *testProgram)) {
	t.Helper()
	source := filepath.Join("testdata/kernels", file)
	for _, c := range compilersOfFile(file) {
		t.Run(c.clang+c.level, func(t *testing.T) {
			testtool.Need(t, c.clang)
			bc := filepath.Join(t.TempDir(), "a.bc")
			standard := []string{"-cl-std=CL3.0"}
			if c.clang == "clang-14" { // its built-in header lacks functions
				standard = []string{"-cl-std=CL2.0", "-Xclang", "-finclude-default-header"}
			}
			args := append([]string{"--target=spir64-unknown-unknown", "-x", "cl", c.level, "-emit-llvm", "-c", source, "-o", bc}, standard...)
			if log, err := tool(c.clang, args...); err != nil {
				t.Skipf("%s does not take it: %s", c.clang, log)
			}
			test(t, buildModules(t, Options{}, driver.BuildOptions{}, module(file, translateHere(t, bc))))
		})
	}
}
