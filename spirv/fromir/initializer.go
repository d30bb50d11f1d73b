package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// initializers gives the kernels that llvm.global_ctors and llvm.global_dtors
// list the execution mode Initializer or Finalizer. C++ for OpenCL makes such
// kernels of the initialisers of variables; other functions cannot be run
// before a program's kernels, and leaving them out would leave the variables
// without their values.
func (t *translator) initializers() {
	for _, list := range []struct {
		name string
		mode uint32
	}{{"llvm.global_ctors", modeInitializer}, {"llvm.global_dtors", modeFinalizer}} {
		for _, n := range t.listedFunctions(list.name) {
			info := t.functions[n]
			if info == nil || !info.kernel || info.value.Declaration {
				t.failf("%s lists %s, which is not a kernel: SPIR-V has no place for initialisers that are run before kernels; give the variable a constant initialiser",
					list.name, t.module.Values[n].Name)
			}
			t.needVersion(spirv.Version1_1)
			t.mode(info.self, list.mode)
		}
	}
}

// listedFunctions returns the functions of an array of structs of priority,
// function and data.
func (t *translator) listedFunctions(name string) (list []ir.ValueID) {
	n, ok := t.module.Lookup(name)
	if !ok || t.module.Values[n].Declaration {
		return nil
	}
	init, err := t.module.Source.Initializer(n)
	if err != nil {
		t.failf("%v", err)
	}
	for _, e := range init.Elements {
		if len(e.Elements) >= 2 && e.Elements[1].Kind == ir.ConstantValue {
			list = append(list, e.Elements[1].Value)
		}
	}
	return list
}
