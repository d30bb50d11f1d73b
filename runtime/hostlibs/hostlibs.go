// Package hostlibs finds the shared libraries that the dynamic loader of Linux
// takes for a program, without running anything: the closure of DT_NEEDED by
// the rules of ld.so(8). Device code in a library is there only if the program
// loads the library.
package hostlibs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Loader is the environment of a search. The zero Loader takes files of this
// machine and no variable.
type Loader struct {
	// LibraryPath is the value of LD_LIBRARY_PATH.
	LibraryPath string
	// CacheFile is the loader's cache; /etc/ld.so.cache if empty.
	CacheFile string
	// DefaultFolders are searched last; those of ld.so(8) if nil.
	DefaultFolders []string

	cache map[string][]string
	files map[string]*Module
}

// Module is a program or a library.
type Module struct {
	Path string
	*Dynamic
	// Needed are the libraries that it asks for, by the names of Dynamic.Needed.
	Needed []Dependency

	id os.FileInfo
}

// Dependency is a library that a module asks for.
type Dependency struct {
	Name string
	// Module is nil where no file was found.
	Module *Module
	// Folders are the folders that were searched for it, except those of the system.
	Folders []string
}

// Closure is a module with everything that is loaded with it.
type Closure struct {
	// Modules has the module itself first, then the libraries in the order in
	// which the loader maps them: breadth first.
	Modules []*Module
	// Missing are the libraries that were not found, with the module that
	// asks for each.
	Missing []Missing
}

// Missing is a library that was not found.
type Missing struct {
	Dependency
	By *Module
}

// Open reads the dynamic section of a file. A file is read once for a loader.
func (l *Loader) Open(path string) (*Module, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: os.ErrInvalid}
	}
	for _, known := range l.files {
		if os.SameFile(known.id, info) {
			return known, nil
		}
	}
	d, err := ReadDynamic(file)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	m := &Module{Path: path, Dynamic: d, id: info}
	if l.files == nil {
		l.files = make(map[string]*Module)
	}
	l.files[path] = m
	return m, nil
}

// maxModules bounds a closure; real ones have a few hundred modules.
const maxModules = 4096

// Closure finds everything that is loaded with a module. Libraries are looked
// for by the rules of the loader: a name that a loaded module has as its
// soname is that module.
func (l *Loader) Closure(root *Module) *Closure {
	c := &Closure{Modules: []*Module{root}}
	loadedBy := map[*Module]*Module{root: nil}
	for i := 0; i < len(c.Modules) && len(c.Modules) < maxModules; i++ { // grows as libraries are found
		m := c.Modules[i]
		m.Needed = nil
		for _, name := range m.Dynamic.Needed {
			d := l.findLibrary(c, name, m, loadedBy)
			m.Needed = append(m.Needed, d)
			switch {
			case d.Module == nil:
				c.Missing = append(c.Missing, Missing{d, m})
			case !slices.Contains(c.Modules, d.Module):
				c.Modules = append(c.Modules, d.Module)
				loadedBy[d.Module] = m
			}
		}
	}
	return c
}

// Constructors returns the modules of the closure in the order in which their
// constructors run: those that a module needs before the module.
func (c *Closure) Constructors() []*Module {
	var order []*Module
	seen := make(map[*Module]bool)
	var visit func(*Module)
	visit = func(m *Module) {
		if seen[m] {
			return
		}
		seen[m] = true
		for _, d := range m.Needed {
			if d.Module != nil {
				visit(d.Module)
			}
		}
		order = append(order, m)
	}
	for _, m := range c.Modules {
		visit(m)
	}
	return order
}

// findLibrary searches one library in the order of ld.so(8): the modules that are loaded,
// a name with a slash as a path, RPATH of the module and of those that loaded it,
// LD_LIBRARY_PATH, RUNPATH, the cache, the default folders.
func (l *Loader) findLibrary(c *Closure, name string, m *Module, loadedBy map[*Module]*Module) Dependency {
	d := Dependency{Name: name}
	for _, have := range c.Modules {
		if have.Soname == name || have != c.Modules[0] && filepath.Base(have.Path) == name {
			d.Module = have
			return d
		}
	}
	if strings.ContainsRune(name, '/') {
		d.Module = l.openCandidate(m, name)
		return d
	}
	for _, folder := range l.searchFolders(m, loadedBy) {
		if d.Module = l.openCandidate(m, filepath.Join(folder, name)); d.Module != nil {
			return d
		}
		d.Folders = append(d.Folders, folder)
	}
	for _, path := range l.loaderCache(name) {
		if d.Module = l.openCandidate(m, path); d.Module != nil {
			return d
		}
	}
	for _, folder := range l.defaultFolders(m) {
		if d.Module = l.openCandidate(m, filepath.Join(folder, name)); d.Module != nil {
			return d
		}
	}
	return d
}

// openCandidate opens a library if the loader would take it, otherwise it returns nil:
// the loader skips files for other machines.
func (l *Loader) openCandidate(m *Module, path string) *Module {
	lib, err := l.Open(path)
	if err != nil || lib.Kind != Library && lib.Kind != Program || lib.Class != m.Class || lib.Machine != m.Machine {
		return nil
	}
	return lib
}

// searchFolders returns the folders of the module, of those that loaded it, and of
// LD_LIBRARY_PATH, in order. A module with a RUNPATH ignores every RPATH.
func (l *Loader) searchFolders(m *Module, loadedBy map[*Module]*Module) []string {
	var list []string
	if len(m.Runpath) == 0 {
		for by := m; by != nil; by = loadedBy[by] {
			if len(by.Runpath) == 0 {
				list = append(list, expandOrigin(by, by.Rpath)...)
			}
		}
	}
	list = append(list, expandOrigin(m, splitPath(l.LibraryPath))...)
	return append(list, expandOrigin(m, m.Runpath)...)
}

// Folders returns the folders in which the module's own libraries are looked
// for before those of the system.
func (l *Loader) Folders(m *Module) []string { return l.searchFolders(m, nil) }

// splitPath splits at colons, and semicolons as LD_LIBRARY_PATH may have.
func splitPath(s string) []string {
	if s == "" {
		return nil
	}
	return strings.FieldsFunc(s, func(r rune) bool { return r == ':' || r == ';' })
}

// expandOrigin replaces the dynamic string tokens.
func expandOrigin(m *Module, folders []string) []string {
	origin := filepath.Dir(m.Path)
	if real, err := filepath.EvalSymlinks(m.Path); err == nil {
		origin = filepath.Dir(real)
	}
	lib := "lib"
	if is64(m) {
		lib = "lib64"
	}
	r := strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin, "$LIB", lib, "${LIB}", lib)
	list := make([]string, len(folders))
	for i, folder := range folders {
		list[i] = filepath.Clean(r.Replace(folder))
	}
	return list
}

func (l *Loader) loaderCache(name string) []string {
	if l.cache == nil {
		l.cache = make(map[string][]string)
		file := l.CacheFile
		if file == "" {
			file = "/etc/ld.so.cache"
		}
		// A cache that is not there or not readable has no entries, as for
		// the loader.
		if data, err := os.ReadFile(file); err == nil {
			if paths, err := parseCache(data); err == nil {
				l.cache = paths
			}
		}
	}
	return l.cache[name]
}

func (l *Loader) defaultFolders(m *Module) []string {
	switch {
	case l.DefaultFolders != nil:
		return l.DefaultFolders
	case is64(m):
		return []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib"}
	}
	return []string{"/lib", "/usr/lib"}
}
