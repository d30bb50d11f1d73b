package main

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// builder is a process that builds modules on an OpenCL device. Programs of the runtime
// check and change modules before a driver sees them, so the driver's own calls are made.
type builder struct {
	python, icd string
	cmd         *exec.Cmd
	in          io.WriteCloser
	out         *bufio.Reader
	known       map[[sha256.Size]byte]string // answers, by the contents of the files
}

//go:embed build.py
var buildScript string

// builds is the answer for modules that the driver takes.
const builds = "builds"

// build returns the driver's answer for a module, or for several that are linked.
func (b *builder) build(files ...string) (string, error) {
	h := sha256.New()
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(code)
		h.Write(sum[:])
	}
	key := [sha256.Size]byte(h.Sum(nil))
	if answer, found := b.known[key]; found {
		return answer, nil
	}
	answer, err := b.ask(files)
	if err == nil {
		b.known[key] = answer
	}
	return answer, err
}

// ask has the process build. A driver that ends it has refused the module: the next
// one gets a new process.
func (b *builder) ask(files []string) (string, error) {
	if b.cmd == nil {
		if err := b.start(); err != nil {
			return "", err
		}
	}
	if _, err := fmt.Fprintln(b.in, strings.Join(files, "\t")); err != nil {
		return "", errors.Join(err, b.close())
	}
	answer, err := b.out.ReadString('\n')
	if err != nil {
		return fmt.Sprintf("the driver ended the process: %v", b.close()), nil
	}
	return strings.TrimSpace(answer), nil
}

func (b *builder) start() error {
	results, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close()
	b.cmd = exec.Command(filepath.Join(b.python, "bin", "python"), "-c", buildScript)
	b.cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+b.icd)
	b.cmd.ExtraFiles = []*os.File{write}
	b.out = bufio.NewReader(results)
	if b.in, err = b.cmd.StdinPipe(); err == nil {
		err = b.cmd.Start()
	}
	if err != nil {
		b.cmd = nil
	}
	return err
}

// close ends the process and returns how it ended.
func (b *builder) close() error {
	if b.cmd == nil {
		return nil
	}
	b.in.Close()
	err := b.cmd.Wait()
	b.cmd = nil
	return err
}

// buildRow counts the answers for the programs of one release and split.
type buildRow struct{ programs, both, neither, onlyOurs, onlyReal int }

// buildRun builds our images and the real ones.
type buildRun struct {
	options
	imageMaker
	builder
	out      io.Writer
	rows     map[string]*buildRow
	refusals map[string]int // of programs that the driver takes from neither
	failed   bool
}

// runBuild builds each image alone, and the images that may depend on each other also
// linked to one program.
func runBuild(o options, out io.Writer) (failed bool, err error) {
	if o.icd == "" {
		return false, fmt.Errorf("%s has no OpenCL driver, and -icd names none", o.python)
	}
	real, err := findImages(o.real)
	if err == nil && len(real) == 0 {
		err = errors.New("no images PROGRAM/RELEASE/SPLIT/N.spv in " + o.real)
	}
	if err != nil {
		return false, err
	}
	r := &buildRun{options: o, out: out, rows: map[string]*buildRow{}, refusals: map[string]int{}}
	r.builder = builder{python: o.python, icd: o.icd, known: map[[sha256.Size]byte]string{}}
	defer r.builder.close()
	r.imageMaker, err = newImageMaker()
	defer r.imageMaker.close()
	if err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(real)) {
		if err := r.buildSplit(name, real[name]); err != nil {
			fmt.Fprintf(out, "%s: %v\n", name, err)
			r.failed = true
		}
	}
	r.printTable()
	return r.failed, nil
}

// buildSplit builds the images of one program, release and split.
func (r *buildRun) buildSplit(name string, real []string) error {
	images, err := r.ourImages(r.input, name, len(real))
	if err != nil {
		return err
	}
	ours := make([]string, len(images))
	for n, code := range images {
		ours[n] = filepath.Join(r.dir, fmt.Sprintf("ours%d.spv", n))
		if err := os.WriteFile(ours[n], code, 0o666); err != nil {
			return err
		}
		if err := r.compare(name, fmt.Sprint(n), ours[n:n+1], real[n:n+1]); err != nil {
			return err
		}
	}
	if strings.HasSuffix(name, "-deps") && len(ours) > 1 {
		return r.compare(name, "linked", ours, real)
	}
	return nil
}

// compare builds our files and the real ones.
func (r *buildRun) compare(name, which string, ours, real []string) error {
	a, err := r.build(ours...)
	if err != nil {
		return err
	}
	b, err := r.build(real...)
	if err != nil {
		return err
	}
	if r.verbose {
		fmt.Fprintf(r.out, "%s %s: ours: %s; real: %s\n", name, which, a, b)
	}
	_, setting, _ := strings.Cut(name, " ")
	if which == "linked" {
		setting += ", linked"
	}
	row := r.rows[setting]
	if row == nil {
		row = new(buildRow)
		r.rows[setting] = row
	}
	row.programs++
	switch {
	case a == builds && b == builds:
		row.both++
	case a == builds:
		row.onlyOurs++
	case b == builds:
		row.onlyReal++
	default:
		row.neither++
		r.refusals[b]++
	}
	if (a == builds) != (b == builds) {
		r.failed = true
		fmt.Fprintf(r.out, "%s %s: ours: %s; real: %s\n", name, which, a, b)
	}
	return nil
}

// printTable prints the answers, and why the driver refuses real images.
func (r *buildRun) printTable() {
	fmt.Fprintln(r.out, "| release and split | programs | both build | neither builds | only ours builds | only the real one builds |\n|---|---|---|---|---|---|")
	for _, setting := range slices.Sorted(maps.Keys(r.rows)) {
		c := r.rows[setting]
		fmt.Fprintf(r.out, "| %s | %d | %d | %d | %d | %d |\n", setting, c.programs, c.both, c.neither, c.onlyOurs, c.onlyReal)
	}
	for _, answer := range slices.Sorted(maps.Keys(r.refusals)) {
		fmt.Fprintf(r.out, "%d of neither: %s\n", r.refusals[answer], answer)
	}
}
