package derive

import (
	"offlink/ir"
	"offlink/props"
)

// Marks of kernels that use local memory of a size that the launch gives, and
// of the parameter by which they get it.
const (
	attributeGroupStatic      = "sycl-work-group-static"
	attributeGroupScratch     = "sycl-work-group-scratch"
	attributeImplicitLocalArg = "sycl-implicit-local-arg"
)

// noArgument is written for a kernel that gets the memory without a parameter.
const noArgument = 1<<32 - 1

// implicitLocalArg gives for each kernel with memory of a work-group the index
// of the parameter that is a pointer to it, among those that it takes.
func (i *image) implicitLocalArg() error {
	for v := range i.marked(attributeGroupStatic) {
		index := uint32(noArgument)
		for _, p := range v.Parameters {
			if p.Key == attributeImplicitLocalArg {
				index = uint32(p.Index)
				break
			}
		}
		i.put(props.SetImplicitLocalArg, v.Name, props.Uint32(index))
	}
	return nil
}

// dynamicLocalMemory names the kernels that use scratch memory.
func (i *image) dynamicLocalMemory() error {
	if i.options.Dialect < Dialect2026 {
		return nil
	}
	for v := range i.marked(attributeGroupScratch) {
		i.put(props.SetDynamicLocalMemory, v.Name, present)
	}
	return nil
}

// marked yields the kernels with an attribute.
func (i *image) marked(attribute string) func(yield func(*ir.GlobalValue) bool) {
	return func(yield func(*ir.GlobalValue) bool) {
		for _, id := range i.Group.Entries {
			if _, ok := i.Module.Attribute(id, attribute); !ok || !i.Graph.IsKernel(id) {
				continue
			}
			if !yield(i.value(id)) {
				return
			}
		}
	}
}
