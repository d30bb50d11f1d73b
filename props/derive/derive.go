// Package derive makes the property sets of a device image from its partition, and
// describes property sets of any origin.
//
// catalog.go has a row for each set: its keys and values, the option of postlink
// that asks for it, and the functions that derive and describe it. [Sets] goes
// through the rows in order. Each set, or small family of sets, has a file with
// its derivation. The sets, their keys and their order are those of
// sycl-post-link (intel/llvm, SYCLPropertySets.cpp, SYCLDeviceRequirements.cpp).
//
// A derivation reads the partition and never the whole module: a value that an image
// does not have must not leave a trace in the image's sets.
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

// Options says which sets an image gets.
type Options struct {
	Dialect Dialect
	// Requested are the names of the sets with an option that are asked for;
	// see [PropertySets]. Sets without an option are written whenever the
	// image has something to say in them.
	Requested map[string]bool
	// Libraries are the functions that device libraries of the run define: an
	// image that needs one imports it, whether or not imports are asked for.
	Libraries map[string]bool
	// IDQueriesRange is the type that holds the results of id queries, as the
	// property of that name has it: 0 int (no property), 1 uint, 2 size_t.
	IDQueriesRange uint32
}

// image is a partition whose property sets are being derived.
type image struct {
	*split.Partition
	options Options
	sets    *props.Sets
}

// Sets returns the property sets of the image that s describes.
func Sets(s *split.Partition, o Options) (*props.Sets, error) {
	i := &image{Partition: s, options: o, sets: &props.Sets{}}
	for n := range catalog {
		if set := &catalog[n]; set.appliesTo(&o) {
			if err := set.derive(i); err != nil {
				return nil, err
			}
		}
	}
	return i.sets, nil
}

// AddTarget adds the target that an image was compiled for.
func AddTarget(sets *props.Sets, target string) {
	sets.Put(props.SetDeviceRequirements, "compile_target", props.String(target))
}

func (i *image) putProperty(set, name string, v props.Value) { i.sets.Put(set, name, v) }

func (i *image) valueOf(id ir.ValueID) *ir.GlobalValue { return &i.Module.Values[id] }

// eachKernel yields the kernels among the entry points, in module order.
func (i *image) eachKernel(yield func(*ir.GlobalValue) bool) {
	for _, id := range i.Group.Entries {
		if i.Graph.IsKernel(id) && !yield(i.valueOf(id)) {
			return
		}
	}
}

// eachFunction yields the functions of the image, declared ones too, in module
// order. One that is only declared in the image although the module defines
// it has lost its metadata there, and is left out.
func (i *image) eachFunction(yield func(ir.ValueID, *ir.GlobalValue) bool) {
	i.allValues(func(id ir.ValueID, v *ir.GlobalValue) bool {
		return v.Kind != ir.Function || (!v.Declaration && !i.Defines(id)) || yield(id, v)
	})
}

// eachVariable yields the variables of the image, declared ones too, in module
// order.
func (i *image) eachVariable(yield func(ir.ValueID, *ir.GlobalValue) bool) {
	i.allValues(func(id ir.ValueID, v *ir.GlobalValue) bool { return v.Kind != ir.Variable || yield(id, v) })
}

// allValues yields the values of the image in module order.
func (i *image) allValues(yield func(ir.ValueID, *ir.GlobalValue) bool) {
	defined, declared := i.Definitions, i.Declarations
	for len(defined)+len(declared) > 0 {
		from := &defined
		if len(defined) == 0 || (len(declared) > 0 && declared[0] < defined[0]) {
			from = &declared
		}
		id := (*from)[0]
		*from = (*from)[1:]
		if !yield(id, i.valueOf(id)) {
			return
		}
	}
}
