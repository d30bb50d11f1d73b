package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"offlink/filetable"
	"offlink/props"
)

// TestSYCL splits the device code that DPC++ made of the programs in
// testdata/sycl and compares with the splitter that was released with it:
// the images in their order, symbol files, property sets, and the functions
// that each image defines and declares. The recorded file
// PROGRAM/RUNTIME/SPLIT[-deps].txtar has N.prop and N.sym as they were written,
// and in N.names the linkage names of the SPIR-V made of the image.
func TestSYCL(t *testing.T) {
	modules, err := filepath.Glob("../../testdata/sycl/*/*/ir.ll")
	if err != nil || len(modules) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, module := range modules {
		dir := filepath.Dir(module)
		cases, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		if err != nil || len(cases) == 0 {
			t.Fatalf("%s: no cases (%v)", dir, err)
		}
		for _, path := range cases {
			name := strings.TrimPrefix(strings.TrimSuffix(path, ".txtar"), "../../testdata/sycl/")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				testSYCL(t, module, path)
			})
			t.Run(name+".bc", func(t *testing.T) {
				t.Parallel()
				testSYCL(t, strings.TrimSuffix(module, "ll")+"bc", path)
			})
		}
	}
}

func testSYCL(t *testing.T, module, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string][]byte{}
	for _, f := range archive.Files {
		recorded[f.Name] = f.Data
	}
	runtime := filepath.Base(filepath.Dir(path))
	name, dependencies := strings.CutSuffix(strings.TrimSuffix(filepath.Base(path), ".txtar"), "-deps")
	dir := t.TempDir()
	code, stderr := runSYCL(dir, module, name, runtime[:4], dependencies)
	if fails := strings.TrimSpace(string(recorded["exit"])) != "0"; fails || code != 0 {
		if !fails || code == 0 {
			t.Fatalf("exit code %d; the recorded one is %s\n%s", code, recorded["exit"], stderr)
		}
		return
	}
	want, got := recordedImages(t, recorded), writtenImages(t, dir)
	if runtime == "2026.2.0" && dependencies {
		want, got = withoutLibrary(want), withoutLibrary(got)
	}
	if len(want) != len(got) {
		t.Fatalf("%d images, want %d", len(got), len(want))
	}
	for i := range want {
		compareImages(t, fmt.Sprintf("image %d", i), want[i], got[i], runtime)
	}
}

// runSYCL runs postlink as the run-time compiler of DPC++ does, in this process:
// starting a process for each of the 250 cases costs more than splitting.
func runSYCL(dir, module, mode, dialect string, dependencies bool) (code int, stderr string) {
	args := append(splitArgs(mode, dialect, dependencies),
		"-emit-param-info", "-emit-program-metadata", "-device-globals",
		"-emit-exported-symbols", "-emit-imported-symbols", "-emit-kernel-names")
	if strings.HasSuffix(module, ".ll") {
		args = append(args, "-S")
	}
	return runIn(append(args, "-o", filepath.Join(dir, "out.table"), module)...)
}

// splitArgs are the options that the name of a recorded file stands for.
func splitArgs(mode, dialect string, dependencies bool) []string {
	args := []string{"-symbols", "-properties", "-dialect=" + dialect}
	if mode != "none" {
		args = append(args, "-split="+mode)
	}
	if dependencies {
		return append(args, "-allow-device-image-dependencies")
	}
	return append(args, "-emit-only-kernels-as-entry-points")
}

// syclImage has the parts of an image that are compared, as sets.
type syclImage struct {
	symbols           []string
	properties        []string // "set: name=type|value"
	defined, declared []string // functions
	mergeable         []string // the functions of LinkOnceODR linkage among those defined
	named             bool     // whether these are known
}

func recordedImages(t *testing.T, recorded map[string][]byte) []syclImage {
	var images []syclImage
	for n := 0; recorded[strconv.Itoa(n)+".sym"] != nil; n++ {
		prefix := strconv.Itoa(n)
		i := syclImage{symbols: filetable.ParseSymbols(recorded[prefix+".sym"]), properties: propertyLines(t, recorded[prefix+".prop"])}
		for line := range strings.Lines(string(recorded[prefix+".names"])) {
			words := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
			switch {
			case words[0] == "entry": // 2025.3.3 gives kernels linkage too, 2026.2.0 does not
				i.defined = append(i.defined, strings.Join(words[1:], " "))
			case words[1] != "function":
			case words[0] == "import":
				i.declared = append(i.declared, words[2])
			case words[0] == "linkonceodr":
				i.mergeable = append(i.mergeable, words[2])
				i.defined = append(i.defined, words[2])
			default:
				i.defined = append(i.defined, words[2])
			}
		}
		images = append(images, i)
	}
	return images
}

func writtenImages(t *testing.T, dir string) []syclImage {
	table, err := filetable.Parse(readFile(t, filepath.Join(dir, "out.table")))
	if err != nil {
		t.Fatal(err)
	}
	var images []syclImage
	for row := range table.Rows {
		read := func(column string) []byte { return readFile(t, table.Cell(row, column)) }
		i := syclImage{symbols: filetable.ParseSymbols(read(filetable.ColumnSymbols)), properties: propertyLines(t, read(filetable.ColumnProperties))}
		if code := read(filetable.ColumnCode); !bytes.HasPrefix(code, []byte("BC")) {
			i.defined, i.declared, i.mergeable = functionNames(code)
			i.named = true
		}
		images = append(images, i)
	}
	return images
}

var (
	syclFunction = regexp.MustCompile(`(?m)^(define|declare) (.*?)@("(?:[^"\\]|\\.)*"|[-a-zA-Z$._0-9]+)\(`)
	escape       = regexp.MustCompile(`\\[0-9A-Fa-f]{2}`)
)

// functionNames returns the names of the visible functions that a module
// defines, of those that it declares, and of those among the former that a
// translator gives LinkOnceODR linkage.
func functionNames(text []byte) (defined, declared, mergeable []string) {
	for _, m := range syclFunction.FindAllSubmatch(text, -1) {
		name := escape.ReplaceAllStringFunc(strings.Trim(string(m[3]), `"`), func(e string) string {
			n, _ := strconv.ParseUint(e[1:], 16, 8)
			return string(rune(n))
		})
		if string(m[1]) == "declare" {
			declared = append(declared, name)
		} else if l := linkageOf(strings.Fields(string(m[2]))); l != "internal" && l != "private" && l != "available_externally" {
			defined = append(defined, name)
			if l == "linkonce_odr" {
				mergeable = append(mergeable, name)
			}
		}
	}
	return defined, declared, mergeable
}

// propertyLines lists properties. The names in one value are in the order of a
// hash table, and are sorted.
func propertyLines(t *testing.T, text []byte) []string {
	sets, err := props.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, set := range sets.All {
		for _, p := range set.Properties {
			value := p.Value
			if p.Name == "uses-virtual-functions-set" {
				names := strings.Split(string(value.Data()), ",")
				slices.Sort(names)
				value = props.String(strings.Join(names, ","))
			}
			lines = append(lines, fmt.Sprintf("[%s] %s=%d|%d %x", set.Name, p.Name, value.Type(), value.Uint32(), value.Raw()))
		}
	}
	return lines
}

// Functions of device libraries: the run-time compiler of 2026.2.0 links
// their bodies in before it splits, where they become entry points and images.
var libraryName = regexp.MustCompile(`^(c?(abs|cos|exp2|hypot)f?|__assert_fail|__devicelib_\w+)$`)

func withoutLibrary(images []syclImage) []syclImage {
	var out []syclImage
	for _, i := range images {
		i.symbols = slices.DeleteFunc(i.symbols, libraryName.MatchString)
		if len(i.symbols) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// Names that do not outlive the translation to SPIR-V, or come from it.
var reservedName = regexp.MustCompile(`^(llvm\.|spirv\.|__|_Z\d+__(spirv|sycl|esimd)_)`)

func compareImages(t *testing.T, label string, want, got syclImage, runtime string) {
	compareSets(t, label+": symbols", want.symbols, got.symbols)
	keep := func(lines []string) []string {
		return slices.DeleteFunc(lines, func(l string) bool {
			// 0 in 2025.3.3, not written in 2026.2.0.
			if strings.HasPrefix(l, "["+props.SetDevicelibReqMask) {
				return runtime == "2025.3.3"
			}
			rest, symbols := strings.CutPrefix(strings.TrimPrefix(l, "["+props.SetExportedSymbols+"] "), "["+props.SetImportedSymbols+"] ")
			name, _, _ := strings.Cut(rest, "=")
			return runtime == "2026.2.0" && (symbols || rest != l) && libraryName.MatchString(name)
		})
	}
	compareSets(t, label+": properties", keep(want.properties), keep(got.properties))
	if !got.named {
		return
	}
	plain := func(names []string) []string {
		return slices.DeleteFunc(names, func(n string) bool { return reservedName.MatchString(n) || libraryName.MatchString(n) })
	}
	compareSets(t, label+": definitions", plain(want.defined), plain(got.defined))
	compareSets(t, label+": LinkOnceODR", plain(want.mergeable), plain(got.mergeable))
	compareSets(t, label+": declarations", plain(want.declared), plain(got.declared))
}

func compareSets(t *testing.T, label string, want, got []string) {
	t.Helper()
	sorted := func(list []string) []string {
		list = slices.Clone(list)
		slices.Sort(list)
		return slices.Compact(list)
	}
	want, got = sorted(want), sorted(got)
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%s: missing %s", label, w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("%s: extra %s", label, g)
		}
	}
}
