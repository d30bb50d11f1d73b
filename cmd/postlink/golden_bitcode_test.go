package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"offlink/cmd/internal/cli"
	"offlink/internal/testtool"
)

// TestGoldenBitcode runs the cases of testdata/postlink that ask for text with
// bitcode in and out, made by every version of LLVM: tables, property sets,
// symbol files and listings are those of text.
func TestGoldenBitcode(t *testing.T) {
	archives := goldenArchives(t)
	for _, version := range []string{"14", "15", "16", "19"} {
		testtool.Need(t, "llvm-as-"+version)
		for _, archive := range archives {
			t.Run(version+"/"+archive.name, func(t *testing.T) { testGoldenBitcode(t, archive.Archive, version) })
		}
	}
}

// testGoldenBitcode runs the cases of an archive in this process, and one
// llvm-dis over the modules of all: hundreds of processes take minutes on a busy
// machine. TestGolden starts the program as a process.
func testGoldenBitcode(t *testing.T, archive *txtar.Archive, version string) {
	var cases []*goldenCase
	var outputs []*goldenOutputs
	var modules []string
	for _, c := range goldenCases(archive) {
		if bitcode := c.asBitcode(t, version); bitcode != nil {
			o := bitcode.execute(t, runHere)
			cases, outputs, modules = append(cases, bitcode), append(outputs, o), append(modules, o.modules...)
		}
	}
	lists, err := listings(t, modules)
	if err != nil {
		t.Error(err)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.compare(t, outputs[i].withListings(lists)) })
	}
}

// runHere runs the program in this process, whose folder it changes.
func runHere(t *testing.T, dir string, words []string) (int, []byte) {
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(dir); err != nil {
		t.Fatal(err)
	}
	defer os.Chdir(before)
	in := []byte{}
	if i := slices.Index(words, "<"); i >= 0 {
		in, words = readFile(t, words[i+1]), words[:i]
	}
	var stderr bytes.Buffer
	code := run(words, cli.Streams{In: bytes.NewReader(in), Out: io.Discard, Err: &stderr})
	return code, stderr.Bytes()
}

// bitcodeOutput turns the wanted output for text into that for bitcode: tables name .bc files,
// and a module from standard input keeps the name in its source_filename record,
// which llvm-as gave it, where text without that line is "<stdin>".
func bitcodeOutput(name string, data []byte) []byte {
	switch filepath.Ext(name) {
	case ".table", ".files":
		return bytes.ReplaceAll(data, []byte(".ll"), []byte(".bc"))
	case ".list":
		return bytes.ReplaceAll(data, []byte(`source_filename = "<stdin>"`), []byte(`source_filename = "in.ll"`))
	}
	return data
}

// asBitcode returns the case with bitcode of that LLVM version for text on
// both sides, nil where it has no such form.
func (c *goldenCase) asBitcode(t *testing.T, version string) *goldenCase {
	words := strings.Fields(string(c.want["cmd"].Data))
	text := slices.Index(words, "-S")
	if *update || text < 0 || c.want["prep"] != nil {
		return nil
	}
	words = slices.Delete(words, text, text+1)
	made := &goldenCase{name: c.name, archive: c.archive, inputs: map[string][]byte{}, want: map[string]*txtar.File{}}
	for i, word := range words {
		data, isInput := c.inputs[word]
		if !isInput || !strings.HasSuffix(word, ".ll") {
			continue
		}
		bitcode := assemble(t, version, word, data)
		if bitcode == nil {
			return nil // the case is about the fault in the text
		}
		words[i] = strings.TrimSuffix(word, ".ll") + ".bc"
		made.inputs[words[i]] = bitcode
	}
	for name, f := range c.want {
		made.want[name] = &txtar.File{Name: f.Name, Data: bitcodeOutput(name, f.Data)}
	}
	made.want["cmd"].Data = []byte(strings.Join(words, " "))
	return made
}

// assemble makes bitcode of text in a file of that name; nil if LLVM refuses.
// Bitcode is kept, as the cases of an archive share inputs.
func assemble(t *testing.T, version, name string, text []byte) []byte {
	key := [3]string{version, name, string(text)}
	if bitcode, known := assembled[key]; known {
		return bitcode
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, name), text)
	args := []string{name, "-o", "out.bc"}
	if version == "14" {
		args = append(args, "-opaque-pointers")
	}
	cmd := exec.Command("llvm-as-"+version, args...)
	cmd.Dir = dir
	assembled[key] = nil
	if cmd.Run() == nil {
		assembled[key] = readFile(t, filepath.Join(dir, "out.bc"))
	}
	return assembled[key]
}

// assembled has bitcode by LLVM version, file name and text. Cases are made one
// after the other, before they run in parallel.
var assembled = map[[3]string][]byte{}
