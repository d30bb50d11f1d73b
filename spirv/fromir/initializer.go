package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// initializerModes gives the kernels that llvm.global_ctors and llvm.global_dtors list the
// execution mode Initializer or Finalizer. C++ for OpenCL makes such kernels of the
// initialisers of variables. A function that is not a kernel is an error: it cannot be run
// before a program's kernels, and without it the variables would not have their values.
func (m *image) initializerModes() {
	for _, list := range []struct {
		name string
		mode uint32
	}{{"llvm.global_ctors", modeInitializer}, {"llvm.global_dtors", modeFinalizer}} {
		for _, n := range m.listedFunctions(list.name) {
			v := m.view.findValue(n)
			if v == nil || v.Value.Kind != ir.Function || m.module.CallingConv(v.Value) != "spir_kernel" || !v.Definition {
				m.failf("%s lists %s, which is not a kernel: SPIR-V has no place for initialisers that are run before kernels; give the variable a constant initialiser",
					list.name, m.module.Values[n].Name)
			}
			m.needVersion(spirv.Version1_1)
			m.modes = appendInstruction(m.modes, spirv.OpExecutionMode, m.kernelOf(n), list.mode)
		}
	}
}

// listedFunctions returns the functions of an array of structs of priority,
// function and data.
func (m *image) listedFunctions(name string) (list []ir.ValueID) {
	n, ok := m.module.Lookup(name)
	if !ok {
		return nil
	}
	for _, e := range m.listedElements(n) {
		if len(e.Elements) >= 2 && e.Elements[1].Kind == ir.ConstantValue {
			list = append(list, e.Elements[1].Value)
		}
	}
	return list
}
