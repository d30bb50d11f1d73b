package split

import (
	"slices"

	"offlink/ir"
	"offlink/ir/sycl"
)

// Graph is what splitting has to know of a module: its entry points and what
// each value refers to. It is built once and then shared, read-only, by all
// goroutines.
type Graph struct {
	Module *ir.Module
	// Entries are the entry points in module order.
	Entries []ir.ValueID

	options    Options
	modified   bool
	attributes attributeTable
	flags      []valueFlags
	// overrides are the references of values whose content is changed.
	overrides map[ir.ValueID][]ir.Ref
	// marked are the functions that a call without known callee brings in, by
	// their type; see isIndirectTarget.
	marked map[ir.TypeID][]ir.ValueID
	// roots are the definitions that every image has to have, and wholeRoots
	// what an image that is the whole module has beside them.
	roots, wholeRoots []ir.ValueID
	comdats           comdatMembers
	named             []namedFilter
	registered        *registeredKernels
	annotations       *annotations
	specConstants     *specConstants
}

type valueFlags uint8

const (
	flagKernel valueFlags = 1 << iota
	flagEntry
	flagPreserved  // stays visible where it is no entry point
	flagVirtual    // defined only in images of virtual functions
	flagImportable // another image can give it, by its name
	flagESIMD
	flagGone    // not written: llvm.used
	flagAliasee // an alias or ifunc stands for it, and needs its definition
)

// NewGraph looks through the module, whose annotations must have become
// attributes before (see [ApplyAnnotations]). It changes the lists of used values
// as the splitter does; from then on the module must not change.
func NewGraph(m *ir.Module, options Options) (*Graph, error) {
	g := &Graph{
		Module:     m,
		options:    options,
		modified:   options.Annotated,
		attributes: newAttributeTable(m.AttributeGroups),
		flags:      make([]valueFlags, len(m.Values)),
		overrides:  make(map[ir.ValueID][]ir.Ref),
		marked:     make(map[ir.TypeID][]ir.ValueID),
	}
	steps := []func() error{
		g.classify,
		g.clearUsed,
		g.findAnnotations,
		g.overrideElements,
		g.findSpecConstants,
		g.findRoots,
		g.findNamed,
		g.checkEntries,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// classify sets the flags of functions and collects the entry points.
func (g *Graph) classify() error {
	nvvm, err := sycl.NVVMKernels(g.Module)
	if err != nil {
		return err
	}
	for i := range g.Module.Values {
		id, v := ir.ValueID(i), &g.Module.Values[i]
		if v.Kind != ir.Function {
			g.flagAliasees(v)
			continue
		}
		if sycl.IsKernelConvention(v.CallingConv) || nvvm[id] {
			g.flags[id] |= flagKernel
		}
		g.flags[id] |= g.functionFlags(v)
		if g.isEntryPoint(id) {
			g.flags[id] |= flagEntry
			g.Entries = append(g.Entries, id)
		}
		if g.isIndirectTarget(id) {
			g.marked[v.Type] = append(g.marked[v.Type], id)
		}
	}
	return nil
}

// isIndirectTarget reports whether calls without known callee bring the
// function into an image although nothing names it there. One that may be
// dropped when unused is in an image only where it is named: no call can have
// its address otherwise.
func (g *Graph) isIndirectTarget(id ir.ValueID) bool {
	v := &g.Module.Values[id]
	return !v.Declaration && !v.Linkage.Discardable() && !g.IsKernel(id) && g.attributes.has(v, keyReferencedIndirectly)
}

// flagAliasees notes what an alias or ifunc stands for.
func (g *Graph) flagAliasees(v *ir.GlobalValue) {
	if v.Kind != ir.Alias && v.Kind != ir.IFunc {
		return
	}
	for _, ref := range v.Refs {
		if k := ref.Kind(); k == ir.RefCallee || k == ir.RefAddress {
			g.flags[ref.Index()] |= flagAliasee
		}
	}
}

func (g *Graph) functionFlags(v *ir.GlobalValue) (f valueFlags) {
	virtual := g.attributes.has(v, keyIndirectlyCallable)
	if virtual || g.attributes.has(v, keyReferencedIndirectly) {
		f |= flagPreserved
	}
	if virtual {
		f |= flagVirtual
	}
	if _, ok := v.Attached(sycl.KindExplicitSIMD); ok {
		f |= flagESIMD
	}
	if g.options.Dependencies != DependenciesNone && !virtual && g.mayBeImported(v) {
		f |= flagImportable
	}
	return f
}

// mayBeImported reports whether another image can give the function, as far as
// can be seen from the function itself. Names are looked at last: demangling
// takes time.
func (g *Graph) mayBeImported(v *ir.GlobalValue) bool {
	if !v.Declaration && (v.IsLocal() || sycl.IsKernelConvention(v.CallingConv) || !g.attributes.has(v, keyModuleID)) {
		return false
	}
	return sycl.IsImportableName(v.Name)
}

func (g *Graph) isVirtual(id ir.ValueID) bool { return g.flags[id]&flagVirtual != 0 }

// IsKernel reports whether the function is a kernel, by its calling
// convention or by !nvvm.annotations.
func (g *Graph) IsKernel(id ir.ValueID) bool { return g.flags[id]&flagKernel != 0 }

// IsEntryPoint reports whether the function is an entry point of some image.
func (g *Graph) IsEntryPoint(id ir.ValueID) bool { return g.flags[id]&flagEntry != 0 }

// ModuleID returns the source file that a function comes from, and whether it
// has one.
func (g *Graph) ModuleID(id ir.ValueID) (string, bool) {
	return g.attributes.get(&g.Module.Values[id], keyModuleID)
}

// IsDeviceGlobal reports whether the value is a device_global variable.
func (g *Graph) IsDeviceGlobal(id ir.ValueID) bool {
	v := &g.Module.Values[id]
	return v.Kind == ir.Variable && g.attributes.has(v, keyDeviceGlobalSize)
}

// HasImageScope reports whether a device_global variable may be in one image
// only.
func (g *Graph) HasImageScope(id ir.ValueID) bool {
	value, ok := g.attributes.get(&g.Module.Values[id], keyDeviceImageScope)
	return ok && value != "false"
}

// overrideElements notes the references of arrays that lose elements.
func (g *Graph) overrideElements() error {
	for i := range g.Module.Values {
		v := &g.Module.Values[i]
		if v.Details().KeepElements == nil {
			continue
		}
		if len(v.Details().KeepElements) == 0 {
			g.flags[i] |= flagGone
			continue
		}
		refs, err := g.Module.Source.ElementRefs(ir.ValueID(i), v.Details().KeepElements)
		if err != nil {
			return err
		}
		g.overrides[ir.ValueID(i)] = refs
	}
	return nil
}

// refs returns what the value refers to, as far as it decides what an image
// holds.
func (g *Graph) refs(id ir.ValueID) []ir.Ref {
	if refs, ok := g.overrides[id]; ok {
		return refs
	}
	return g.Module.Values[id].Refs
}

// findRoots collects the definitions that images have whether or not an entry
// point reaches them.
func (g *Graph) findRoots() error {
	g.comdats = newComdatMembers(g.Module)
	for i := range g.Module.Values {
		id, v := ir.ValueID(i), &g.Module.Values[i]
		switch {
		case v.Declaration || v.Linkage.Discardable() || g.flags[id]&flagGone != 0:
		case v.Kind == ir.Variable && !g.isAnnotations(id):
			g.roots = append(g.roots, id)
		case v.Kind == ir.Alias || v.Kind == ir.IFunc:
			g.wholeRoots = append(g.wholeRoots, id)
		case v.Kind == ir.Function && g.flags[id]&flagPreserved != 0:
			g.wholeRoots = append(g.wholeRoots, id)
		}
	}
	return nil
}

// users returns the values that refer to any of those, in module order.
func (g *Graph) users(of map[ir.ValueID]bool) map[ir.ValueID][]ir.ValueID {
	users := make(map[ir.ValueID][]ir.ValueID)
	for i := range g.Module.Values {
		for _, ref := range g.refs(ir.ValueID(i)) {
			if k := ref.Kind(); k != ir.RefCallee && k != ir.RefAddress {
				continue
			}
			if to := ir.ValueID(ref.Index()); of[to] {
				users[to] = append(users[to], ir.ValueID(i))
			}
		}
	}
	for to := range users {
		users[to] = slices.Compact(users[to])
	}
	return users
}

// Modified reports whether images differ from the input beyond leaving parts
// out: an image of the whole module is then not the input file.
func (g *Graph) Modified() bool { return g.modified }

// Options returns the options that the graph was built with.
func (g *Graph) Options() Options { return g.options }
