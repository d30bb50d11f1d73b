package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
)

// otherLibrary is the library's device code with a function that shifts by 2 and
// not by 1.
func otherLibrary(t *testing.T) []byte {
	t.Helper()
	code, err := os.ReadFile("../drivertest/testdata/lib.spv")
	if err != nil {
		t.Fatal(err)
	}
	const opConstant = 4<<16 | 43 // four words: itself, type, id, value
	for at := 20; at < len(code); {
		word := binary.LittleEndian.Uint32(code[at:])
		if word == opConstant && binary.LittleEndian.Uint32(code[at+12:]) == 1 {
			code[at+12]++
			return code
		}
		at += 4 * int(word>>16)
	}
	t.Fatal("lib.spv has no constant 1")
	return nil
}

// TestDuplicates runs a C program that has two definitions of a function.
func TestDuplicates(t *testing.T) {
	testtool.Need(t, "gcc")
	w := newWorkshop(t)
	code, err := os.ReadFile("../drivertest/testdata/lib.spv")
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(w.dir, "other.o")
	object := bytes.Replace(wrapModule(t, "lib", nil, []string{"LibDeviceFunc"}), code, otherLibrary(t), 1)
	if err := os.WriteFile(other, object, 0o666); err != nil {
		t.Fatal(err)
	}
	w.compile(t, "gcc", "testdata/drivers/duplicates.c", "-o", "duplicates", "-L"+w.lib, "-L"+w.dir, "-Wl,--no-as-needed", "app.o", "-lhelpers", "-lofflink")
	cmd := exec.Command(filepath.Join(w.dir, "duplicates"), other)
	cmd.Env = w.environment()
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "1 warning\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
