//go:build ignore

// gen writes library.gz: the functions of source/*.cl as SPIR-V images, one
// each, in the order of their names.
//
//	go run gen.go clang-19
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"offlink/filetable"
)

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "devicelib")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	postlink := filepath.Join(dir, "postlink")
	execute("go", "build", "-o", postlink, "offlink/cmd/postlink")
	sources, err := filepath.Glob("source/*.cl")
	if err != nil {
		log.Fatal(err)
	}
	code := make(map[string][]byte)
	for _, source := range sources {
		base := filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), ".cl"))
		// -fno-builtin: the loop of memcpy stays a loop.
		execute(os.Args[1], "--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O2", "-fno-builtin",
			"-fno-slp-vectorize", "-fno-vectorize", "-mllvm", "-replexitval=never", "-I../../include",
			"-c", "-emit-llvm", "-o", base+".bc", source)
		execute(postlink, "-split=kernel", "-symbols", "-properties", "-emit-exported-symbols",
			"-device-image-dependencies=externals", "-to=spirv", "-o", base+".table", base+".bc")
		collect(base+".table", code)
	}
	write(code)
}

func execute(name string, args ...string) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		log.Fatalf("%s %q: %v", name, args, err)
	}
}

// collect adds the images of a table by the symbol that each exports.
func collect(name string, code map[string][]byte) {
	text, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	table, err := filetable.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range table.Rows {
		symbol, err := os.ReadFile(row[2])
		if err != nil {
			log.Fatal(err)
		}
		spirv, err := os.ReadFile(row[0])
		if err != nil {
			log.Fatal(err)
		}
		key := strings.TrimSpace(string(symbol))
		if code[key] != nil || strings.ContainsAny(key, " \n") {
			log.Fatalf("%s: symbol %q is there twice, or is not a single symbol", row[0], key)
		}
		code[key] = spirv
	}
}

// write writes, for each symbol, a line with its name and size, and the code.
func write(code map[string][]byte) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		fmt.Fprintf(z, "%s %d\n%s", name, len(code[name]), code[name])
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("library.gz", b.Bytes(), 0o666); err != nil {
		log.Fatal(err)
	}
}
