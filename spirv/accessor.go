package spirv

import (
	"fmt"
	"slices"
)

// Accessor names the kernels that transfer a program-scope variable for a host
// that cannot reach it: both take a pointer to memory, an offset in the variable
// and a number of bytes, and are launched as one work-item. Read copies the
// variable to the memory, Write the memory to the variable. Neither checks the
// bounds.
type Accessor struct {
	Variable    ID
	Read, Write string
}

// The parts of the accessors that the grammar does not name here.
const (
	capabilityAddresses = 4
	capabilityInt64     = 11
	capabilityInt8      = 39
)

// WithAccessors returns a copy of the module with kernels that transfer
// variables of the storage class CrossWorkgroup. m is not changed.
func (m *Module) WithAccessors(list []Accessor) (*Module, error) {
	b := &accessorBuilder{m: m, out: &Module{Version: m.Version, Generator: m.Generator, Bound: m.Bound, sections: m.sections}}
	b.out.functions = slices.Clone(m.functions)
	for _, s := range []section{sectionEntryPoint, sectionGlobal} {
		b.out.sections[s] = slices.Clone(m.sections[s])
	}
	for _, c := range []uint32{capabilityAddresses, capabilityInt64, capabilityInt8} {
		b.out.sections[sectionCapability] = withCapability(b.out.sections[sectionCapability], c)
	}
	b.void = b.typeID(OpTypeVoid)
	b.size = b.typeID(OpTypeInt, 64, 0)
	b.bytes = b.typeID(OpTypePointer, uint32(StorageCrossWorkgroup), uint32(b.typeID(OpTypeInt, 8, 0)))
	b.kernel = b.typeID(OpTypeFunction, uint32(b.void), uint32(b.bytes), uint32(b.size), uint32(b.size))
	for _, a := range list {
		in := m.Def(a.Variable)
		if in == nil || in.Op != OpVariable || StorageClass(in.Words[2]) != StorageCrossWorkgroup {
			return nil, fmt.Errorf("%%%d is not a variable in CrossWorkgroup", a.Variable)
		}
		b.addKernel(a.Read, a.Variable, false)
		b.addKernel(a.Write, a.Variable, true)
	}
	return b.out, b.out.rebuildIndexes()
}

type accessorBuilder struct {
	m, out                    *Module
	void, size, bytes, kernel ID
}

func (b *accessorBuilder) newID() ID {
	b.out.Bound++
	return ID(b.out.Bound - 1)
}

// typeID finds a type or adds it: a module must not declare a type twice.
func (b *accessorBuilder) typeID(op Opcode, words ...uint32) ID {
	for _, in := range b.out.sections[sectionGlobal] {
		if in.Op == op && slices.Equal(in.Words[1:], words) {
			return in.Result()
		}
	}
	id := b.newID()
	b.out.sections[sectionGlobal] = append(b.out.sections[sectionGlobal], &Instruction{Op: op, Words: append([]uint32{uint32(id)}, words...)})
	return id
}

// addKernel adds a kernel that copies size bytes between memory, its first parameter, and the
// variable from an offset on. Alignment 1 is the only one that always holds.
func (b *accessorBuilder) addKernel(name string, variable ID, write bool) {
	function := b.newID()
	f := &Function{Def: &Instruction{Op: OpFunction, Words: []uint32{uint32(b.void), uint32(function), 0, uint32(b.kernel)}}}
	var params []ID
	for _, t := range []ID{b.bytes, b.size, b.size} {
		id := b.newID()
		params = append(params, id)
		f.Params = append(f.Params, &Instruction{Op: OpFunctionParameter, Words: []uint32{uint32(t), uint32(id)}})
	}
	emit := func(op Opcode, words ...uint32) { f.Body = append(f.Body, &Instruction{Op: op, Words: words}) }
	label, whole, part := uint32(b.newID()), uint32(b.newID()), uint32(b.newID())
	emit(OpLabel, label)
	emit(OpBitcast, uint32(b.bytes), whole, uint32(variable))
	emit(OpInBoundsPtrAccessChain, uint32(b.bytes), part, whole, uint32(params[1]))
	from, to := part, uint32(params[0])
	if write {
		from, to = to, from
	}
	const aligned, alignment = 2, 1
	emit(OpCopyMemorySized, to, from, uint32(params[2]), aligned, alignment)
	emit(OpReturn)
	b.out.functions = append(b.out.functions, f)
	entry := appendString([]uint32{uint32(ExecutionModelKernel), uint32(function)}, name)
	if b.out.Version >= Version1_4 {
		entry = append(entry, uint32(variable)) // all globals, from 1.4 on
	}
	b.out.sections[sectionEntryPoint] = append(b.out.sections[sectionEntryPoint], &Instruction{Op: OpEntryPoint, Words: entry})
}
