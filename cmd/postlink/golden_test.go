package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"offlink/internal/testtool"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected output of the scripts and of testdata/postlink")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: main})
}

// TestGolden runs the cases of testdata/postlink: inputs, and what the
// reference tool wrote for them. Where ours is meant to be better, the
// archive's comment says how, and its sections hold what is better.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/postlink/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			for _, c := range goldenCases(archive) {
				c.run(t)
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// goldenCase is one command line of an archive.
type goldenCase struct {
	name    string
	archive *txtar.Archive
	inputs  map[string][]byte
	want    map[string]*txtar.File // by name without the case's; cmd and prep too
}

func goldenCases(archive *txtar.Archive) []*goldenCase {
	inputs := map[string][]byte{}
	var cases []*goldenCase
	for i := range archive.Files {
		f := &archive.Files[i]
		name, file, inCase := strings.Cut(f.Name, "/")
		if !inCase {
			inputs[f.Name] = f.Data
			continue
		}
		if len(cases) == 0 || cases[len(cases)-1].name != name {
			cases = append(cases, &goldenCase{name, archive, inputs, map[string]*txtar.File{}})
		}
		cases[len(cases)-1].want[file] = f
	}
	return cases
}

func (c *goldenCase) run(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		if !*update {
			t.Parallel()
		}
		got := c.outputs(t)
		for name, f := range c.want {
			if name == "cmd" || name == "prep" {
				continue
			}
			data, made := got[name]
			delete(got, name)
			switch {
			case !made:
				t.Errorf("%s is missing", name)
			case name == "stderr": // only whether something is said
			case *update:
				f.Data = data
			case !bytes.Equal(data, f.Data):
				t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(string(f.Data), string(data)))
			}
		}
		for name, data := range got {
			t.Errorf("%s was not expected:\n%s", name, data)
		}
	})
}

// outputs runs the command and returns what it made, modules as listings.
func (c *goldenCase) outputs(t *testing.T) map[string][]byte {
	dir := t.TempDir()
	for name, data := range c.inputs {
		writeFile(t, filepath.Join(dir, name), data)
	}
	c.prepare(t, dir)
	before := filesBelow(t, dir)
	words := strings.Fields(string(c.want["cmd"].Data))[1:]
	cmd := exec.Command(program)
	cmd.Dir = dir
	if i := slices.Index(words, "<"); i >= 0 {
		in, err := os.Open(filepath.Join(dir, words[i+1]))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd.Stdin, words = in, words[:i]
	}
	cmd.Args = append(cmd.Args, words...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	got := map[string][]byte{"exit": []byte(strconv.Itoa(cmd.ProcessState.ExitCode()) + "\n")}
	if stderr.Len() > 0 {
		got["stderr"] = stderr.Bytes()
	}
	for _, name := range filesBelow(t, dir) {
		if slices.Contains(before, name) {
			continue
		}
		data := readFile(t, filepath.Join(dir, name))
		if ext := filepath.Ext(name); ext == ".ll" || ext == ".bc" {
			list, err := listing(t, data)
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, data)
			}
			name, data = strings.TrimSuffix(name, ext)+".list", []byte(list)
		}
		got[name] = data
	}
	return got
}

// prepare does what the case's prep says: line ends, bitcode, folders.
func (c *goldenCase) prepare(t *testing.T, dir string) {
	prep := c.want["prep"]
	if prep == nil {
		return
	}
	for line := range strings.Lines(string(prep.Data)) {
		words := strings.Fields(line)
		path := filepath.Join(dir, words[1])
		switch words[0] {
		case "crlf":
			writeFile(t, path, bytes.ReplaceAll(readFile(t, path), []byte("\n"), []byte("\r\n")))
		case "as":
			testtool.Path(t, "llvm-as-19")
			cmd := exec.Command("llvm-as-19", words[1], "-o", words[2])
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		case "mkdir":
			if err := os.Mkdir(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func filesBelow(t *testing.T, dir string) []string {
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
