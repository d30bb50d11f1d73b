package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// globalOf returns the facts of a variable, alias or ifunc. They are found on the first use:
// a module has many more variables than one unit uses.
func (t *translator) globalOf(n ir.ValueID) *globalInfo {
	g := t.globals[n]
	if g != nil {
		return g
	}
	v := &t.module.Values[n]
	g = &globalInfo{pointee: noTerm}
	t.globals[n] = g
	if v.Kind == ir.Alias || v.Kind == ir.IFunc {
		g.pool = new(ir.ConstantPool)
		g.alias = t.readInitializer(n, g.pool)
		return g
	}
	g.pointee = t.memberTerm(v.Type)
	return g
}

// globalTerm returns the term of the pointee of a global's address. That of an alias is the
// one of its aliasee, which may be another alias; busy ends a circle of aliases.
func (t *translator) globalTerm(n ir.ValueID) term {
	switch v := &t.module.Values[n]; v.Kind {
	case ir.Function:
		return t.terms.addTerm(termNode{kind: termFunction, typ: uint32(n)})
	case ir.Variable:
		return t.globalOf(n).pointee
	}
	g := t.globalOf(n)
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
	g := t.globalOf(n)
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

// globalAddressType returns the type of a global's address. Where the pointee is not known, it is a
// byte.
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

// ignoredVariable reports whether a variable of that name is only for compilers and linkers.
// No device reads these, and their types have no counterpart in SPIR-V.
func ignoredVariable(name string) bool {
	switch name {
	case "llvm.used", "llvm.compiler.used", "llvm.global.annotations", "llvm.global_ctors", "llvm.global_dtors":
		return true
	}
	return false
}

// onlyAnnotates reports whether a variable is only the text of annotations: stock clang puts
// these into the section llvm.metadata, in address space 0.
func (t *translator) onlyAnnotates(n ir.ValueID) bool {
	v := &t.module.Values[n]
	if v.AddressSpace != 0 && !v.IsLocal() || v.Declaration {
		return false
	}
	only, known := t.annotates[n]
	if !known {
		only = t.readHeader(n).Section == "llvm.metadata"
		t.annotates[n] = only
	}
	return only
}

// variableID returns the identifier of a variable. Built-in variables and private constants
// have no address that could be used.
func (t *translator) variableID(n ir.ValueID) id {
	if _, input := t.isInput(n); input {
		// Loads read the whole variable (input.go); there is no memory to point to.
		t.failf("the address of the built-in variable %s", t.module.Values[n].Name)
	}
	if t.isPrivateConstant(n) {
		t.failf("the address of %s, which is in address space 0, in an initialiser; give it an address space", t.module.Values[n].Name)
	}
	return t.b.externalID(n)
}

// isPrivateConstant reports whether a global is a constant in address space 0. Compilers of
// C and C++ make them for the initialisers of local aggregates. SPIR-V has no such variables
// outside of functions, so each function that uses one gets a copy.
func (t *translator) isPrivateConstant(n ir.ValueID) bool {
	v := &t.module.Values[n]
	return v.Kind == ir.Variable && v.Constant && v.IsLocal() && !t.view.isDeclared(n) && t.classOf(n) == spirv.StorageFunction
}

// globalValue returns the address of a global within a function: for a private constant that
// of the function's copy, which is made on the first use.
func (f *function) globalValue(n ir.ValueID) id {
	if !f.isPrivateConstant(n) {
		return f.globalAddress(n)
	}
	if made, ok := f.privateCopies[n]; ok {
		return made
	}
	copied := f.addVariable(f.globalAddressType(n), 0, f.initializerID(n))
	f.b.setName(copied, f.module.Values[n].Name)
	if h := f.readHeader(n); h.Alignment > 0 {
		f.b.decorateID(copied, decAlignment, uint32(h.Alignment))
	}
	if f.privateCopies == nil {
		f.privateCopies = make(map[ir.ValueID]id)
	}
	f.privateCopies[n] = copied
	return copied
}

// variableUnit writes a variable. The entry is not shared by its words, since the module's
// value identifies it: t.variable holds the words, and the image asks for them.
func (t *translator) variableUnit(n ir.ValueID) {
	g, v := t.globalOf(n), &t.module.Values[n]
	class := t.classOf(n)
	if class == spirv.StorageFunction {
		t.failKind(ErrorInstruction, v.Name, "the variable %s is in address space 0, where only variables of functions are; give it an address space", v.Name)
	}
	pointee, wrapped := t.termID(g.pointee), t.edit != nil && t.edit.Wrap
	if wrapped {
		pointee = t.b.typeEntry(spirv.OpTypeStruct, []id{pointee}, pointee)
	}
	pointer := t.pointerType(pointee, v.AddressSpace)
	self := t.variableID(n)
	e := &entry{op: spirv.OpVariable, words: []uint32{pointer, self, uint32(class)}, deps: []id{pointer}}
	if init := t.initializerID(n); init != 0 {
		if wrapped {
			init = t.constComposite(pointee, []id{init})
		}
		e.words, e.deps = append(e.words, init), append(e.deps, init)
	}
	t.variable = e
	t.b.setName(self, v.Name)
	t.decorateVariable(n, self)
}

// decorateVariable decorates a variable with its constness, alignment and metadata.
func (t *translator) decorateVariable(n ir.ValueID, self id) {
	v := &t.module.Values[n]
	if v.Constant {
		t.b.decorateID(self, decConstant)
	}
	if h := t.readHeader(n); h.Alignment > 0 {
		t.b.decorateID(self, decAlignment, uint32(h.Alignment))
	}
	t.metadataDecorations(self, t.attachedOperands(v, "spirv.Decorations"))
	t.vectorComputeVariable(n, self)
	t.auxiliaryData(n, self)
	if list := t.attachedNumbers(v, "io_pipe_id"); len(list) > 0 && t.allowsDecoration(decIOPipeStorage) {
		t.decorateNeeded(self, decIOPipeStorage, list[0])
	}
}

// initializerID returns the initialiser of a variable, or 0 if it has none. One that is
// undefined is left out.
func (t *translator) initializerID(n ir.ValueID) id {
	v := &t.module.Values[n]
	if t.view.isDeclared(n) || v.Linkage == ir.Common || v.Linkage == ir.AvailableExternally {
		return 0
	}
	var pool ir.ConstantPool
	root := t.readInitializer(n, &pool)
	if root.Kind == ir.ValueConstant {
		switch c := pool.At(root); c.Kind {
		case ir.ConstantUndef, ir.ConstantPoison:
			return 0
		}
	}
	t.refuseBools(t.module.Values[n].Type)
	return t.globalConstant(&pool, root, t.termID(t.globalOf(n).pointee))
}

// Linkage types (SPIR-V), the last two of SPV_KHR_linkonce_odr and SPV_AMD_weak_linkage.
const (
	linkExport      = 0
	linkImport      = 1
	linkLinkOnceODR = 2
	linkWeakAMD     = 3
)

// decorateLinkage decorates a function or variable that other modules see. LinkOnceODR and
// weak linkage become Export where their extensions are not allowed.
func (m *image) decorateLinkage(self id, v *ir.PartitionValue) {
	name, linkage := v.Value.Name, v.Linkage()
	kind := uint32(linkExport)
	switch {
	case linkage == ir.Internal || linkage == ir.Private || name == "":
		return
	case v.Definition && linkage == ir.AvailableExternally && v.Value.Kind == ir.Function && !m.options.AuxData:
		return // the body serves here: a function that is imported may have none
	case !v.Definition || linkage == ir.AvailableExternally:
		kind = linkImport
	case linkage == ir.LinkOnceODR && m.options.allowsExtension("SPV_KHR_linkonce_odr"):
		m.useExtension("SPV_KHR_linkonce_odr")
		kind = linkLinkOnceODR
	case linkage == ir.WeakAny && m.options.allowsExtension("SPV_AMD_weak_linkage"):
		m.useExtension("SPV_AMD_weak_linkage")
		m.useCapabilities(capWeakLinkage)
		kind = linkWeakAMD
	}
	m.useCapabilities(capLinkage)
	m.addNote(self, decoration{op: spirv.OpDecorate, words: append(appendText([]uint32{decLinkageAttributes}, name), kind)})
}

// isOpenCLStruct reports whether a pointer to the opaque struct of that name stands for a
// type of OpenCL or SPIR-V.
func (t *translator) isOpenCLStruct(name string) bool {
	return strings.HasPrefix(name, "opencl.") && name != "opencl.block" || strings.HasPrefix(name, "spirv.") || name == "struct._event_t"
}
