package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"offlink/internal/testtool"
)

// TestScripts runs the scripts of testdata/script. $TESTDATA is the folder
// that the packages share.
func TestScripts(t *testing.T) {
	shared, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Condition:     hasTool,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TESTDATA", shared)
			return nil
		},
	})
}

// hasTool is the condition [tool:NAME]. Where tools are required it is true,
// so that a script without them fails, but for those that the system does not
// offer.
func hasTool(condition string) (bool, error) {
	const prefix = "tool:"
	if len(condition) <= len(prefix) || condition[:len(prefix)] != prefix {
		return false, os.ErrInvalid
	}
	tool := condition[len(prefix):]
	return testtool.Installed(tool) || testtool.Expected(tool), nil
}
