package hostlibs

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Closure is a module with everything that is loaded with it, and with the libraries that it
// opens later.
type Closure struct {
	// Modules has the module itself first, then the libraries in the order in which the
	// loader maps them: those of LD_PRELOAD, then the others, breadth first.
	Modules []*Module
	// Missing are the libraries that were not found, with the module that
	// asks for each.
	Missing []Missing

	loader *Loader
	loads  map[*Module]load
	order  []*Module // whose constructors run, in that order
}

// load is a module that the loader has mapped.
type load struct {
	by    *Module  // for which it was loaded; nil for the first
	names []string // by which it was asked for
}

// maxModules bounds a closure; real ones have a few hundred modules.
const maxModules = 4096

// Closure finds everything that is loaded with a module. A program also gets the libraries of
// LD_PRELOAD.
func (l *Loader) Closure(root *Module) *Closure {
	root.origin = originOf(root, root.Path)
	c := &Closure{Modules: []*Module{root}, loader: l, loads: map[*Module]load{root: {}}}
	group := []*Module{root}
	if root.Kind == Program {
		group = append(group, c.preloaded(root)...)
	}
	c.Missing = c.mapNeeded(&group)
	c.order = c.constructors(group)
	return c
}

// preloaded are the libraries of LD_PRELOAD, which the loader looks for as it does for those
// that the program needs. One that it does not find it leaves out.
func (c *Closure) preloaded(root *Module) (list []*Module) {
	for _, name := range strings.FieldsFunc(c.loader.Preload, func(r rune) bool { return r == ' ' || r == ':' }) {
		if m := c.need(name, root).Module; m != nil && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// Open has the program open a library with dlopen. It returns the modules whose constructors
// run then, in that order, and the libraries that are not found: with any of these the
// library is not opened, and the closure stays as it was.
func (c *Closure) Open(library *Module) (begun []*Module, missing []Missing) {
	before, loads := len(c.Modules), maps.Clone(c.loads)
	c.note(library, library.Path, library.Path, c.Modules[0])
	group := []*Module{library}
	missing = c.mapNeeded(&group)
	begun = c.constructors(group)
	if len(missing) > 0 {
		c.Modules, c.loads = c.Modules[:before:before], loads
		return begun, missing
	}
	c.order = append(c.order, begun...)
	return begun, nil
}

// Constructors returns the modules in the order in which their constructors run.
func (c *Closure) Constructors() []*Module { return c.order }

// mapNeeded loads everything that the modules of a group need, and appends it to the group.
func (c *Closure) mapNeeded(group *[]*Module) (missing []Missing) {
	for i := 0; i < len(*group) && len(*group) < maxModules; i++ { // grows as libraries are found
		m := (*group)[i]
		m.Needed = nil
		for _, name := range m.Dynamic.Needed {
			d := c.need(name, m)
			m.Needed = append(m.Needed, d)
			switch {
			case d.Module == nil:
				missing = append(missing, Missing{d, m})
			case !slices.Contains(*group, d.Module):
				*group = append(*group, d.Module)
			}
		}
	}
	return missing
}

// need finds a library for a module: one that is loaded and has the name, or a file.
func (c *Closure) need(name string, m *Module) Dependency {
	name = c.loader.expandTokens(m, name)
	for _, have := range c.Modules {
		if have.Soname != "" && have.Soname == name || slices.Contains(c.loads[have].names, name) {
			return Dependency{Name: name, Module: have}
		}
	}
	d := c.loader.findLibrary(name, m, c.rpaths(m))
	if d.Module != nil {
		c.note(d.Module, name, d.Path, m)
	}
	return d
}

// note remembers a module that was asked for by a name and found at a path, and loads it if it is
// not.
func (c *Closure) note(m *Module, name, path string, by *Module) {
	l, loaded := c.loads[m]
	if !loaded {
		m.origin = originOf(m, path)
		l.by = by
		c.Modules = append(c.Modules, m)
	}
	l.names = append(slices.Clip(l.names), name)
	c.loads[m] = l
}

// rpaths are the modules whose RPATH holds for the libraries of a module: itself, those that loaded
// it, and the program. RUNPATH of the module itself excludes all of them.
func (c *Closure) rpaths(m *Module) (list []*Module) {
	if m.Runpath != nil {
		return nil
	}
	for by := m; by != nil; by = c.loads[by].by {
		list = append(list, by)
	}
	if root := c.Modules[0]; root.Kind == Program && !slices.Contains(list, root) {
		list = append(list, root)
	}
	return list
}

// constructors orders modules of a group as glibc does since 2.35: it visits the group from its
// end, each module after those that it needs; the first module comes last, whatever needs it.
// Those whose constructors have run are left out.
func (c *Closure) constructors(group []*Module) (order []*Module) {
	seen := make(map[*Module]bool)
	for _, m := range append(slices.Clone(c.order), group[0]) {
		seen[m] = true
	}
	first := !slices.Contains(c.order, group[0])
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
	for _, m := range slices.Backward(group) {
		visit(m)
	}
	if first {
		order = append(order, group[0])
	}
	return order
}

// originOf is the folder for which $ORIGIN stands: that of the path by which a library was found,
// and that of the file itself for a program.
func originOf(m *Module, path string) string {
	if m.Kind == Program {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	return filepath.Dir(path)
}
