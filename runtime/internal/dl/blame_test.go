//go:build linux && amd64

package dl

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// endVariable has the way in which a child process ends, and the library that ends it.
const endVariable, libraryVariable = "OFFLINK_TEST_END", "OFFLINK_TEST_END_LIBRARY"

// TestCulprit: the message about a process that a library ends names it, and there is none
// where something else ends it, or a nil pointer is recovered from meanwhile.
func TestCulprit(t *testing.T) {
	if way := os.Getenv(endVariable); way != "" {
		endProcess(t, way)
		return
	}
	path := buildLibrary(t, "end")
	for way, want := range map[string]bool{
		"end_by_exit": true, "end_by_abort": true, "end_by_crash": true, "end_by_division": true,
		"go": false, "end_by_exit outside": false, "end_by_abort outside": false, "end_by_crash outside": false,
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCulprit$")
		cmd.Env = append(os.Environ(), endVariable+"="+way, libraryVariable+"="+path)
		out, err := cmd.CombinedOutput()
		told := strings.Count(string(out), "offlink: the test's library ended the process;")
		if want && told != 1 || !want && told != 0 {
			t.Errorf("%s: the message is there %d times: %v\n%.2000s", way, told, err, out)
		}
		if want && err == nil {
			t.Errorf("%s: the process ended with success", way)
		}
		if ended := strings.Contains(string(out), "PASS"); ended != (way == "go") {
			t.Errorf("%s: %v\n%.2000s", way, err, out)
		}
	}
}

func endProcess(t *testing.T, way string) {
	library, err := Open(os.Getenv(libraryVariable))
	if err != nil {
		t.Fatal(err)
	}
	way, outside := strings.CutSuffix(way, " outside")
	err = KeepSignals("the test's library", func() error {
		if way == "go" {
			done := make(chan bool)
			go recoverNil(done)
			<-done
		}
		if way == "go" || outside {
			return nil
		}
		return callEnd(library, way)
	})
	if outside {
		err = callEnd(library, way)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// callEnd calls a function of the library that does not return.
func callEnd(library *Library, name string) error {
	function, err := library.Symbol(name)
	if err != nil {
		return err
	}
	Call(function)
	return nil
}

func recoverNil(done chan bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() { done <- recover() != nil }()
	var none *int
	*none = 1
}
