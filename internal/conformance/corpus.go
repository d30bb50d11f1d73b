package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// corpusPatterns are the modules of the repository. Sources of OpenCL C are those of
// matrix.
var corpusPatterns = []string{
	"testdata/sycl/*/*/*.bc", "testdata/sycl/*/*/ir.ll", "testdata/postlink/*.txtar", "cmd/postlink/testdata/script/*.txtar",
	"cmd/postlink/testdata/dump/*.ll", "ir/irtext/testdata/whole/*.ll", "ir/bitcode/testdata/*.bc", "ir/bitcode/testdata/spec/*.ll",
	"ir/downgrade/testdata/*.ll",
}

// corpusCommands are the ways in which postlink translates each module: options that
// make images, and llvm-spirv's for the module as it is.
var corpusCommands = [][]string{
	{"-to=spirv", "-split=none", "-properties", "-symbols"},
	{"-to=spirv", "-split=auto", "-properties", "-symbols"},
	{"-to=spirv", "-split=source", "-properties", "-symbols", "-dialect=2025"},
	{"-to=spirv", "-split=kernel", "-properties", "-symbols", "-spec-const=native"},
	{"-to=spirv", "-split=kernel", "-symbols", "-allow-device-image-dependencies", "-spec-const=emulation"},
	{"spirv", "--spirv-max-version=1.4", readableExtensions, "--spirv-debug-info-version=none"},
	{"spirv", "--spirv-max-version=1.4", readableExtensions, "--spirv-debug-info-version=ocl-100"},
	{"spirv", "--spirv-max-version=1.4", readableExtensions, "--spirv-debug-info-version=nonsemantic-shader-200"},
	{"spirv", "--spirv-max-version=1.3", "--spirv-ext=+all", "--spirv-debug-info-version=none"},
}

// readableExtensions leaves out the extensions from after the reader's release that the
// corpora make use of.
const readableExtensions = "--spirv-ext=+all,-SPV_KHR_float_controls2,-SPV_EXT_optnone,-SPV_AMD_weak_linkage"

// corpusRow counts the outcomes of one command.
type corpusRow struct{ modules, refused, outputs, valid, gaps, back, backGaps int }

// corpusRun translates the modules of corpora.
type corpusRun struct {
	options
	imageMaker
	out      io.Writer
	row      *corpusRow
	known    map[[sha256.Size]byte]corpusRow // the outcome of an output, by its contents
	refusals map[string]int
	gaps     map[string]int
	failed   bool
}

// runCorpus prints a table with a row a command.
func runCorpus(o options, out io.Writer) (failed bool, err error) {
	r := &corpusRun{options: o, out: out, known: map[[sha256.Size]byte]corpusRow{}, refusals: map[string]int{}, gaps: map[string]int{}}
	r.imageMaker, err = newImageMaker()
	defer r.imageMaker.close()
	if err != nil {
		return false, err
	}
	modules, err := r.findModules()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(out, "validators: %s\n", strings.Join(o.validators, ", "))
	fmt.Fprintln(out, "| command | modules | refused | outputs | valid | valid but for gaps of both validators | read back | newer than the reader |\n|---|---|---|---|---|---|---|---|")
	for _, command := range corpusCommands {
		r.row = new(corpusRow)
		for _, module := range modules {
			r.translate(command, module)
		}
		c := r.row
		fmt.Fprintf(out, "| `%s` | %d | %d | %d | %d | %d | %d | %d |\n", strings.Join(command, " "),
			c.modules, c.refused, c.outputs, c.valid, c.gaps, c.back, c.backGaps)
	}
	r.printCounts("refused", r.refusals)
	r.printCounts("exception", r.gaps)
	return r.failed, nil
}

func (r *corpusRun) printCounts(what string, counts map[string]int) {
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(r.out, "%s %d times: %s\n", what, counts[reason], reason)
	}
}

// findModules lists the modules of the corpora. Those in archives are written to files.
func (r *corpusRun) findModules() (modules []string, err error) {
	patterns := r.corpus
	if len(patterns) == 0 {
		patterns = corpusPatterns
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%s: no such files; run from the root of the repository", pattern)
		}
		for _, file := range found {
			if filepath.Ext(file) != ".txtar" {
				modules = append(modules, file)
			} else if err == nil {
				modules, err = r.unpackArchive(file, modules)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return modules, nil
}

// unpackArchive writes the inputs of a case: its sections NAME.ll that no folder holds.
func (r *corpusRun) unpackArchive(file string, modules []string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(filepath.Base(file), ".txtar")
	for _, section := range bytes.Split(text, []byte("\n-- "))[1:] {
		head, body, _ := bytes.Cut(section, []byte("\n"))
		name := strings.TrimSuffix(string(head), " --")
		if filepath.Ext(name) != ".ll" || strings.Contains(name, "/") {
			continue
		}
		module := filepath.Join(r.dir, stem+"-"+name)
		if err := os.WriteFile(module, append(body, '\n'), 0o666); err != nil {
			return nil, err
		}
		modules = append(modules, module)
	}
	return modules, nil
}

// translate runs postlink over a module and checks all that it writes.
func (r *corpusRun) translate(command []string, module string) {
	r.row.modules++
	folder := filepath.Join(r.dir, "outputs")
	os.RemoveAll(folder)
	if err := os.Mkdir(folder, 0o777); err != nil {
		r.report(command, module, err)
		return
	}
	output := filepath.Join(folder, "out.table")
	if command[0] == "spirv" {
		output = filepath.Join(folder, "out.spv")
	}
	args := append(slices.Clone(command), "-o", output, module)
	if out, err := runTool(r.postlink, args...); err != nil {
		r.row.refused++
		r.noteRefusal(module, string(out), folder)
		return
	}
	outputs, err := filepath.Glob(filepath.Join(folder, "*.spv"))
	if err != nil {
		r.report(command, module, err)
	}
	for _, output := range outputs {
		r.check(command, module, output)
	}
}

// noteRefusal counts the refusal by its message without the file. A refusal must leave
// no file.
func (r *corpusRun) noteRefusal(module, message, folder string) {
	message, _, _ = strings.Cut(strings.ReplaceAll(message, module, "FILE"), "\n")
	r.refusals[message]++
	left, err := os.ReadDir(folder)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("the refusal leaves %v", left)
	}
	if err != nil {
		r.report(nil, module, err)
	}
}

func (r *corpusRun) report(command []string, module string, err error) {
	r.failed = true
	fmt.Fprintf(r.out, "%s: %s: %v\n", strings.Join(command, " "), module, err)
}

// check validates an output and has the released translator read it back.
func (r *corpusRun) check(command []string, module, output string) {
	r.row.outputs++
	code, err := os.ReadFile(output)
	if err != nil {
		r.report(command, module, err)
		return
	}
	key := sha256.Sum256(code)
	c, found := r.known[key]
	if !found {
		c = r.checkOutput(command, module, output)
		r.known[key] = c
	}
	r.row.valid += c.valid
	r.row.gaps += c.gaps
	r.row.back += c.back
	r.row.backGaps += c.backGaps
}

func (r *corpusRun) checkOutput(command []string, module, output string) (c corpusRow) {
	gap, err := r.validate(output)
	switch {
	case err != nil:
		r.report(command, module, err)
		r.keepModule(output)
	case gap != "":
		c.gaps = 1
		r.gaps[gap]++
	default:
		c.valid = 1
	}
	err = r.references[len(r.references)-1].reverse(output)
	switch {
	case errors.Is(err, errReaderGap):
		c.backGaps = 1
	case err != nil:
		r.report(command, module, fmt.Errorf("%s: %w", filepath.Base(output), err))
		r.keepModule(output)
	default:
		c.back = 1
	}
	return c
}

// keepModule copies an output that differs to the folder of -keep.
func (r *corpusRun) keepModule(output string) {
	if r.keep == "" {
		return
	}
	code, err := os.ReadFile(output)
	if err == nil {
		name := fmt.Sprintf("%x.spv", sha256.Sum256(code))
		err = os.WriteFile(filepath.Join(r.keep, name[:12]+".spv"), code, 0o666)
	}
	if err != nil {
		r.report(nil, output, err)
	}
}
