package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// golden compares our images of SYCL programs with those of DPC++'s own post-link, the
// "real" one.
type golden struct {
	options
	imageMaker
	out      io.Writer
	kinds    map[string]int    // of differences
	examples map[string]string // the first of each kind
	images   int
	failed   bool
}

// imageMaker makes images with the postlink of this tree, in a temporary folder.
type imageMaker struct{ dir, postlink string }

func newImageMaker() (m imageMaker, err error) {
	if m.dir, err = os.MkdirTemp("", "conformance"); err == nil {
		m.postlink, err = buildPostlink(m.dir)
	}
	return m, err
}

func (m *imageMaker) close() { os.RemoveAll(m.dir) }

// imageFacts are the facts of the images of each split, "PROGRAM RELEASE SPLIT".
type imageFacts map[string][][]string

// expectedDifferences are the differences that have a reason, by the side that has the
// fact and the beginning of the fact.
var expectedDifferences = []struct{ side, fact, reason string }{
	{"both", "version", "postlink writes 1.3 into every module, so that all can be linked; -spirv-version changes it"},
	{"only real", "OpExtension \"SPV_KHR_expect_assume\"", "hints are left out unless -spirv-ext allows them"},
	{"only real", "OpCapability ExpectAssumeKHR", "hints are left out unless -spirv-ext allows them"},
	{"only real", "OpDecorate of a value: NoSignedWrap", "hints are left out unless -spirv-ext allows them"},
	{"only real", "OpDecorate of a value: NoUnsignedWrap", "hints are left out unless -spirv-ext allows them"},
	{"only real", "OpCapability Int8", "fewer pointers are cast to bytes, so that some modules need no bytes"},
	{"only real", "OpDecorate of a function: LinkageAttributes \"spirv.llvm_mem", "helpers are not exported: images with the same one can be linked"},
	{"only real", "OpDecorate of a parameter: Alignment", "the parameters of those helpers"},
	{"only real", "OpCapability Linkage", "the export of those helpers"},
	{"both", "OpDecorate of a value: Alignment 1", "a memset of a constant copies a variable of the function, not a constant of the module"},
	{"only real", "OpDecorate of a global: Alignment 1", "a memset of a constant copies a variable of the function, not a constant of the module"},
	{"only real", "OpDecorate of a global: Constant", "a memset of a constant copies a variable of the function, not a constant of the module"},
	{"only ours", "specialization constant OpSpecConstantComposite", "the translator of 2025 has constant expressions in an OpConstantComposite, which the specification forbids"},
}

// explain returns the reason of a difference; "" for one that is not expected.
func explain(side, kind string) string {
	for _, e := range expectedDifferences {
		if (e.side == "both" || e.side == side) && strings.HasPrefix(kind, e.fact) {
			return e.reason
		}
	}
	return ""
}

// runGolden reads the facts of the images that the real post-link wrote, from a folder
// of images or a record of them, and makes the same images of INPUT/PROGRAM/RELEASE/ir.bc.
func runGolden(o options, out io.Writer) (failed bool, err error) {
	g := &golden{options: o, out: out, kinds: map[string]int{}, examples: map[string]string{}}
	real, err := readRecord(o.real)
	if info, statErr := os.Stat(o.real); statErr == nil && info.IsDir() {
		real, err = readImages(o.real)
	}
	if err != nil {
		return false, err
	}
	if o.record != "" {
		return false, os.WriteFile(o.record, real.encode(), 0o666)
	}
	g.imageMaker, err = newImageMaker()
	defer g.close()
	if err != nil {
		return false, err
	}
	for _, split := range slices.Sorted(maps.Keys(real)) {
		if err := g.compareSplit(split, real[split]); err != nil {
			fmt.Fprintf(out, "%s: %v\n", split, err)
			g.failed = true
		}
	}
	g.printTable()
	return g.failed, nil
}

// printTable prints each kind of difference.
func (g *golden) printTable() {
	fmt.Fprintf(g.out, "%d images\n| difference | times | example | reason |\n|---|---|---|---|\n", g.images)
	for _, kind := range slices.Sorted(maps.Keys(g.kinds)) {
		side, fact, _ := strings.Cut(kind, ": ")
		reason := explain(side, fact)
		if reason == "" {
			g.failed = true
			reason = "NOT EXPECTED"
		}
		fmt.Fprintf(g.out, "| %s | %d | %s | %s |\n", kind, g.kinds[kind], g.examples[kind], reason)
	}
}

// findImages lists the files DIR/PROGRAM/RELEASE/SPLIT/N.spv by "PROGRAM RELEASE SPLIT",
// in the order of N. A split that the real post-link refuses has no images, and is left
// out; so are the splits of programs for which it links device libraries in first
// (assert_printf of 2026), which are other modules.
func findImages(dir string) (map[string][]string, error) {
	splits, err := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
	if err != nil {
		return nil, err
	}
	images := map[string][]string{}
	for _, split := range splits {
		parts := strings.Split(filepath.ToSlash(split), "/")
		name := strings.Join(parts[len(parts)-3:], " ")
		for n := 0; !strings.HasPrefix(name, "assert_printf 2026"); n++ {
			image := filepath.Join(split, strconv.Itoa(n)+".spv")
			if _, err := os.Stat(image); err != nil {
				break
			}
			images[name] = append(images[name], image)
		}
	}
	return images, nil
}

// readImages returns the facts of the images of a folder.
func readImages(dir string) (imageFacts, error) {
	images, err := findImages(dir)
	if err != nil {
		return nil, err
	}
	facts := imageFacts{}
	for name, files := range images {
		for _, image := range files {
			code, err := os.ReadFile(image)
			if err != nil {
				return nil, err
			}
			list, err := moduleFacts(code)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", image, err)
			}
			facts[name] = append(facts[name], list)
		}
	}
	return facts, nil
}

// encode writes facts: a line "# PROGRAM RELEASE SPLIT" before each image's.
func (f imageFacts) encode() []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	for _, split := range slices.Sorted(maps.Keys(f)) {
		for _, facts := range f[split] {
			fmt.Fprintf(w, "# %s\n%s\n", split, strings.Join(facts, "\n"))
		}
	}
	w.Close()
	return out.Bytes()
}

// readRecord reads the output of encode.
func readRecord(file string) (imageFacts, error) {
	data, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	r, err := gzip.NewReader(data)
	if err != nil {
		return nil, err
	}
	facts, split := imageFacts{}, ""
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, begins := strings.CutPrefix(lines.Text(), "# "); begins {
			split = name
			facts[split] = append(facts[split], nil)
			continue
		}
		last := len(facts[split]) - 1
		facts[split][last] = append(facts[split][last], lines.Text())
	}
	return facts, lines.Err()
}

// compareSplit compares the images of one program, release and split.
func (g *golden) compareSplit(name string, real [][]string) error {
	images, err := g.ourImages(g.input, name, len(real))
	if err != nil {
		return err
	}
	for n, code := range images {
		ours, err := moduleFacts(code)
		if err != nil {
			return err
		}
		g.compareImage(fmt.Sprintf("%s %d", name, n), real[n], ours)
	}
	return nil
}

// ourImages makes the images of "PROGRAM RELEASE SPLIT", as many as the real post-link
// made.
func (m *imageMaker) ourImages(input, name string, real int) ([][]byte, error) {
	parts := strings.Fields(name)
	images, err := m.splitImages(filepath.Join(input, parts[0], parts[1], "ir.bc"), parts[1], parts[2])
	if err == nil && len(images) != real {
		err = fmt.Errorf("%d images, the real post-link writes %d", len(images), real)
	}
	return images, err
}

// splitImages runs postlink as the run-time compiler of DPC++ runs its post-link.
func (m *imageMaker) splitImages(input, release, split string) (images [][]byte, err error) {
	mode, dependencies := strings.CutSuffix(split, "-deps")
	args := []string{"-symbols", "-properties", "-to=spirv", "-dialect=" + release[:4]}
	if mode != "none" {
		args = append(args, "-split="+mode)
	}
	if dependencies {
		args = append(args, "-allow-device-image-dependencies")
	} else {
		args = append(args, "-emit-only-kernels-as-entry-points")
	}
	stem := filepath.Join(m.dir, "out")
	if _, err := runTool(m.postlink, append(args, "-o", stem+".table", input)...); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s_%d.spv", stem, n)
		code, err := os.ReadFile(name)
		if err != nil {
			return images, nil
		}
		os.Remove(name)
		images = append(images, code)
	}
}

// compareImage counts the facts that only one of two images has.
func (g *golden) compareImage(where string, theirs, ours []string) {
	g.images++
	for _, side := range []struct {
		name       string
		list, than []string
	}{{"only real", theirs, ours}, {"only ours", ours, theirs}} {
		for _, fact := range side.list {
			if _, found := slices.BinarySearch(side.than, fact); found {
				continue
			}
			kind := side.name + ": " + factKind(fact)
			if g.kinds[kind]++; g.kinds[kind] == 1 {
				g.examples[kind] = where + ": " + fact
			}
			if g.verbose {
				fmt.Fprintf(g.out, "%s: %s: %s\n", where, side.name, fact)
			}
		}
	}
}
