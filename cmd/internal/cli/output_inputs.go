package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inputGuard keeps the outputs of a group from overwriting the files that the run
// reads, and each other.
type inputGuard struct {
	inputs []string
	files  []guardedFile   // of inputs; nil until the first output whose file exists
	taken  map[string]bool // names of outputs
}

type guardedFile struct {
	name string
	info fs.FileInfo
}

// ProtectInputs has the group refuse outputs that are one of these files, under
// whatever name: a link leads to the file, too. Names without a file ("-", one that
// is missing) are ignored. A command that edits a file in place does not protect
// that file.
//
// sycl-post-link and llvm-spirv write over their input: the compiled module is lost,
// and the next run of the build reads a table as a module. No build can want that.
func (o *Outputs) ProtectInputs(names ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.guard.inputs = append(o.guard.inputs, names...)
	o.guard.files = nil
}

// ProtectArguments is ProtectInputs for the response files of a command line.
func (o *Outputs) ProtectArguments(args []string) {
	for _, arg := range args {
		if name, isFile := strings.CutPrefix(arg, "@"); isFile {
			o.ProtectInputs(name)
		}
	}
}

// CheckOutput refuses an output that would overwrite an input, before the work that
// makes it is done.
func (o *Outputs) CheckOutput(path string) error {
	t, err := findTarget(path)
	if err != nil {
		return openError(path, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.guard.checkInputs(t)
}

// claimTarget finds the destination of an output, refuses it if it is an input or
// another output, and records it.
func (o *Outputs) claimTarget(path string) (*target, error) {
	o.mu.Lock()
	free := o.listings.knowsFree(path)
	o.mu.Unlock()
	t := &target{shown: path, path: path, own: -1}
	if !free {
		var err error
		if t, err = findTarget(path); err != nil {
			return nil, openError(path, err)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.guard.checkInputs(t); err != nil {
		return nil, err
	}
	return t, o.guard.takeName(t)
}

func (g *inputGuard) checkInputs(t *target) error {
	info := t.existing
	if info == nil && t.into { // the kernel's name of an open file
		info, _ = os.Stat(t.path)
	}
	if info == nil || !info.Mode().IsRegular() {
		return nil
	}
	g.findInputs()
	for _, in := range g.files {
		if os.SameFile(in.info, info) {
			return overwriteError(t.shown, in.name)
		}
	}
	return nil
}

// findInputs looks the inputs up, once: a build has thousands, and mostly makes a
// file that is not there yet.
func (g *inputGuard) findInputs() {
	if g.files != nil {
		return
	}
	g.files = make([]guardedFile, 0, len(g.inputs))
	for _, name := range g.inputs {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			g.files = append(g.files, guardedFile{name, info})
		}
	}
}

func overwriteError(output, input string) error {
	if output == input {
		return fmt.Errorf("the output '%s' is the input: nothing was written; name another output with -o", output)
	}
	return fmt.Errorf("the output '%s' is the same file as the input '%s': nothing was written; name another output with -o", output, input)
}

// takeName refuses a name that another output of the group has, as one of the two would be
// lost. Devices and pipes take any number of outputs, one after the other.
func (g *inputGuard) takeName(t *target) error {
	if t.existing != nil && !t.existing.Mode().IsRegular() || t.existing == nil && t.into {
		return nil
	}
	name := filepath.Clean(t.path)
	if g.taken[name] {
		return fmt.Errorf("two outputs have the name '%s': nothing was written; name others with -o", t.shown)
	}
	if g.taken == nil {
		g.taken = map[string]bool{}
	}
	g.taken[name] = true
	return nil
}
