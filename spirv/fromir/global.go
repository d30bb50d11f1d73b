package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// global returns the known facts of a variable, alias or ifunc.
func (t *translator) global(n ir.ValueID) *globalInfo {
	g := t.globals[n]
	if g != nil {
		return g
	}
	v := &t.module.Values[n]
	g = &globalInfo{pointee: noTerm, space: v.AddressSpace}
	t.globals[n] = g
	if v.Kind == ir.Alias || v.Kind == ir.IFunc {
		g.pool = new(ir.ConstantPool)
		target, err := t.reader.ReadInitializer(n, g.pool)
		if err != nil {
			t.failf("%v", err)
		}
		t.types = t.reader.Types()
		g.alias = target
		return g
	}
	g.pointee = t.member(v.Type)
	return g
}

// globalTerm returns the pointee of a global's address.
func (t *translator) globalTerm(n ir.ValueID) term {
	switch v := &t.module.Values[n]; v.Kind {
	case ir.Function:
		return t.terms.add(termNode{kind: termFunction, typ: uint32(n)})
	case ir.Variable:
		return t.global(n).pointee
	}
	g := t.global(n)
	if g.busy {
		return noTerm
	}
	g.busy = true
	defer func() { g.busy = false }()
	return t.constantTerm(g.pool, g.alias)
}

// globalAddress returns the address of a global as a value.
func (t *translator) globalAddress(n ir.ValueID) id {
	switch v := &t.module.Values[n]; v.Kind {
	case ir.Function:
		return t.functionPointer(n)
	case ir.Variable:
		return t.variableID(n)
	}
	g := t.global(n)
	if g.self == 0 {
		if g.busy {
			t.failf("an alias of itself")
		}
		g.busy = true
		g.self = t.globalConstant(g.pool, g.alias, 0)
		g.busy = false
	}
	return g.self
}

func (t *translator) globalAddressType(n ir.ValueID) id {
	v := &t.module.Values[n]
	if v.Kind == ir.Function {
		return t.pointerType(t.functionTypeOf(n), v.AddressSpace)
	}
	found := t.globalTerm(n)
	if found == noTerm {
		return t.pointerType(t.intType(8), v.AddressSpace)
	}
	return t.pointerType(t.termID(found), v.AddressSpace)
}

// ignoredVariables are for compilers and linkers alone.
func ignoredVariable(name string) bool {
	switch name {
	case "llvm.used", "llvm.compiler.used", "llvm.global.annotations", "llvm.global_ctors", "llvm.global_dtors":
		return true
	}
	return false
}

// translateVariables writes the variables in the order of the module.
func (t *translator) translateVariables() {
	for i := range t.module.Values {
		n, v := ir.ValueID(i), &t.module.Values[i]
		if t.inputGlobal(n) != nil {
			t.inputGlobals = append(t.inputGlobals, n)
			continue
		}
		if v.Kind == ir.Variable && !ignoredVariable(v.Name) && !t.onlyAnnotates(n) {
			t.variableID(n)
		}
	}
}

// onlyAnnotates reports whether a variable is the text of annotations alone,
// which stock clang puts into address space 0 of section llvm.metadata.
func (t *translator) onlyAnnotates(n ir.ValueID) bool {
	v := &t.module.Values[n]
	if v.AddressSpace != 0 && !v.IsLocal() || v.Declaration {
		return false
	}
	h, err := t.reader.ReadHeader(n)
	return err == nil && h.Section == "llvm.metadata"
}

// variableID writes a variable when it is first asked for.
func (t *translator) variableID(n ir.ValueID) id {
	g, v := t.global(n), &t.module.Values[n]
	if g.self != 0 {
		return g.self
	}
	if t.inputGlobal(n) != nil {
		t.failf("the address of the built-in variable %s", v.Name)
	}
	class := t.storageClass(v.AddressSpace)
	if class == spirv.StorageFunction {
		t.failf("the variable %s is in address space 0, where only variables of functions are; give it an address space", v.Name)
	}
	pointer := t.pointerType(t.termID(g.pointee), v.AddressSpace)
	self := t.b.newID()
	g.self = self
	words := []uint32{pointer, self, uint32(class)}
	deps := []id{pointer}
	if init := t.initializer(n); init != 0 {
		words, deps = append(words, init), append(deps, init)
	}
	t.b.add(self, spirv.OpVariable, words, deps)
	t.b.name(self, v.Name)
	t.decorateVariable(n, self)
	return self
}

func (t *translator) decorateVariable(n ir.ValueID, self id) {
	v := &t.module.Values[n]
	t.linkage(self, v)
	if v.Constant {
		t.b.decorate(self, decConstant)
	}
	h, err := t.reader.ReadHeader(n)
	if err != nil {
		t.failf("%v", err)
	}
	if h.Alignment > 0 {
		t.b.decorate(self, decAlignment, uint32(h.Alignment))
	}
	if o, ok := v.Attached("spirv.Decorations"); ok {
		t.decorations(self, o)
	}
}

// initializer returns the initialiser of a variable, 0 if it has none.
func (t *translator) initializer(n ir.ValueID) id {
	v := &t.module.Values[n]
	if v.Declaration || v.Linkage == ir.Common {
		return 0
	}
	var pool ir.ConstantPool
	root, err := t.reader.ReadInitializer(n, &pool)
	if err != nil {
		t.failf("%v", err)
	}
	t.types = t.reader.Types()
	if root.Kind == ir.ValueConstant {
		switch c := pool.At(root); c.Kind {
		case ir.ConstantUndef, ir.ConstantPoison:
			return 0
		}
	}
	return t.globalConstant(&pool, root, t.termID(t.global(n).pointee))
}

// Kinds of linkage.
const (
	linkExport      = 0
	linkImport      = 1
	linkLinkOnceODR = 2
	linkWeakAMD     = 3
)

// linkage decorates a function or variable that other modules see.
func (t *translator) linkage(self id, v *ir.GlobalValue) {
	kind := uint32(linkExport)
	switch {
	case v.IsLocal() || v.Name == "":
		return
	case v.Declaration || v.Linkage == ir.AvailableExternally:
		kind = linkImport
	case v.Linkage == ir.LinkOnceODR && t.options.allowed("SPV_KHR_linkonce_odr"):
		t.use("SPV_KHR_linkonce_odr")
		kind = linkLinkOnceODR
	case v.Linkage == ir.WeakAny && t.options.allowed("SPV_AMD_weak_linkage"):
		t.use("SPV_AMD_weak_linkage")
		kind = linkWeakAMD
	}
	t.capability(capLinkage)
	t.b.addDecoration(spirv.OpDecorate, append(appendText([]uint32{self, decLinkageAttributes}, v.Name), kind))
}

// isOpenCLStruct reports whether a pointer to the opaque struct of that name
// is a type of its own.
func (t *translator) isOpenCLStruct(name string) bool {
	return strings.HasPrefix(name, "opencl.") && name != "opencl.block" || strings.HasPrefix(name, "spirv.") || name == "struct._event_t"
}
