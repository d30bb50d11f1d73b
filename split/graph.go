package split

import (
	"slices"

	"offlink/ir"
	"offlink/ir/sycl"
)

// Graph holds the facts about a module that splitting needs: its entry points
// and the references of each value. [NewGraph] makes it complete; after that it
// is only read, by any number of goroutines.
type Graph struct {
	Module *ir.Module
	// Entries are the entry points in module order. Callers must not change
	// them.
	Entries []ir.ValueID

	options    Options
	modified   bool
	late       bool // LateFrontEnd
	attributes attributeTable
	flags      []valueFlags
	// overrides are the references of values whose content is changed.
	overrides map[ir.ValueID][]ir.Ref
	// indirect are the functions that a call without known callee brings in,
	// by their type; see isIndirectTarget.
	indirect map[ir.TypeID][]ir.ValueID
	// roots are the definitions that every image must have, and wholeRoots
	// those that an image of the whole module has in addition.
	roots, wholeRoots []ir.ValueID
	comdats           comdatMembers
	named             []namedFilter
	registered        *registeredKernels
	annotations       *annotations
	specConstants     *specConstants
	sanitizer         *sanitizerList // nil unless a sanitizer has instrumented the module
}

// LateFrontEnd reports whether the module is from a front end for which [sycl.IsLateFrontEnd] is
// true. The answer is kept, as each image would ask again.
func (g *Graph) LateFrontEnd() bool { return g.late }

type valueFlags uint8

const (
	flagKernel valueFlags = 1 << iota
	flagEntry
	flagPreserved  // stays visible in images where it is not an entry point
	flagVirtual    // defined only in images of virtual functions
	flagImportable // by its name another image can define it
	flagESIMD
	flagDropped // not written: llvm.used
	flagAliasee // an alias or ifunc stands for it, and needs its definition
)

// NewGraph analyses the module, whose annotations must have become attributes before (see
// [ApplyAnnotations]). It changes the lists of used values as the splitter does; from then on the
// module must not change.
func NewGraph(m *ir.Module, options Options) (*Graph, error) {
	g := &Graph{
		Module:     m,
		options:    options,
		modified:   options.Annotated,
		attributes: newAttributeTable(m.AttributeGroups),
		flags:      make([]valueFlags, len(m.Values)),
		overrides:  make(map[ir.ValueID][]ir.Ref),
		indirect:   make(map[ir.TypeID][]ir.ValueID),
	}
	// The order matters: later steps use the flags, roots and overrides of earlier ones.
	steps := []func() error{
		g.findFrontEnd,
		g.classifyEntries,
		g.clearUsed,
		g.findAnnotations,
		g.overrideElements,
		g.findSpecConstants,
		g.findSanitizerList,
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

func (g *Graph) findFrontEnd() (err error) {
	g.late, err = sycl.IsLateFrontEnd(g.Module)
	return err
}

// classifyEntries sets the flags of functions and collects the entry points.
func (g *Graph) classifyEntries() error {
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
		if sycl.IsKernelConvention(g.Module.CallingConv(v)) || nvvm[id] {
			g.flags[id] |= flagKernel
		}
		g.flags[id] |= g.functionFlags(v)
		if g.isEntryPoint(id) {
			g.flags[id] |= flagEntry
			g.Entries = append(g.Entries, id)
		}
		if g.isIndirectTarget(id) {
			g.indirect[v.Type] = append(g.indirect[v.Type], id)
		}
	}
	return nil
}

// isIndirectTarget reports whether calls without known callee bring the
// function into an image although nothing refers to it there. A discardable
// function is in an image only where something refers to it: no call can have
// its address otherwise.
func (g *Graph) isIndirectTarget(id ir.ValueID) bool {
	v := &g.Module.Values[id]
	return !v.Declaration && !v.Linkage.Discardable() && !g.IsKernel(id) && g.attributes.hasAttribute(v, keyReferencedIndirectly)
}

// flagAliasees flags the value that an alias or ifunc stands for: an alias to a
// declaration is not valid IR.
func (g *Graph) flagAliasees(v *ir.GlobalValue) {
	if v.Kind != ir.Alias && v.Kind != ir.IFunc {
		return
	}
	for _, ref := range g.Module.Refs(v) {
		if k := ref.Kind(); k == ir.RefCallee || k == ir.RefAddress {
			g.flags[ref.Index()] |= flagAliasee
		}
	}
}

// functionFlags returns the flags of a function that its own attributes decide.
func (g *Graph) functionFlags(v *ir.GlobalValue) (f valueFlags) {
	virtual := g.attributes.hasAttribute(v, keyIndirectlyCallable)
	if virtual || g.attributes.hasAttribute(v, keyReferencedIndirectly) {
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

// mayBeImported reports whether another image can define the function, as far
// as the function itself tells. The name is tested last, because demangling is
// the expensive part.
func (g *Graph) mayBeImported(v *ir.GlobalValue) bool {
	if !v.Declaration && (v.IsLocal() || sycl.IsKernelConvention(g.Module.CallingConv(v)) || !g.attributes.hasAttribute(v, keyModuleID)) {
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
	return g.attributes.lookupAttribute(&g.Module.Values[id], keyModuleID)
}

// IsDeviceGlobal reports whether the value is a device_global variable.
func (g *Graph) IsDeviceGlobal(id ir.ValueID) bool {
	v := &g.Module.Values[id]
	return v.Kind == ir.Variable && g.attributes.hasAttribute(v, keyDeviceGlobalSize)
}

// HasImageScope reports whether at most one image may have a device_global
// variable.
func (g *Graph) HasImageScope(id ir.ValueID) bool {
	value, ok := g.attributes.lookupAttribute(&g.Module.Values[id], keyDeviceImageScope)
	return ok && value != "false"
}

// overrideElements computes the references of arrays that lose elements. An array that loses all of
// them is dropped.
func (g *Graph) overrideElements() error {
	for i := range g.Module.Values {
		v := &g.Module.Values[i]
		if v.Details().KeepElements == nil {
			continue
		}
		if len(v.Details().KeepElements) == 0 {
			g.flags[i] |= flagDropped
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

// referencesOf returns the references of the value that decide which values an image has.
func (g *Graph) referencesOf(id ir.ValueID) []ir.Ref {
	if refs, ok := g.overrides[id]; ok {
		return refs
	}
	return g.Module.Refs(&g.Module.Values[id])
}

// findRoots collects the definitions that images have whether or not an entry
// point reaches them.
func (g *Graph) findRoots() error {
	g.comdats = newComdatMembers(g.Module)
	g.roots = make([]ir.ValueID, 0, g.countVariables())
	for i := range g.Module.Values {
		id, v := ir.ValueID(i), &g.Module.Values[i]
		switch {
		case v.Declaration || v.Linkage.Discardable() || g.flags[id]&flagDropped != 0:
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

// countVariables returns how many variables the module defines.
func (g *Graph) countVariables() (n int) {
	for i := range g.Module.Values {
		if v := &g.Module.Values[i]; v.Kind == ir.Variable && !v.Declaration && !v.Linkage.Discardable() {
			n++
		}
	}
	return n
}

// usersOf returns, for each of the given values, the values that refer to it, in module order.
func (g *Graph) usersOf(of map[ir.ValueID]bool) map[ir.ValueID][]ir.ValueID {
	users := make(map[ir.ValueID][]ir.ValueID)
	for i := range g.Module.Values {
		for _, ref := range g.referencesOf(ir.ValueID(i)) {
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

// Modified reports whether images differ from the input by more than the parts that they leave out.
// If so, even an image of the whole module is not the input file.
func (g *Graph) Modified() bool { return g.modified }

// Options returns the options that the graph was built with.
func (g *Graph) Options() Options { return g.options }
