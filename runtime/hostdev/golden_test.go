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

// goldens are files of kernels that testdata/golden has compiled, so that a
// checkout without compilers tests the device too.
var goldens = map[string]func(t *testing.T, p *testProgram){
	"control": func(t *testing.T, p *testProgram) {
		testSwap(t, p)
		testSwitches(t, p)
		testTwoEntries(t, p)
		testContinue(t, p)
		testCalls(t, p)
	},
	"barriers": func(t *testing.T, p *testProgram) {
		testReduce(t, p)
		testRotates(t, p)
		testMatmul(t, p)
		testKeeps(t, p)
		testHalo(t, p)
	},
	"groups": func(t *testing.T, p *testProgram) { testGroupInts(t, p); testAsyncCopies(t, p) },
	"memory": func(t *testing.T, p *testProgram) { testConstants(t, p, 1); testGlobals(t, p); testList(t, p) },
	"structs": func(t *testing.T, p *testProgram) {
		testByValue(t, p)
		testCopies(t, p)
		testValues(t, p)
		testOwnCopies(t, p)
	},
	"vectors":    func(t *testing.T, p *testProgram) { testVectors(t, p, 3); testSwizzles(t, p); testShuffles(t, p) },
	"builtins":   func(t *testing.T, p *testProgram) { testRequired(t, p); testSubgroups(t, p); testLinearIDs(t, p) },
	"faults":     func(t *testing.T, p *testProgram) { testDefined(t, p); testFreed(t, p); testArguments(t, p) },
	"throughput": func(*testing.T, *testProgram) {}, // TestThroughputKernels
	"far":        func(*testing.T, *testProgram) {}, // TestFarIndexes
	"bad":        func(*testing.T, *testProgram) {}, // TestBadKernels
	"ended":      testEnded,
	"atomics": func(t *testing.T, p *testProgram) {
		testAtomics[int32](t, p, "int")
		testOldAtomics(t, p)
		testMisaligned(t, p)
	},
}

func TestGoldens(t *testing.T) {
	for name, test := range goldens {
		t.Run(name, func(t *testing.T) {
			golden := filepath.Join("testdata/golden", name+".spv")
			if *update {
				code := compileGolden(t, name)
				if err := os.WriteFile(golden, code, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			code, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range executors {
				t.Run(e.name, func(t *testing.T) {
					test(t, buildModules(t, e.options, driver.BuildOptions{}, module(name, code)))
				})
			}
			t.Run("native", func(t *testing.T) {
				if testing.Short() {
					t.Skip("-short runs no C compiler")
				}
				test(t, buildModules(t, nativeOptions(t, 8), driver.BuildOptions{}, module(name, code)))
			})
		})
	}
}

// compileGolden compiles a file of kernels. Those whose throughput is measured
// are optimized, as users' kernels are.
func compileGolden(t *testing.T, name string) []byte {
	l, options := levels[1], []string(nil)
	if name == "throughput" {
		l, options = levels[2], []string{"-ffp-contract=off", "-fno-vectorize", "-fno-slp-vectorize"}
	}
	return translate(t, bitcode(t, filepath.Join("testdata/kernels", name+".cl"), l, options...), l)
}

// TestGoldensCurrent compares the goldens with their sources.
func TestGoldensCurrent(t *testing.T) {
	testtool.Need(t, "clang-15", "llvm-spirv-15")
	// Debian 12's made them; Ubuntu's 15.0.7 writes other identifiers.
	if out, err := exec.Command("clang-15", "--version").Output(); err != nil || !strings.Contains(string(out), "15.0.6") {
		t.Skipf("clang-15 is not 15.0.6, which made the goldens: %s %v", out, err)
	}
	for name := range goldens {
		code := compileGolden(t, name)
		golden, err := os.ReadFile(filepath.Join("testdata/golden", name+".spv"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(code, golden) {
			t.Errorf("%s.spv is not made of %s.cl; run the tests with -update", name, name)
		}
	}
}
