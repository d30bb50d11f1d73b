package derive

import (
	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// noArgument is written for a kernel that gets the memory without a parameter.
const noArgument = 1<<32 - 1

// implicitLocalArg gives for each kernel with memory of a work-group the index
// of the parameter that is a pointer to it, among those that it takes.
func (i *image) implicitLocalArg() error {
	for v := range i.marked(sycl.AttributeWorkGroupStatic) {
		index := uint32(noArgument)
		for _, p := range v.Details().Parameters {
			if p.Key == sycl.AttributeImplicitLocalArg {
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
	for v := range i.marked(sycl.AttributeWorkGroupScratch) {
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
