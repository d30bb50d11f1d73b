// Package wasm writes WebAssembly modules: the binary format of version 1,
// as far as the code of kernels needs it.
package wasm

import "encoding/binary"

// ValType is the type of a value.
type ValType byte

// The types.
const (
	I32  ValType = 0x7f
	I64  ValType = 0x7e
	F32  ValType = 0x7d
	F64  ValType = 0x7c
	V128 ValType = 0x7b
)

// FuncType is the type of a function.
type FuncType struct{ Params, Results []ValType }

// Import is an imported function.
type Import struct {
	Module, Name string
	Type         FuncType
}

// Func is a function with its code.
type Func struct {
	Name   string // that it is exported by, and for messages
	Type   FuncType
	Locals []ValType // without the parameters
	Body   []byte    // without the end
}

// Module is a module. Functions are numbered from the imported ones on.
type Module struct {
	Imports []Import
	// Memory is the module and the name of the imported memory, which has
	// exactly Pages pages of 64 KiB.
	Memory [2]string
	Pages  uint32
	Funcs  []Func
}

// The sections.
const (
	sectionCustom = 0
	sectionType   = 1
	sectionImport = 2
	sectionFunc   = 3
	sectionMemory = 5
	sectionExport = 7
	sectionCode   = 10
)

// Encode returns the module in the binary format.
func (m *Module) Encode() []byte {
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	out = appendSection(out, sectionType, m.typeSection())
	out = appendSection(out, sectionImport, m.importSection())
	out = appendSection(out, sectionFunc, m.functionSection())
	out = appendSection(out, sectionExport, m.exportSection())
	out = appendSection(out, sectionCode, m.codeSection())
	return appendSection(out, sectionCustom, m.nameSection())
}

// EncodeMemory returns a module that has nothing but a memory of so many
// pages, exported by a name.
func EncodeMemory(name string, pages uint32) []byte {
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	out = appendSection(out, sectionMemory, appendLimits([]byte{1}, pages))
	export := appendName([]byte{1}, name)
	return appendSection(out, sectionExport, append(export, 2, 0))
}

func appendSection(out []byte, id byte, body []byte) []byte {
	out = append(out, id)
	out = AppendUint(out, uint64(len(body)))
	return append(out, body...)
}

// appendLimits writes the size of a memory that cannot grow: the least number of pages is
// also the greatest.
func appendLimits(out []byte, pages uint32) []byte {
	out = append(out, 1)
	out = AppendUint(out, uint64(pages))
	return AppendUint(out, uint64(pages))
}

// typeSection has a type for each function, in their order.
func (m *Module) typeSection() []byte {
	out := AppendUint(nil, uint64(len(m.Imports)+len(m.Funcs)))
	for i := range m.Imports {
		out = appendType(out, m.Imports[i].Type)
	}
	for i := range m.Funcs {
		out = appendType(out, m.Funcs[i].Type)
	}
	return out
}

func appendType(out []byte, t FuncType) []byte {
	out = append(out, 0x60)
	for _, list := range [][]ValType{t.Params, t.Results} {
		out = AppendUint(out, uint64(len(list)))
		for _, v := range list {
			out = append(out, byte(v))
		}
	}
	return out
}

// importSection has the functions, whose types are the first ones, and then the memory.
func (m *Module) importSection() []byte {
	out := AppendUint(nil, uint64(len(m.Imports)+1))
	for i, in := range m.Imports {
		out = append(appendName(appendName(out, in.Module), in.Name), 0)
		out = AppendUint(out, uint64(i))
	}
	out = append(appendName(appendName(out, m.Memory[0]), m.Memory[1]), 2)
	return appendLimits(out, m.Pages)
}

func (m *Module) functionSection() []byte {
	out := AppendUint(nil, uint64(len(m.Funcs)))
	for i := range m.Funcs {
		out = AppendUint(out, uint64(len(m.Imports)+i))
	}
	return out
}

func (m *Module) exportSection() []byte {
	out := AppendUint(nil, uint64(len(m.Funcs)))
	for i := range m.Funcs {
		out = append(appendName(out, m.Funcs[i].Name), 0)
		out = AppendUint(out, uint64(len(m.Imports)+i))
	}
	return out
}

func (m *Module) codeSection() []byte {
	out := AppendUint(nil, uint64(len(m.Funcs)))
	for i := range m.Funcs {
		body := m.Funcs[i].localRuns()
		body = append(append(body, m.Funcs[i].Body...), 0x0b)
		out = AppendUint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out
}

// localRuns declares the locals in runs of one type.
func (f *Func) localRuns() []byte {
	runs := 0
	var out []byte
	for i := 0; i < len(f.Locals); {
		n := i + 1
		for n < len(f.Locals) && f.Locals[n] == f.Locals[i] {
			n++
		}
		out = append(AppendUint(out, uint64(n-i)), byte(f.Locals[i]))
		runs++
		i = n
	}
	return append(AppendUint(nil, uint64(runs)), out...)
}

// nameSection is the name section, with the names of the functions.
func (m *Module) nameSection() []byte {
	list := AppendUint(nil, uint64(len(m.Funcs)))
	for i := range m.Funcs {
		list = appendName(AppendUint(list, uint64(len(m.Imports)+i)), m.Funcs[i].Name)
	}
	return appendSection(appendName(nil, "name"), 1, list)
}

func appendName(out []byte, s string) []byte {
	return append(AppendUint(out, uint64(len(s))), s...)
}

// AppendUint appends an unsigned LEB128 number.
func AppendUint(out []byte, v uint64) []byte { return binary.AppendUvarint(out, v) }

// AppendInt appends a signed LEB128 number.
func AppendInt(out []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// AppendFloat32 appends the bits of a float.
func AppendFloat32(out []byte, bits uint32) []byte {
	return binary.LittleEndian.AppendUint32(out, bits)
}

// AppendFloat64 is AppendFloat32 of 64 bits.
func AppendFloat64(out []byte, bits uint64) []byte {
	return binary.LittleEndian.AppendUint64(out, bits)
}

// PageSize is the bytes of a page.
const PageSize = 1 << 16
