//go:build ignore

// gen writes builtins.txt.zlib: the mangled names of the OpenCL C built-in
// functions, as the headers of the installed clangs declare them.
//
//	go run gen.go clang-15 clang-19
package main

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

func main() {
	log.SetFlags(0)
	names := make(map[string]bool)
	for _, clang := range os.Args[1:] {
		for _, dialect := range dialects {
			if err := collect(clang, dialect, names); err != nil {
				log.Fatalf("%s %q: %v", clang, dialect, err)
			}
		}
	}
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintln(z, name)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("builtins.txt.zlib", b.Bytes(), 0o666); err != nil {
		log.Fatal(err)
	}
}

// dialects are the options that declare other functions: without the generic
// address space pointers are declared once for each of the named ones.
var dialects = [][]string{
	{"-cl-std=CL1.2", "-cl-ext=+all"},
	{"-cl-std=CL2.0", "-cl-ext=+all"},
	{"-cl-std=CL3.0", "-cl-ext=+all"},
	{"-cl-std=CL3.0", "-cl-ext=+all,-__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_device_enqueue"},
}

// collect adds the functions that clang's own OpenCL header declares.
func collect(clang string, dialect []string, names map[string]bool) error {
	empty := filepath.Join(os.TempDir(), "empty.cl")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		return err
	}
	defer os.Remove(empty)
	args := append([]string{
		"-cc1", "-triple", "spir64-unknown-unknown", "-x", "cl", "-finclude-default-header",
		"-ast-dump=json",
	}, dialect...)
	out, err := exec.Command(clang, append(args, empty)...).Output()
	if err != nil {
		return err
	}
	var unit struct {
		Inner []struct{ Kind, MangledName string }
	}
	if err := json.Unmarshal(out, &unit); err != nil {
		return err
	}
	for _, d := range unit.Inner {
		if d.Kind == "FunctionDecl" && d.MangledName != "" {
			names[d.MangledName] = true
		}
	}
	return nil
}
