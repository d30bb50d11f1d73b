package split

import (
	"fmt"
	"strings"

	"offlink/ir"
)

// isKernelConvention reports whether functions of that calling convention are
// kernels. Text may give a convention by its number.
func isKernelConvention(convention string) bool {
	switch convention {
	case "spir_kernel", "amdgpu_kernel", "ptx_kernel", "cc 76", "cc 91", "cc 71":
		return true
	}
	return false
}

// Kernels returns the functions with a body that are kernels by their calling
// convention or by !nvvm.annotations, in the order of the module.
func Kernels(m *ir.Module) ([]ir.ValueID, error) {
	nvvm, err := nvvmKernels(m)
	if err != nil {
		return nil, err
	}
	var kernels []ir.ValueID
	for i := range m.Values {
		v := &m.Values[i]
		if v.Kind == ir.Function && !v.Declaration && (isKernelConvention(v.CallingConv) || nvvm[ir.ValueID(i)]) {
			kernels = append(kernels, ir.ValueID(i))
		}
	}
	return kernels, nil
}

// nvvmKernels returns the functions that !nvvm.annotations calls kernels:
// older NVPTX modules have no calling convention for them. An entry is
// {function, !"kernel", i32 1, further pairs}.
func nvvmKernels(m *ir.Module) (map[ir.ValueID]bool, error) {
	list := m.Named("nvvm.annotations")
	if list == nil {
		return nil, nil
	}
	kernels := make(map[ir.ValueID]bool)
	for _, o := range list.Operands {
		entry, err := m.Resolve(o)
		if err != nil {
			return nil, err
		}
		if len(entry) == 0 || entry[0].Kind != ir.OperandValue {
			continue
		}
		for i := 1; i+1 < len(entry); i += 2 {
			if entry[i].Kind == ir.OperandString && entry[i].String == "kernel" && entry[i+1].Int != 0 {
				kernels[entry[0].Value] = true
			}
		}
	}
	return kernels, nil
}

// isEntryPoint reports whether the host can name the function: a kernel, an
// exported function unless only kernels count, or a virtual function, which
// always becomes part of an image of its own.
func (g *Graph) isEntryPoint(id ir.ValueID) bool {
	v := &g.Module.Values[id]
	if v.Kind != ir.Function || v.Declaration {
		return false
	}
	if g.IsKernel(id) {
		return true
	}
	if g.options.OnlyKernels {
		return g.attributes.has(v, keyIndirectlyCallable)
	}
	return g.attributes.has(v, keyModuleID) && !isBuiltin(v.Name)
}

// checkEntries refuses entry points that a symbol file cannot name.
func (g *Graph) checkEntries() error {
	for _, id := range g.Entries {
		name := g.Module.Values[id].Name
		if name == "" {
			return fmt.Errorf("an entry point has no name, so the host cannot find it: name the functions that have %s", AttributeModuleID)
		}
		if strings.Contains(name, "\n") {
			return fmt.Errorf("the name of the entry point %q has a line end in it, which a symbol file cannot hold", name)
		}
	}
	return nil
}
