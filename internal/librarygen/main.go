// Librarygen compiles libraries of device functions that are part of the runtime: the
// functions of *.cl in a folder as SPIR-V images, one each, in the order of their names.
//
//	go run offlink/internal/librarygen [-plain] -o FILE CLANG FOLDER
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
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
	output := flag.String("o", "library.bin", "the file to write")
	plain := flag.Bool("plain", false, "do not compress it: for a library of which a launch must not wait")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("librarygen: give a clang and a folder")
	}
	dir, err := os.MkdirTemp("", "librarygen")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	postlink := filepath.Join(dir, "postlink")
	execute("go", "build", "-o", postlink, "offlink/cmd/postlink")
	sources, err := filepath.Glob(filepath.Join(flag.Arg(1), "*.cl"))
	if err != nil {
		log.Fatal(err)
	}
	code := make(map[string][]byte)
	for _, source := range sources {
		compileSource(flag.Arg(0), postlink, source, dir, code)
	}
	data := encodeLibrary(code)
	if !*plain {
		data = encodeBlocks(code)
	}
	if err := os.WriteFile(*output, data, 0o666); err != nil {
		log.Fatal(err)
	}
}

// compileSource adds the functions of a source to code.
func compileSource(clang, postlink, source, dir string, code map[string][]byte) {
	base := filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), ".cl"))
	// -fno-builtin: the loop of memcpy stays a loop.
	execute(clang, "--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O2", "-fno-builtin", "-ffp-contract=off",
		"-fno-slp-vectorize", "-fno-vectorize", "-mllvm", "-replexitval=never", "-I"+includeFolder(),
		"-c", "-emit-llvm", "-o", base+".bc", source)
	execute(postlink, "-split=kernel", "-symbols", "-properties", "-emit-exported-symbols",
		"-device-image-dependencies=externals", "-to=spirv", "-o", base+".table", base+".bc")
	collect(base+".table", code)
}

// includeFolder is that of the project's headers.
func includeFolder() string {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "include")
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

// encodeLibrary writes, for each symbol, a line with its name and size, and the code.
func encodeLibrary(code map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(code)) {
		fmt.Fprintf(&b, "%s %d\n%s", name, len(code[name]), code[name])
	}
	return b.Bytes()
}

// blockSize is the code after which a block ends, before it is compressed. A launch unpacks the
// blocks of the functions that it needs: larger blocks take longer, smaller ones more room.
const blockSize = 48 << 10

// encodeBlocks writes the size of the compressed index, the index and the blocks: see the
// reader, offlink/runtime/devicelib. The index has a line for each symbol, with its name and the
// size of its code, and one after those of a block, with "-" and the compressed size of that.
func encodeBlocks(code map[string][]byte) []byte {
	var index, block, blocks bytes.Buffer
	end := func() {
		data := compressed(block.Bytes())
		fmt.Fprintf(&index, "- %d\n", len(data))
		blocks.Write(data)
		block.Reset()
	}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		fmt.Fprintf(&index, "%s %d\n", name, len(code[name]))
		if block.Write(code[name]); block.Len() >= blockSize {
			end()
		}
	}
	end()
	head := compressed(index.Bytes())
	return slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head, blocks.Bytes())
}

func compressed(data []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
}
