package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// setting is one way to compile the kernels.
type setting struct {
	clang, level string
	flags        []string
	// typed are flags that make the same with typed pointers, for translators
	// that read no others; nil if the output has them anyway or cannot.
	typed []string
}

func (s *setting) String() string { return s.clang + " " + s.level }

// settings are those of the matrix.
func (o *options) settings() (list []setting) {
	// The versions of clang that Debian 12 has. -O0 and -O2 make code of different
	// shapes: allocas and calls, or phis and vectors.
	clangs, levels := "14,15,16,19", "-O0,-O2"
	if o.clangs != "" {
		clangs = o.clangs
	}
	if o.levels != "" {
		levels = o.levels
	}
	for version := range strings.SplitSeq(clangs, ",") {
		for level := range strings.SplitSeq(levels, ",") {
			// The short matrix has one setting with typed pointers, near the
			// version of the released translators, and a current one.
			if o.short && version+level != "15-O0" && version+level != "19-O2" {
				continue
			}
			s := setting{clang: "clang-" + version, level: level, flags: []string{level}}
			if version == "15" {
				s.typed = []string{level, "-Xclang", "-no-opaque-pointers"}
			}
			list = append(list, s)
		}
	}
	return list
}

// cell counts the outcomes of one setting.
type cell struct {
	modules, kernels                  int
	ours                              int // modules that we translate
	valid, back                       int // of these, those that spirv-val takes, and those that are read back
	theirs                            int // modules that a reference translates
	embedded, embeddedSame, intelSame int // kernels that both translators' modules run
	intel                             int
	devices                           int // kernels that leave the same on both devices
}

// matrix is one run over all settings and sources.
type matrix struct {
	options
	dir    string
	child  child
	out    io.Writer
	failed bool
}

// runMatrix compiles and launches the kernels of testdata, and prints a table.
func runMatrix(o options, out io.Writer) (failed bool, err error) {
	m := &matrix{options: o, out: out, child: child{icd: o.icd}}
	if m.dir, err = os.MkdirTemp("", "conformance"); err != nil {
		return false, err
	}
	defer os.RemoveAll(m.dir)
	defer m.child.close()
	sources, err := o.kernelSources()
	if err != nil {
		return false, err
	}
	fmt.Fprintln(out, "| clang | modules | translated | valid | read back | by llvm-spirv | kernels, embedded: same | kernels, Intel: same | same on both devices |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|")
	for _, s := range o.settings() {
		// A compiler that is not installed has no row, which is not a failure
		// here; the tests name the compilers that they need.
		if _, err := exec.LookPath(s.clang); err != nil {
			continue
		}
		c := m.runSetting(&s, sources)
		fmt.Fprintf(out, "| %v | %d | %d | %d | %d | %d | %d of %d | %d of %d | %d |\n", &s, c.modules, c.ours, c.valid, c.back, c.theirs,
			c.embeddedSame, c.embedded, c.intelSame, c.intel, c.devices)
	}
	return m.failed, nil
}

// referenceFaults are the kernels that leave wrong results when llvm-spirv translates
// them, with the reason. Our modules leave the same on both devices.
var referenceFaults = map[string]string{
	"places":             "get_global_id(3) reads a fourth part of three",
	"computed_dimension": "get_global_id(d) is not 0 for d > 2",
	"tables":             "an address within a constant struct is null",
}

func (m *matrix) takes(launch func(path string) (map[string]string, error), path string) bool {
	_, err := launch(path)
	return err == nil
}

// kernelSources are the files that the flags name, or the kernels of this package.
func (o *options) kernelSources() (files []string, err error) {
	patterns := o.sources
	if len(patterns) == 0 {
		patterns = []string{filepath.Join(sourceFolder, "*.c*")}
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%s: no such files; run from the root of the repository", pattern)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// sourceFolder is relative to the root of the repository.
var sourceFolder = filepath.Join("internal", "conformance", "testdata")

func (m *matrix) runSetting(s *setting, sources []string) (c cell) {
	for _, source := range sources {
		m.runSource(s, source, &c)
	}
	return c
}

// report notes a difference.
func (m *matrix) report(s *setting, source, format string, args ...any) {
	m.failed = true
	fmt.Fprintf(m.out, "%v: %s: %s\n", s, filepath.Base(source), fmt.Sprintf(format, args...))
}

// compile makes bitcode of a source, at stem.bc.
func (m *matrix) compile(s *setting, flags []string, source, stem string) (bitcode string, err error) {
	bitcode = stem + ".bc"
	// Names are kept, as kernels' parameters and results are compared by them.
	args := append([]string{"--target=spir64-unknown-unknown", "-w", "-Iinclude", "-c", "-emit-llvm", "-fno-discard-value-names"}, flags...)
	options, err := s.languageOptions(source)
	if err != nil {
		return "", err
	}
	args = append(args, options...)
	if _, err := runTool(s.clang, append(args, "-o", bitcode, source)...); err != nil {
		return "", err
	}
	if !isOpenCL(source) {
		return bitcode, m.applyAnnotations(bitcode)
	}
	return bitcode, nil
}

// isOpenCL reports whether a source is of OpenCL C, or of C++ for OpenCL.
func isOpenCL(source string) bool {
	return filepath.Ext(source) == ".cl" || filepath.Ext(source) == ".clcpp"
}

// optionsLine is how a source asks for further options of clang, in its first line.
const optionsLine = "// clang: "

// languageOptions are the options of clang that a source's language needs.
func (s *setting) languageOptions(source string) (args []string, err error) {
	switch filepath.Ext(source) {
	case ".cl":
		args = []string{"-x", "cl", "-cl-std=CL3.0"}
		if s.clang == "clang-14" { // its declarations that are built in lack functions
			args = []string{"-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header"}
		}
	case ".clcpp":
		args = []string{"-x", "clcpp", "-cl-std=clc++2021", "-Xclang", "-finclude-default-header"}
	default:
		args = []string{"-ffreestanding"}
	}
	text, err := os.ReadFile(source)
	line, _, _ := strings.Cut(string(text), "\n")
	if wanted, found := strings.CutPrefix(line, optionsLine); found {
		args = append(args, strings.Fields(wanted)...)
	}
	return args, err
}

// applyAnnotations has postlink make kernels of the functions that device.h
// annotates, in the place of the input.
func (m *matrix) applyAnnotations(bitcode string) error {
	postlink, err := buildPostlink(m.dir)
	if err != nil {
		return err
	}
	table := bitcode + ".table"
	if _, err := runTool(postlink, "-split=none", "-symbols", "-o", table, bitcode); err != nil {
		return err
	}
	return os.Rename(bitcode+"_0.bc", bitcode)
}

func (m *matrix) runSource(s *setting, source string, c *cell) {
	stem := filepath.Join(m.dir, strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)))
	bitcode, err := m.compile(s, s.flags, source, stem)
	if err != nil {
		m.report(s, source, "%v", err)
		return
	}
	c.modules++
	code, err := translateHere(bitcode)
	if err != nil {
		m.report(s, source, "%v", err)
		return
	}
	c.ours++
	ours := stem + ".spv"
	if err := os.WriteFile(ours, code, 0o666); err != nil {
		m.report(s, source, "%v", err)
		return
	}
	m.checkText(s, source, bitcode, code)
	m.checkModule(s, source, ours, c)
	signatures, err := m.signatureFile(source, stem)
	if err != nil {
		m.report(s, source, "%v", err)
		return
	}
	theirs := m.byReference(s, source, bitcode, stem)
	if theirs != "" {
		c.theirs++
		m.compareFacts(s, source, ours, theirs)
	}
	if strings.HasPrefix(filepath.Base(source), "build") {
		m.buildOnly(s, source, ours, theirs)
		return
	}
	m.launchBoth(s, signatures, ours, theirs, c)
}

// signatureFile returns a file with the signatures of a source's kernels. OpenCL C is
// preprocessed first, as macros may define kernels there.
func (m *matrix) signatureFile(source, stem string) (string, error) {
	if !isOpenCL(source) {
		return source, nil
	}
	out := stem + ".i.cl"
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	text, err := runTool("clang-19", "-E", "-P", "-w", "--target=spir64-unknown-unknown", "-x", strings.TrimPrefix(filepath.Ext(source), "."), source)
	if err != nil {
		return "", err
	}
	return out, os.WriteFile(out, text, 0o666)
}

// checkText translates the module as text, which must give the same bytes: both readers
// fill the same model, so that a difference is a fault of one of them.
func (m *matrix) checkText(s *setting, source, bitcode string, code []byte) {
	text := strings.TrimSuffix(bitcode, ".bc") + ".ll"
	if _, err := runTool("llvm-dis-"+strings.TrimPrefix(s.clang, "clang-"), bitcode, "-o", text); err != nil {
		m.report(s, source, "%v", err)
		return
	}
	again, err := translateHere(text)
	switch {
	case err != nil:
		m.report(s, source, "as text: %v", err)
	case string(again) != string(code):
		m.report(s, source, "the module as text gives another SPIR-V than as bitcode")
	}
}

// checkModule validates our module and has the reference read it back.
func (m *matrix) checkModule(s *setting, source, ours string, c *cell) {
	if _, err := m.validate(ours); err != nil {
		m.report(s, source, "%v", err)
	} else {
		c.valid++
	}
	for i := range m.references {
		if r := &m.references[i]; !r.typed {
			if err := r.reverse(ours); err != nil {
				m.report(s, source, "%v", err)
			} else {
				c.back++
			}
		}
	}
}

// buildOnly has Intel's device build a module whose kernels are not launched.
func (m *matrix) buildOnly(s *setting, source, ours, theirs string) {
	if m.icd == "" {
		return
	}
	empty := filepath.Join(m.dir, "empty")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		m.report(s, source, "%v", err)
		return
	}
	launch := func(path string) (map[string]string, error) { return m.child.launch(path, empty, false) }
	if _, err := launch(ours); err != nil && (theirs == "" || m.takes(launch, theirs)) {
		m.report(s, source, "Intel: %v", err)
	}
}

// compareFacts prints the facts for drivers that only one of two modules has.
func (m *matrix) compareFacts(s *setting, source, ours, theirs string) {
	if !m.facts {
		return
	}
	var facts [2][]string
	for i, path := range []string{ours, theirs} {
		code, err := os.ReadFile(path)
		if err == nil {
			facts[i], err = moduleFacts(code)
		}
		if err != nil {
			m.report(s, source, "facts: %v", err)
			return
		}
	}
	for i, side := range []string{"only ours", "only llvm-spirv's"} {
		for _, fact := range facts[i] {
			if _, found := slices.BinarySearch(facts[1-i], fact); !found {
				fmt.Fprintf(m.out, "%v: %s: %s: %s\n", s, filepath.Base(source), side, fact)
			}
		}
	}
}

// byReference has the first released translator that takes the module make
// SPIR-V of it; "" if none does.
func (m *matrix) byReference(s *setting, source, bitcode, stem string) string {
	out := stem + ".ref.spv"
	for i := range m.references {
		r := &m.references[i]
		input := bitcode
		if r.typed && s.clang != "clang-14" {
			if s.typed == nil {
				continue
			}
			var err error
			if input, err = m.compile(s, s.typed, source, stem+".typed"); err != nil {
				continue
			}
		}
		err := r.translate(input, out)
		if err == nil {
			return out
		}
		if m.verbose {
			fmt.Fprintf(m.out, "%v: %s: %s: %v\n", s, filepath.Base(source), r.name, err)
		}
	}
	return ""
}

// launchBoth launches the kernels of our module and of the reference's on both
// devices.
func (m *matrix) launchBoth(s *setting, source, ours, theirs string, c *cell) {
	kernels, err := readSignatures(source)
	if err != nil {
		m.report(s, source, "%v", err)
		return
	}
	c.kernels += len(kernels)
	embedded := m.compareOn("embedded", s, source, ours, theirs, func(path string) (map[string]string, error) {
		code, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return launchHere(code, kernels)
	}, &c.embedded, &c.embeddedSame)
	if m.icd == "" {
		return
	}
	prints := strings.HasPrefix(filepath.Base(source), "print")
	intel := m.compareOn("Intel", s, source, ours, theirs, func(path string) (map[string]string, error) {
		return m.child.launch(path, source, prints)
	}, &c.intel, &c.intelSame)
	for name, digest := range embedded {
		if intel[name] == digest {
			c.devices++
		} else if m.verbose {
			fmt.Fprintf(m.out, "%v: %s: %s: %s on the embedded device, %s on Intel's\n", s, filepath.Base(source), name, digest, intel[name])
		}
	}
}

// compareOn launches both modules on one device.
func (m *matrix) compareOn(device string, s *setting, source, ours, theirs string, launch func(path string) (map[string]string, error), run, same *int) map[string]string {
	a, err := launch(ours)
	if err != nil {
		// A driver that does not take the released translator's module either has
		// a fault of its own.
		if theirs == "" || m.takes(launch, theirs) {
			m.report(s, source, "%s: %v", device, err)
		}
		return nil
	}
	for name, digest := range a {
		if strings.HasPrefix(digest, "error") {
			m.report(s, source, "%s: %s: %s", device, name, digest)
		}
	}
	if theirs == "" {
		return a
	}
	b, err := launch(theirs)
	if err != nil {
		if m.verbose {
			fmt.Fprintf(m.out, "%v: %s: %s, theirs: %v\n", s, filepath.Base(source), device, err)
		}
		return a
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if *run++; a[name] == b[name] {
			*same++
		} else if reason := referenceFaults[name]; reason == "" {
			m.report(s, source, "%s: %s leaves %s, llvm-spirv's %s", device, name, a[name], b[name])
		}
	}
	return a
}
