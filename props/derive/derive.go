// Package derive makes the property sets of a device image from its slice.
//
// Each set, or small family of them, has a file. The sets and their keys are
// those that sycl-post-link writes (intel/llvm, SYCLPropertySets.cpp,
// SYCLDeviceRequirements.cpp), and their order is too.
package derive

import (
	"fmt"

	"offlink/ir"
	"offlink/props"
	"offlink/split"
)

// Dialect is the era of the toolchain that reads the sets.
type Dialect int

// The dialects. They differ in the device library mask, which 2026 does not
// write, and in device globals, which 2026 lists among the exported and
// imported symbols.
const (
	Dialect2025 Dialect = 2025
	Dialect2026 Dialect = 2026
)

// ParseDialect returns the dialect of that year.
func ParseDialect(s string) (Dialect, error) {
	switch s {
	case "2025":
		return Dialect2025, nil
	case "2026":
		return Dialect2026, nil
	}
	return 0, fmt.Errorf("there is no dialect '%s': use 2025 or 2026", s)
}

// Options says which sets are asked for. What is not listed here is written
// whenever the image has it.
type Options struct {
	Dialect         Dialect
	ParamInfo       bool // kernel param opt
	ProgramMetadata bool
	KernelNames     bool
	ExportedSymbols bool
	ImportedSymbols bool
	DeviceGlobals   bool
	// Libraries are the functions that device libraries of the run give: where
	// an image needs them they are imported, whatever is asked for.
	Libraries map[string]bool
	// IDQueriesRange is what the results of id queries fit into, as the
	// property of that name has it: 0 int (no property), 1 uint, 2 size_t.
	IDQueriesRange uint32
}

// image is what the functions of this package look at.
type image struct {
	*split.Slice
	options Options
	sets    *props.Sets
}

// Sets returns the property sets of the image that s describes.
func Sets(s *split.Slice, o Options) (*props.Sets, error) {
	i := &image{Slice: s, options: o, sets: &props.Sets{}}
	steps := []func() error{
		i.deviceLibMask,
		i.deviceLibMetadata,
		i.requirements,
		i.specConstants,
		i.paramOpt,
		i.exportedSymbols,
		i.kernelNames,
		i.importedSymbols,
		i.programMetadata,
		i.misc,
		i.assertUsed,
		i.implicitLocalArg,
		i.dynamicLocalMemory,
		i.sanitizer,
		i.deviceGlobals,
		i.hostPipes,
		i.defaultValues,
		i.virtualFunctions,
		i.registeredKernels,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return i.sets, nil
}

// AddTarget says in the sets of an image which target it was compiled for.
func AddTarget(sets *props.Sets, target string) {
	sets.Put(props.SetDeviceRequirements, "compile_target", props.String(target))
}

func (i *image) put(set, name string, v props.Value) { i.sets.Put(set, name, v) }

func (i *image) value(id ir.ValueID) *ir.GlobalValue { return &i.Module.Values[id] }

// kernels yields the kernels among the entry points, in module order.
func (i *image) kernels(yield func(*ir.GlobalValue) bool) {
	for _, id := range i.Group.Entries {
		if i.Graph.IsKernel(id) && !yield(i.value(id)) {
			return
		}
	}
}

// functions yields the functions of the image, declared ones too, in module
// order. One that is only declared in the image although the module defines
// it has lost its metadata there, and is left out.
func (i *image) functions(yield func(ir.ValueID, *ir.GlobalValue) bool) {
	i.all(func(id ir.ValueID, v *ir.GlobalValue) bool {
		return v.Kind != ir.Function || (!v.Declaration && !i.Defines(id)) || yield(id, v)
	})
}

// variables yields the variables of the image, declared ones too, in module
// order.
func (i *image) variables(yield func(ir.ValueID, *ir.GlobalValue) bool) {
	i.all(func(id ir.ValueID, v *ir.GlobalValue) bool { return v.Kind != ir.Variable || yield(id, v) })
}

// all yields the values of the image in module order.
func (i *image) all(yield func(ir.ValueID, *ir.GlobalValue) bool) {
	defined, declared := i.Definitions, i.Declarations
	for len(defined)+len(declared) > 0 {
		from := &defined
		if len(defined) == 0 || (len(declared) > 0 && declared[0] < defined[0]) {
			from = &declared
		}
		id := (*from)[0]
		*from = (*from)[1:]
		if !yield(id, i.value(id)) {
			return
		}
	}
}
