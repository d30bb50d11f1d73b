package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"offlink/internal/testtool"
)

// TestGoldenBitcode runs the cases of testdata/postlink that ask for text with
// bitcode in and out, made by every version of LLVM: tables, property sets,
// symbol files and listings are those of text.
func TestGoldenBitcode(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/postlink/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, version := range []string{"14", "15", "16", "19"} {
		testtool.Need(t, "llvm-as-"+version)
		for _, path := range archives {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(path), ".txtar")
			t.Run(version+"/"+name, func(t *testing.T) {
				for _, c := range goldenCases(archive) {
					if bitcode := c.asBitcode(t, version); bitcode != nil {
						bitcode.run(t)
					}
				}
			})
		}
	}
}

// unlikeText are cases whose result depends on the input being text: the name
// of a module from standard input, and tables that do not end in ".table", of
// which the names of modules are not changed here.
var unlikeText = []string{"stdin", "stdin_implicit", "default_name", "unmodified"}

// asBitcode returns the case with bitcode of that LLVM version for text on
// both sides, nil where it has no such form.
func (c *goldenCase) asBitcode(t *testing.T, version string) *goldenCase {
	words := strings.Fields(string(c.want["cmd"].Data))
	text := slices.Index(words, "-S")
	if *update || text < 0 || c.want["prep"] != nil || slices.Contains(unlikeText, c.name) {
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
			return nil // what is wrong with the text is the case
		}
		words[i] = strings.TrimSuffix(word, ".ll") + ".bc"
		made.inputs[words[i]] = bitcode
	}
	for name, f := range c.want {
		made.want[name] = &txtar.File{Name: f.Name, Data: f.Data}
		if strings.HasSuffix(name, ".table") {
			made.want[name].Data = bytes.ReplaceAll(f.Data, []byte(".ll"), []byte(".bc"))
		}
	}
	made.want["cmd"].Data = []byte(strings.Join(words, " "))
	return made
}

// assemble makes bitcode of text in a file of that name; nil if LLVM refuses.
func assemble(t *testing.T, version, name string, text []byte) []byte {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, name), text)
	args := []string{name, "-o", "out.bc"}
	if version == "14" {
		args = append(args, "-opaque-pointers")
	}
	cmd := exec.Command("llvm-as-"+version, args...)
	cmd.Dir = dir
	if cmd.Run() != nil {
		return nil
	}
	return readFile(t, filepath.Join(dir, "out.bc"))
}
