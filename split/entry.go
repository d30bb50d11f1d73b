package split

import (
	"fmt"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
)

// isEntryPoint reports whether the function is an entry point: a kernel, an
// exported function unless only kernels count, or a virtual function, for which
// the runtime looks through the images by the name of its set.
func (g *Graph) isEntryPoint(id ir.ValueID) bool {
	v := &g.Module.Values[id]
	if v.Kind != ir.Function || v.Declaration {
		return false
	}
	if g.IsKernel(id) {
		return true
	}
	if g.options.OnlyKernels {
		return g.attributes.hasAttribute(v, keyIndirectlyCallable)
	}
	return g.attributes.hasAttribute(v, keyModuleID) && !sycl.IsBuiltinName(v.Name)
}

// checkEntries refuses entry points that a symbol file cannot name.
func (g *Graph) checkEntries() error {
	for _, id := range g.Entries {
		name := g.Module.Values[id].Name
		if name == "" {
			return fmt.Errorf("an entry point has no name, so the host cannot find it: name every function that has %s", sycl.AttributeModuleID)
		}
		if strings.Contains(name, "\n") {
			return fmt.Errorf("the name of the entry point %q has a line end in it, which a symbol file cannot hold", name)
		}
	}
	return nil
}
