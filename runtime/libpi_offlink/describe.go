package main

import (
	"fmt"
	"strings"

	"offlink/spirv"
)

// kernelDescription is a kernel as its source has it, by the strings, names and execution modes
// that its SPIR-V keeps (clGetKernelArgInfo, CL_KERNEL_ATTRIBUTES).
type kernelDescription struct {
	attributes string
	args       []argDescription
}

// argDescription is a parameter; its numbers are OpenCL's.
type argDescription struct {
	address, access  uint32
	qualifiers       uint64
	typeName, name   string
	namesType, named bool // the code has them
}

// Numbers of clGetKernelArgInfo (cl.h).
const (
	addressGlobal   = 0x119B
	addressLocal    = 0x119C
	addressConstant = 0x119D
	addressPrivate  = 0x119E
	accessReadOnly  = 0x11A0
	accessNone      = 0x11A3

	qualifierConst    = 1 << 0
	qualifierRestrict = 1 << 1
	qualifierVolatile = 1 << 2
	qualifierPipe     = 1 << 3
)

// describeKernels describes the kernels of a module.
func describeKernels(m *spirv.Module) map[string]kernelDescription {
	list := map[string]kernelDescription{}
	functions := map[spirv.ID]*spirv.Function{}
	for _, f := range m.Functions() {
		functions[f.ID()] = f
	}
	for _, e := range m.EntryPoints() {
		f := functions[e.Function]
		if e.Model != spirv.ExecutionModelKernel || f == nil {
			continue
		}
		d := kernelDescription{attributes: attributesOf(m, e.Function)}
		types, qualifiers := m.KernelArgTypes(e.Name), m.KernelArgQualifiers(e.Name)
		for i, in := range f.Params {
			a := argDescription{address: addressPrivate, access: accessNone}
			a.describeType(m, in.Type())
			if i < len(types) {
				a.typeName, a.namesType = types[i], true
			}
			if i < len(qualifiers) {
				a.qualifiers = qualifierFlags(qualifiers[i])
			}
			if name := m.Name(in.Result()); name != fmt.Sprintf("%%%d", in.Result()) {
				a.name, a.named = name, true
			}
			d.args = append(d.args, a)
		}
		list[e.Name] = d
	}
	return list
}

// describeType sets the address space of a pointer and the access of an image.
func (a *argDescription) describeType(m *spirv.Module, id spirv.ID) {
	t := m.Def(id)
	switch {
	case t == nil:
	case t.Op == spirv.OpTypePointer:
		switch spirv.StorageClass(t.Words[1]) {
		case spirv.StorageCrossWorkgroup:
			a.address = addressGlobal
		case spirv.StorageUniformConstant:
			a.address = addressConstant
		case spirv.StorageWorkgroup:
			a.address = addressLocal
		}
	case t.Op == spirv.OpTypeImage:
		const access = 8 // the place of the optional qualifier
		a.address, a.access = addressGlobal, accessReadOnly
		if len(t.Words) > access {
			a.access += t.Words[access] // the same order: read, write, both
		}
	}
}

func qualifierFlags(words string) (flags uint64) {
	for word := range strings.FieldsSeq(words) {
		flags |= map[string]uint64{"const": qualifierConst, "restrict": qualifierRestrict, "volatile": qualifierVolatile, "pipe": qualifierPipe}[word]
	}
	return flags
}

// attributesOf spells a kernel's attributes as OpenCL C does.
func attributesOf(m *spirv.Module, function spirv.ID) string {
	var list []string
	for _, mode := range m.ExecutionModes(function) {
		switch name := attributeNames[mode.Mode]; {
		case name != "" && len(mode.Words) > 0:
			list = append(list, name+"("+strings.Trim(strings.ReplaceAll(fmt.Sprint(mode.Words), " ", ","), "[]")+")")
		case mode.Mode == spirv.ExecutionModeVecTypeHint && len(mode.Words) > 0:
			list = append(list, "vec_type_hint("+hintedType(mode.Words[0])+")")
		}
	}
	return strings.Join(list, " ")
}

var attributeNames = map[uint32]string{
	spirv.ExecutionModeLocalSize:     "reqd_work_group_size",
	spirv.ExecutionModeLocalSizeHint: "work_group_size_hint",
	spirv.ExecutionModeSubgroupSize:  "intel_reqd_sub_group_size",
}

// hintedType is the type of a VecTypeHint: components in the high half, the type in the low one.
func hintedType(word uint32) string {
	types := []string{"char", "short", "int", "long", "half", "float", "double"}
	kind, count := word&0xFFFF, word>>16
	if int(kind) >= len(types) {
		return "void"
	}
	if count > 1 {
		return fmt.Sprint(types[kind], count)
	}
	return types[kind]
}
