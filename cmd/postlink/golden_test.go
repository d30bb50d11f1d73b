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
	testscript.Main(m, map[string]func(){program: main, "llvm-spirv-ours": main, peakProgram: peakCommand})
}

// goldenArchive is a file of testdata/postlink.
type goldenArchive struct {
	*txtar.Archive
	path, name string // name is that of the file without its extension
}

// goldenArchives reads all of them.
func goldenArchives(t testing.TB) (list []goldenArchive) {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/postlink/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, goldenArchive{archive, path, strings.TrimSuffix(filepath.Base(path), ".txtar")})
	}
	return list
}

// TestGolden runs the cases of testdata/postlink: inputs, and the outputs of the
// reference tool for them. Where ours is meant to be better, the archive's
// comment says how, and its sections hold the better output.
func TestGolden(t *testing.T) {
	for _, archive := range goldenArchives(t) {
		t.Run(archive.name, func(t *testing.T) {
			for _, c := range goldenCases(archive.Archive) {
				c.run(t)
			}
			if *update {
				if err := os.WriteFile(archive.path, txtar.Format(archive.Archive), 0o644); err != nil {
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
		o := c.execute(t, runProcess)
		lists, err := listings(t, o.modules)
		if err != nil {
			t.Error(err)
		}
		c.compare(t, o.withListings(lists))
	})
}

// compare compares the outputs with those of the archive, or updates these.
func (c *goldenCase) compare(t *testing.T, got map[string][]byte) {
	for name, f := range c.want {
		if name == "cmd" || name == "prep" {
			continue
		}
		data, made := got[name]
		delete(got, name)
		switch {
		case !made:
			t.Errorf("%s is missing", name)
		case name == "stderr": // only whether there are messages
		case *update:
			f.Data = data
		case !bytes.Equal(data, f.Data):
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(string(f.Data), string(data)))
		}
	}
	for name, data := range got {
		t.Errorf("%s was not expected:\n%s", name, data)
	}
}

// goldenOutputs are the outputs of a command: its exit code, messages and files
// by name, and the paths of the modules, which are compared as listings.
type goldenOutputs struct {
	dir     string
	files   map[string][]byte
	modules []string
}

// execute runs the command in a folder of its own.
func (c *goldenCase) execute(t *testing.T, run func(t *testing.T, dir string, words []string) (code int, stderr []byte)) *goldenOutputs {
	o := &goldenOutputs{dir: t.TempDir()}
	for name, data := range c.inputs {
		writeFile(t, filepath.Join(o.dir, name), data)
	}
	c.prepare(t, o.dir)
	before := filesBelow(t, o.dir)
	code, stderr := run(t, o.dir, strings.Fields(string(c.want["cmd"].Data))[1:])
	o.files = map[string][]byte{"exit": []byte(strconv.Itoa(code) + "\n")}
	if len(stderr) > 0 {
		o.files["stderr"] = stderr
	}
	for _, name := range filesBelow(t, o.dir) {
		path := filepath.Join(o.dir, name)
		switch ext := filepath.Ext(name); {
		case slices.Contains(before, name):
		case ext == ".ll" || ext == ".bc":
			o.modules = append(o.modules, path)
		default:
			o.files[name] = readFile(t, path)
		}
	}
	return o
}

// withListings returns the outputs with the listings of the modules.
func (o *goldenOutputs) withListings(lists map[string]string) map[string][]byte {
	for _, path := range o.modules {
		name, _ := filepath.Rel(o.dir, path)
		name = filepath.ToSlash(name)
		o.files[strings.TrimSuffix(name, filepath.Ext(name))+".list"] = []byte(lists[path])
	}
	return o.files
}

// runProcess runs the program as users do, in a process.
func runProcess(t *testing.T, dir string, words []string) (int, []byte) {
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
	return cmd.ProcessState.ExitCode(), stderr.Bytes()
}

// prepare follows the case's prep: line ends, bitcode, folders.
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
