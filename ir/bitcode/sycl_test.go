package bitcode_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir"
	"offlink/ir/bitcode"
	"offlink/ir/irtext"
	"offlink/split"
)

// The device code of DPC++, bitcode of LLVM 19 to 23: LLVM loads and verifies
// the output, whole and split, and prints the same as for the output that the
// text codec makes of the module's text.
func TestSYCL(t *testing.T) {
	python := testtool.Python(t, "bin/python") // has llvmlite, LLVM 22
	for _, file := range syclFiles(t) {
		dir := filepath.Dir(file)
		t.Run(strings.TrimPrefix(dir, "../../testdata/sycl/"), func(t *testing.T) {
			t.Parallel()
			testSYCL(t, python, file, filepath.Join(dir, "ir.ll"))
		})
	}
}

func testSYCL(t *testing.T, python, bitcodeFile, textFile string) {
	fromBitcode, err := bitcode.Read(bitcodeFile, readFile(t, bitcodeFile))
	if err != nil {
		t.Fatal(err)
	}
	fromText, err := irtext.Parse(textFile, readFile(t, textFile))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "input.bc")}
	put(t, files[0], readFile(t, bitcodeFile))
	add := func(name string, s *ir.Partition) {
		files = append(files, filepath.Join(dir, name))
		put(t, files[len(files)-1], write(t, s))
	}
	add("whole.bc", whole(fromBitcode))
	options := split.Options{Mode: split.Kernel, SpecConstants: split.SpecConstantsNative}
	got, want := images(t, fromBitcode, options), images(t, fromText, options)
	if len(got) != len(want) {
		t.Fatalf("%d images, from text %d", len(got), len(want))
	}
	for i := range got {
		add(fmt.Sprintf("%d.bc", i), &got[i].Partition)
		add(fmt.Sprintf("%d.ll", i), &want[i].Partition)
	}
	printed := printAll(t, python, files)
	same(t, "the module as written differs from the input", canonical(printed[0]), canonical(printed[1]))
	for i := range got {
		same(t, fmt.Sprintf("image %d differs from the text codec's", i), canonical(printed[2*i+3]), canonical(printed[2*i+2]))
	}
}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// printAll returns the modules as LLVM prints them.
func printAll(t testing.TB, python string, files []string) (texts []string) {
	t.Helper()
	out, err := exec.Command(python, append([]string{"testdata/print.py"}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range files {
		texts = append(texts, string(readFile(t, f+".out")))
	}
	return texts
}
