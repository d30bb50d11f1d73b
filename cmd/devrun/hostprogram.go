package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/runtime/hostlibs"
	"offlink/runtime/linkcheck"
	"offlink/runtime/registry"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// hostProgram is a program with the libraries that it loads, and the device
// images of all of them.
type hostProgram struct {
	files    imageFiles
	wheels   wheels
	loader   hostlibs.Loader
	given    []*hostFile // in the order of the command line
	loaded   []*hostFile // in the order of their constructors
	nearby   []*hostFile // not loaded
	missing  map[string]bool
	problems []linkcheck.Problem
}

// hostFile is a file that may hold device images.
type hostFile struct {
	name   string
	opened bool // by the program, with dlopen
	module *hostlibs.Module
	images []*devimg.Image
}

// openProgram reads files and the libraries that they load. Where none is a
// program, all of them count as loaded. The caller closes the result.
func openProgram(names, opened []string) (*hostProgram, error) {
	p := &hostProgram{loader: hostlibs.Loader{LibraryPath: os.Getenv("LD_LIBRARY_PATH"), Preload: os.Getenv("LD_PRELOAD")}}
	err := p.openFiles(names, opened)
	p.wheels.remove() // where open files cannot be removed, closeFiles does it
	if err != nil {
		p.closeFiles()
		return nil, err
	}
	return p, nil
}

// openFiles reads the arguments first, and then the libraries that they load: whether a
// library counts as loaded by itself depends on whether any argument is a program.
func (p *hostProgram) openFiles(names, opened []string) error {
	for i, name := range slices.Concat(names, opened) {
		if err := p.openArgument(name, i >= len(names)); err != nil {
			return err
		}
	}
	if err := p.loadFiles(); err != nil {
		return err
	}
	for _, f := range p.given {
		if !slices.ContainsFunc(p.loaded, f.sameModule) {
			p.nearby = append(p.nearby, f)
		}
	}
	p.warnNearby()
	p.readNeighbors()
	return nil
}

// loadFiles loads each program with the libraries that it opens, in the order of their constructors, and all
// files where none is a program.
func (p *hostProgram) loadFiles() error {
	isProgram := func(f *hostFile) bool { return f.module.Kind == hostlibs.Program }
	hasProgram := slices.ContainsFunc(p.given, isProgram)
	for _, f := range p.given {
		switch {
		case isProgram(f):
			if err := p.startProgram(f); err != nil {
				return err
			}
		case !hasProgram:
			closure := p.loader.Closure(f.module)
			if err := p.addLoaded(closure.Constructors(), closure.Missing, linkcheck.Warning); err != nil {
				return err
			}
		}
	}
	return nil
}

// startProgram loads a program, then the libraries that it opens.
func (p *hostProgram) startProgram(f *hostFile) error {
	closure := p.loader.Closure(f.module)
	if err := p.addLoaded(closure.Constructors(), closure.Missing, linkcheck.Error); err != nil {
		return err
	}
	for _, library := range p.given {
		if !library.opened {
			continue
		}
		begun, missing := closure.Open(library.module)
		if err := p.addLoaded(begun, missing, linkcheck.Error); err != nil {
			return err
		}
	}
	return nil
}

// sameModule reports whether two names are of one file.
func (f *hostFile) sameModule(other *hostFile) bool { return f.module == other.module }

// openArgument reads a file, or the files of a folder that have images; the program opens them
// or not.
func (p *hostProgram) openArgument(name string, opened bool) error {
	if archive, member := cutWheel(name); archive != "" {
		return p.openWheel(archive, member, opened)
	}
	info, err := os.Stat(name)
	if err != nil {
		return fileError(name, err)
	}
	if info.IsDir() {
		return p.openFolder(name, opened)
	}
	if err := checkRegular(name); err != nil {
		return fileError(name, err)
	}
	f, err := p.openFile(name)
	if err == nil && len(f.images) == 0 && f.module.Kind != hostlibs.Program && f.module.Kind != hostlibs.Library {
		err = fmt.Errorf("%s: holds no device images", name)
	}
	if err == nil {
		f.opened = opened
		p.given = append(p.given, f)
	}
	return err
}

// openWheel reads the files of a Python wheel that have images, as those of a folder, or only
// the member if it is not "". The others are there for its libraries to be found.
func (p *hostProgram) openWheel(name, member string, opened bool) error {
	paths, err := p.wheels.unpack(name)
	if err != nil {
		return err
	}
	if member != "" {
		paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return p.wheels.shownName(path) != name+cli.MemberMark+member })
		if len(paths) == 0 {
			return fmt.Errorf("%s%s%s: no such file in the wheel, or one that is not a library; 'offload-wrap list %s' names those that have device images", name, cli.MemberMark, member, name)
		}
	}
	for _, path := range paths {
		if err := p.openMember(path, opened); err != nil {
			p.addDamaged(errors.New(strings.ReplaceAll(err.Error(), path, p.wheels.shownName(path))))
		}
	}
	return nil
}

// addDamaged notes the error of one file as a problem, so that the others are still checked.
func (p *hostProgram) addDamaged(err error) {
	p.problems = append(p.problems, linkcheck.Problem{Severity: linkcheck.Error, Kind: linkcheck.Damaged, Message: err.Error()})
}

// openFolder reads the files of a folder that have images. A file that cannot be read is a problem
// of the report, as the others can be checked.
func (p *hostProgram) openFolder(name string, opened bool) error {
	return filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.Type().IsRegular() {
			return nil
		}
		if err == nil {
			err = p.openMember(path, opened)
		} else {
			err = fileError(path, err)
		}
		if err != nil {
			p.addDamaged(err)
		}
		return nil
	})
}

// openMember reads a file of a folder if it has images.
func (p *hostProgram) openMember(path string, opened bool) error {
	if holds, err := mayHoldImages(path); !holds || err != nil {
		return err
	}
	f, err := p.openFile(path)
	if err == nil && len(f.images) > 0 {
		f.opened = opened
		p.given = append(p.given, f)
	}
	return err
}

// mayHoldImages looks at the first bytes of a file, so that a folder with sources
// and data is walked without reading them.
func mayHoldImages(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fileError(path, err)
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fileError(path, err)
	}
	return wrapper.MayHoldImages(head[:n]), nil
}

// openFile reads a file as a module of the host and as a holder of images. A file that is
// neither is not an error here: it has an unknown kind and no images.
func (p *hostProgram) openFile(name string) (*hostFile, error) {
	module, err := p.loader.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	images, err := p.files.readImages(name)
	if err != nil {
		return nil, err
	}
	return &hostFile{name: p.wheels.shownName(name), module: module, images: images}, nil
}

// addLoaded adds the files of modules that are loaded, each once, and reports the libraries that
// are not found.
func (p *hostProgram) addLoaded(modules []*hostlibs.Module, missing []hostlibs.Missing, severity linkcheck.Severity) error {
	p.addMissing(missing, severity)
	for _, module := range modules {
		file := &hostFile{name: p.wheels.shownName(module.Path), module: module}
		if slices.ContainsFunc(p.loaded, file.sameModule) {
			continue
		}
		if i := slices.IndexFunc(p.given, file.sameModule); i >= 0 {
			file = p.given[i]
		} else {
			var err error
			if file.images, err = p.files.readImages(module.Path); err != nil && !errors.Is(err, wrapper.ErrNoImages) {
				return err
			}
		}
		p.loaded = append(p.loaded, file)
	}
	return nil
}

// addMissing reports libraries that are not found, each once. A program does not start without
// them, and cannot open a library; a library may find them loaded when it is opened.
func (p *hostProgram) addMissing(list []hostlibs.Missing, severity linkcheck.Severity) {
	for _, m := range list {
		if p.missing[m.Name] {
			continue
		}
		if p.missing == nil {
			p.missing = make(map[string]bool)
		}
		p.missing[m.Name] = true
		p.problems = append(p.problems, p.missingProblem(m, severity))
	}
}

func (p *hostProgram) missingProblem(m hostlibs.Missing, severity linkcheck.Severity) linkcheck.Problem {
	advice := "; add its folder to LD_LIBRARY_PATH"
	if m.Refused != "" {
		advice = fmt.Sprintf(": the loader comes to %s first, which is not a shared library", p.wheels.shownName(m.Refused))
	}
	if _, err := libraryFolder(); err == nil && m.Name == libraryName {
		severity = linkcheck.Warning
		advice += ", or run the program by devrun, which has it"
	}
	return linkcheck.Problem{
		Severity: severity, Kind: linkcheck.MissingLibrary, Symbol: m.Name,
		Message: fmt.Sprintf("library %s, which %s needs, is not found%s", m.Name, p.wheels.shownName(m.By.Path), advice),
	}
}

// warnNearby warns of files with images that were given but that no program loads. A library
// that a program needs is an error already.
func (p *hostProgram) warnNearby() {
	for _, f := range p.nearby {
		if len(f.images) > 0 && !p.missing[filepath.Base(f.name)] {
			p.problems = append(p.problems, linkcheck.Problem{
				Severity: linkcheck.Warning, Kind: linkcheck.NotLoaded, Symbol: filepath.Base(f.name),
				Message: fmt.Sprintf("%s has device code, and no program that was given loads it: link it with -Wl,--no-as-needed, or name it with --dlopen if the program opens it", f.name),
			})
		}
	}
}

// maxNeighbors bounds the libraries that are looked at for advice.
const maxNeighbors = 256

// readNeighbors adds the libraries that lie where the programs look for theirs,
// and that they do not load: a linker with --as-needed may have dropped them.
func (p *hostProgram) readNeighbors() {
	seen := make(map[string]bool)
	for _, f := range slices.Clone(p.given) {
		if f.module.Kind != hostlibs.Program {
			continue
		}
		for _, folder := range append(p.loader.Folders(f.module), filepath.Dir(f.module.Path)) {
			if seen[folder] || len(p.nearby) > maxNeighbors {
				continue
			}
			seen[folder] = true
			p.readFolder(folder)
		}
	}
}

// readFolder adds the shared libraries of a folder that have images. A file
// that cannot be read gives no advice.
func (p *hostProgram) readFolder(folder string) {
	names, err := filepath.Glob(filepath.Join(escapeGlob(folder), "*.so*"))
	if err != nil {
		return
	}
	for _, name := range names[:min(len(names), maxNeighbors)] {
		module, err := p.loader.Open(name)
		if err != nil || module.Kind != hostlibs.Library {
			continue
		}
		known := func(f *hostFile) bool { return f.module == module }
		if slices.ContainsFunc(p.loaded, known) || slices.ContainsFunc(p.nearby, known) {
			continue
		}
		if images, err := p.files.readImages(name); err == nil && len(images) > 0 {
			p.nearby = append(p.nearby, &hostFile{name: name, module: module, images: images})
		}
	}
}

// escapeGlob has a folder's name stand for itself in a pattern.
func escapeGlob(folder string) string {
	var b []byte
	for i := range len(folder) {
		if c := folder[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, folder[i])
	}
	return string(b)
}

// linkcheckProgram returns the images in registries, as linkcheck takes them.
func (p *hostProgram) linkcheckProgram() linkcheck.Program {
	checked := linkcheck.Program{Loaded: snapshotOf(p.loaded), NotFound: p.missing}
	if len(p.nearby) > 0 {
		checked.Nearby = snapshotOf(p.nearby)
	}
	return checked
}

// snapshotOf registers the images in the order in which constructors would: the
// first of two definitions serves, so the order decides.
func snapshotOf(files []*hostFile) *registry.Snapshot {
	var r registry.Registry
	for i, f := range files {
		images := make([]*devimg.Image, len(f.images))
		for n, img := range f.images {
			images[n] = container.Lazy(img)
		}
		r.Add(registry.Owner{ID: uint64(i), Name: f.name}, images)
	}
	return r.Snapshot()
}

// libraryReports are the files with images, and programs.
func (p *hostProgram) libraryReports() []libraryReport {
	list := []libraryReport{}
	for i, files := range [][]*hostFile{p.loaded, p.nearby} {
		for _, f := range files {
			if len(f.images) == 0 && f.module.Kind != hostlibs.Program {
				continue
			}
			r := libraryReport{File: f.name, Loaded: i == 0, Needs: []string{}}
			for _, d := range f.module.Needed {
				r.Needs = append(r.Needs, p.wheels.shownName(neededName(d)))
			}
			list = append(list, r)
		}
	}
	return list
}

// neededName is the file of a library, or its name if there is none.
func neededName(d hostlibs.Dependency) string {
	if d.Module != nil {
		return d.Module.Path
	}
	return d.Name
}

func (p *hostProgram) closeFiles() error {
	defer p.wheels.remove()
	return p.files.closeFiles()
}
