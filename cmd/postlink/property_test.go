package main

import (
	"bytes"
	"encoding/hex"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"offlink/cmd/internal/cli"
	"offlink/filetable"
	"offlink/internal/irgen"
	"offlink/internal/testtool"
	"offlink/ir"
	"offlink/ir/irtext"
)

// runIn runs the program in this process and returns the exit code and its
// messages.
func runIn(args ...string) (code int, stderr string) {
	var said bytes.Buffer
	code = run(args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &said})
	return code, said.String()
}

// The outputs are a function of input and options: not of the number of jobs,
// nor of earlier runs.
func TestOutputsDoNotDependOnJobs(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.ll")
	var text bytes.Buffer
	if err := irgen.Write(&text, irgen.Config{Kernels: 60, Debug: true}); err != nil {
		t.Fatal(err)
	}
	writeFile(t, input, text.Bytes())
	var first map[string]string
	for _, jobs := range []string{"1", "2", "7", "1"} {
		out := t.TempDir()
		if code, stderr := runIn("-split=kernel", "-symbols", "-properties", "-S", "-j", jobs, "-out-dir="+out, "-o", filepath.Join(out, "out.table"), input); code != 0 {
			t.Fatal(stderr)
		}
		got := map[string]string{}
		for _, name := range filesBelow(t, out) {
			got[name] = strings.ReplaceAll(string(readFile(t, filepath.Join(out, name))), out, "")
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("-j %s (-first +this):\n%.2000s", jobs, diff)
		}
	}
	if want := 3*60 + 1; len(first) != want {
		t.Errorf("%d files, want %d", len(first), want)
	}
}

// goldenModules returns the inputs of testdata/postlink that are modules.
func goldenModules(t testing.TB) map[string][]byte {
	archives, err := filepath.Glob("../../testdata/postlink/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	modules := map[string][]byte{}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".ll") && !strings.Contains(f.Name, "/") && !strings.HasPrefix(f.Name, "bad") {
				modules[filepath.Base(path)+"-"+f.Name] = f.Data
			}
		}
	}
	return modules
}

// splitOptions are ways to split that the tests below try.
var splitOptions = [][]string{
	{"-split=kernel"},
	{"-split=source", "-device-image-dependencies=externals"},
	{"-split=kernel", "-device-image-dependencies=all"},
	{"-symbols"},
	{"-split=auto", "-split-esimd", "-spec-const=native", "-device-global-decorations=final"},
	{"-split=kernel", "-spec-const=emulation", "-generate-device-image-default-spec-consts", "-device-global-decorations=draft"},
	{"-split=auto", "-ir-output-only", "-emit-only-kernels-as-entry-points"},
}

// LLVM's verifier accepts every module that is written.
func TestVerifierAcceptsOutputs(t *testing.T) {
	opt := testtool.Path(t, "opt-19")
	for name, module := range goldenModules(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verified := map[string]bool{} // most options make some of the same images
			for _, options := range splitOptions {
				dir := t.TempDir()
				input := filepath.Join(dir, "in.ll")
				writeFile(t, input, module)
				out := filepath.Join(dir, "out")
				if slices.Contains(options, "-ir-output-only") {
					out += ".ll"
				}
				if code, stderr := runIn(append(slices.Clone(options), "-S", "-o", out, input)...); code != 0 {
					if strings.Contains(stderr, "cannot be an emulated specialization constant") && slices.Contains(options, "-spec-const=emulation") {
						continue // refused by design
					}
					t.Fatalf("%v: %s", options, stderr)
				}
				outputs, _ := filepath.Glob(filepath.Join(dir, "out*.ll"))
				for _, path := range outputs {
					text := string(readFile(t, path))
					if verified[text] {
						continue
					}
					verified[text] = true
					if said, err := exec.Command(opt, "-passes=verify", "-disable-output", path).CombinedOutput(); err != nil {
						t.Errorf("%v: %s: %v\n%s\n%s", options, filepath.Base(path), err, said, text)
					}
				}
			}
		})
	}
}

// Linking the images of a split again gives back every entry point with its
// body: nothing of it was lost, and images do not get into each other's way.
// Variables that every image defines become weak for the linker here, as the
// runtime's linking takes one of definitions that are equal.
func TestMergedImagesHaveTheEntryPoints(t *testing.T) {
	link := testtool.Path(t, "llvm-link-19")
	modules := goldenModules(t)
	for _, name := range []string{
		"aliases.txtar-in.ll", "aspect_groups.txtar-in.ll",
		"call_layers.txtar-in.ll", "cyclic_data.txtar-in.ll", "debug_units.txtar-in.ll", "export_import.txtar-in.ll",
		"globals_shared.txtar-in.ll", "kernel_name_order.txtar-in.ll", "linkages_comdats.txtar-in.ll",
		"split_modes.txtar-in.ll", "tables_of_functions.txtar-in.ll", "virtual_sets.txtar-in.ll",
	} {
		for _, mode := range []string{"-split=kernel", "-split=source"} {
			t.Run(name+mode, func(t *testing.T) {
				t.Parallel()
				testMerge(t, link, modules[name], mode)
			})
		}
	}
	var generated bytes.Buffer
	if err := irgen.Write(&generated, irgen.Config{Kernels: 40, Debug: true}); err != nil {
		t.Fatal(err)
	}
	t.Run("generated", func(t *testing.T) { testMerge(t, link, generated.Bytes(), "-split=kernel") })
}

var sharedDefinition = regexp.MustCompile(`(?m)^(@[^ ]+ = )(dso_local )?((?:local_unnamed_addr |unnamed_addr )?(?:addrspace\(\d+\) )?(?:global|constant|alias) )`)

func testMerge(t *testing.T, link string, module []byte, mode string) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.ll")
	writeFile(t, input, module)
	if code, stderr := runIn(mode, "-symbols", "-S", "-o", filepath.Join(dir, "out.table"), input); code != 0 {
		t.Fatal(stderr)
	}
	table, err := filetable.Parse(readFile(t, filepath.Join(dir, "out.table")))
	if err != nil {
		t.Fatal(err)
	}
	var images, entries []string
	for row := range table.Rows {
		path := table.Cell(row, filetable.ColumnCode)
		writeFile(t, path, sharedDefinition.ReplaceAll(readFile(t, path), []byte("${1}weak $2$3")))
		images = append(images, path)
		entries = append(entries, filetable.ParseSymbols(readFile(t, table.Cell(row, filetable.ColumnSymbols)))...)
	}
	merged := filepath.Join(dir, "merged.ll")
	if said, err := exec.Command(link, append([]string{"-S", "-o", merged}, images...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	before, err := pipe(t, "llvm-as-19", module)
	if err != nil {
		t.Fatal(err)
	}
	text, err := pipe(t, "llvm-dis-19", before)
	if err != nil {
		t.Fatal(err)
	}
	want, got := bodies(text), bodies(readFile(t, merged))
	for _, entry := range entries {
		if diff := cmp.Diff(want[entry], got[entry]); diff != "" || got[entry] == "" {
			t.Errorf("@%s (-input +merged):\n%s", entry, diff)
		}
	}
}

var (
	definition = regexp.MustCompile(`(?m)^define [^\n]*?@("[^"]*"|[-a-zA-Z$._0-9]+)\([^\n]*\{\n((?:[^}\n][^\n]*\n|\n)*)\}`)
	nodeNumber = regexp.MustCompile(`!\d+`)
	attributes = regexp.MustCompile(` #\d+`)
	suffixed   = regexp.MustCompile(`(@[-a-zA-Z$_0-9]+?)\.\d+\b`)
)

// bodies returns the bodies of the functions of a module as LLVM prints it,
// without the numbers of metadata and attributes, and without the suffixes by
// which the linker tells local symbols apart.
func bodies(text []byte) map[string]string {
	out := map[string]string{}
	for _, m := range definition.FindAllSubmatch(text, -1) {
		body := nodeNumber.ReplaceAll(attributes.ReplaceAll(m[2], nil), []byte("!N"))
		name := escape.ReplaceAllStringFunc(strings.Trim(string(m[1]), `"`), func(e string) string {
			b, _ := hex.DecodeString(e[1:])
			return string(b)
		})
		out[name] = string(suffixed.ReplaceAll(body, []byte("$1")))
	}
	return out
}

// checkOutputs is the property of the fuzz target: a run fails and leaves
// nothing, or its images parse again and have every entry point, once or, with
// copies of images, at most twice.
func checkOutputs(t *testing.T, dir string, code int, stderr string, before []string, most int) {
	t.Helper()
	if code != 0 {
		if stderr == "" {
			t.Error("the run failed without a word")
		}
		if left := filesBelow(t, dir); !slices.Equal(left, before) {
			t.Errorf("the run failed (%s) and left %v", stderr, left)
		}
		return
	}
	table, err := filetable.Parse(readFile(t, filepath.Join(dir, "out.table")))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for row := range table.Rows {
		path := table.Cell(row, filetable.ColumnCode)
		m, err := irtext.Parse(path, readFile(t, path))
		if err != nil {
			t.Errorf("an output does not parse: %v\n%s", err, readFile(t, path))
			continue
		}
		for _, name := range filetable.ParseSymbols(readFile(t, table.Cell(row, filetable.ColumnSymbols))) {
			if id, ok := m.Lookup(name); !ok || m.Values[id].Declaration {
				t.Errorf("image %d does not define its entry point %q", row, name)
			}
			seen[name]++
		}
	}
	for name, n := range seen {
		if n > most {
			t.Errorf("%d images have the entry point %q", n, name)
		}
	}
	checkCovered(t, filepath.Join(dir, "in.ll"), seen)
}

// checkCovered looks for kernels of the input that no image has.
func checkCovered(t *testing.T, input string, seen map[string]int) {
	t.Helper()
	m, err := irtext.Parse(input, readFile(t, input))
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Values {
		v := &m.Values[i]
		if v.Kind == ir.Function && !v.Declaration && m.CallingConv(v) == "spir_kernel" && seen[v.Name] == 0 {
			t.Errorf("no image has the kernel %q", v.Name)
		}
	}
}

// FuzzSplit splits whatever parses, in the ways of splitOptions that make
// tables.
func FuzzSplit(f *testing.F) {
	for _, module := range goldenModules(f) {
		for way := range 6 {
			f.Add(module, uint8(way))
		}
	}
	f.Fuzz(func(t *testing.T, module []byte, way uint8) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "in.ll"), module)
		before := filesBelow(t, dir)
		args := append(slices.Clone(splitOptions[int(way)%6]), "-symbols", "-properties", "-emit-param-info", "-emit-program-metadata",
			"-emit-exported-symbols", "-emit-imported-symbols", "-device-globals", "-S", "-j", "2", "-o", filepath.Join(dir, "out.table"))
		code, stderr := runIn(append(args, filepath.Join(dir, "in.ll"))...)
		most := 1
		if slices.Contains(args, "-generate-device-image-default-spec-consts") {
			most = 2
		}
		checkOutputs(t, dir, code, stderr, before, most)
	})
}
