package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: main, peakProgram: peakCommand})
}

// TestScripts runs the scripts of testdata/script. $GOLDEN is the folder of
// the reference tool's objects.
func TestScripts(t *testing.T) {
	golden, err := filepath.Abs("../../testdata/wrapper")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOLDEN", golden)
			return os.CopyFS(filepath.Join(e.WorkDir, "in"), os.DirFS(filepath.Join(golden, "inputs")))
		},
	})
}
