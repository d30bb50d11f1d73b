package derive

import (
	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// noArgument is the index of a kernel that gets the memory without a parameter.
const noArgument = 1<<32 - 1

// implicitLocalArg gives for each kernel with work-group memory the index of the
// parameter that points to it, among the parameters that are left.
func (i *image) implicitLocalArg() error {
	for v := range i.kernelsWith(sycl.AttributeWorkGroupStatic) {
		index := uint32(noArgument)
		for _, p := range v.Details().Parameters {
			if p.Key == sycl.AttributeImplicitLocalArg {
				index = uint32(p.Index)
				break
			}
		}
		i.putProperty(props.SetImplicitLocalArg, v.Name, props.Uint32(index))
	}
	return nil
}

// dynamicLocalMemory names the kernels that use scratch memory.
func (i *image) dynamicLocalMemory() error {
	for v := range i.kernelsWith(sycl.AttributeWorkGroupScratch) {
		i.putProperty(props.SetDynamicLocalMemory, v.Name, present)
	}
	return nil
}

// kernelsWith yields the kernels that have an attribute.
func (i *image) kernelsWith(attribute string) func(yield func(*ir.GlobalValue) bool) {
	return func(yield func(*ir.GlobalValue) bool) {
		for _, id := range i.Group.Entries {
			if _, ok := i.Module.Attribute(id, attribute); !ok || !i.Graph.IsKernel(id) {
				continue
			}
			if !yield(i.valueOf(id)) {
				return
			}
		}
	}
}
