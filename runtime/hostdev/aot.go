package hostdev

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/emitc"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Native images: the C of a module's kernels is compiled when a program is built,
// into a shared library that lies next to the SPIR-V image in the program. It is
// the C that a launch would compile, but for the addresses of program-scope
// variables: the library reads them from the record of the launch.

// NativeSource is the C of a module's kernels.
type NativeSource struct {
	// Files are C files by name, to be compiled into one library.
	Files []SourceFile
	// Kernels are the names of the kernels that the files have.
	Kernels []string
	// Refused are the others, which run out of the SPIR-V.
	Refused []RefusedKernel

	note nativeNote
}

// SourceFile is a file of C.
type SourceFile struct{ Name, Text string }

// RefusedKernel is a kernel without native code.
type RefusedKernel struct {
	Kernel string
	Reason string
}

// NativeC spells the kernels of a SPIR-V module as C. Its specialization constants
// have their defaults. It is an error if the module is not one that the device
// takes, or if it imports from other modules: those are linked, and compiled, when
// a kernel is launched.
func NativeC(ctx context.Context, name string, code []byte) (*NativeSource, error) {
	module, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	linked, err := linkModules([]spirv.Input{{Name: name, Module: module}})
	if err != nil {
		return nil, err
	}
	p, err := buildLinked(ctx, &Device{aot: true}, linked)
	if err != nil {
		return nil, err
	}
	s := &NativeSource{note: newNativeNote(code)}
	functions := map[int]*strings.Builder{} // by the width that the file is for
	for _, e := range linked.EntryPoints() {
		k := p.kernels[e.Name]
		if k == nil || slices.Contains(s.Kernels, e.Name) {
			continue
		}
		if err := s.addKernel(k, functions); err != nil {
			s.Refused = append(s.Refused, RefusedKernel{e.Name, InterpretedReason(err)})
		}
	}
	s.note.Refused = s.Refused
	for width := 1; width <= maxSubgroup; width++ {
		if text := functions[width]; text != nil {
			s.Files = append(s.Files, SourceFile{fmt.Sprintf("kernels%d.c", width), emitc.Prelude(width) + text.String()})
		}
	}
	return s, nil
}

// addKernel adds a kernel's function and its row of the note.
func (s *NativeSource) addKernel(k *kernel, functions map[int]*strings.Builder) (err error) {
	defer func() {
		if r := recover(); r != nil { // as in compileNative
			err = lanes.Unsupported("%v", r)
		}
	}()
	l, err := lowerKernel(k, &hostTable{})
	if err != nil {
		return err
	}
	if size := k.localSize(l); size > maxLocal {
		return lanes.Unsupported("%d bytes of local memory, of which the embedded device has %d", size, maxLocal)
	}
	code, err := k.compileLanes(l.f, 0, lanes.AnyRows)
	if err != nil {
		return err
	}
	symbol := fmt.Sprintf("offlink_kernel_%d", len(s.Kernels))
	text, err := emitc.EmitFunction(code, symbol)
	if err != nil {
		return err
	}
	width := emitc.PreludeWidth(code)
	if functions[width] == nil {
		functions[width] = new(strings.Builder)
	}
	functions[width].WriteString(text + "\n")
	s.Kernels = append(s.Kernels, k.name)
	s.note.addKernel(k, l, code, symbol)
	return nil
}

// NoteFile is the C file of the note by which the device knows the library. arch
// is the processor that the library is compiled for, one of [Processors].
func (s *NativeSource) NoteFile(arch string) (SourceFile, error) {
	s.note.Arch = arch
	text, err := s.note.sourceText()
	return SourceFile{"note.c", text}, err
}

// aotBase is the address of program-scope variables in code that is compiled ahead
// of time: a number that no expression makes by chance.
const aotBase = 1 << 45

// placeAhead gives a variable an address of its own, and memory that only the
// build sees.
func (d *Device) placeAhead(size int64) (*memory, error) {
	if size < 0 || size > maxAllocation || d.aotSize > maxGlobal-size {
		return nil, errOutOfMemory
	}
	d.heap.base = aotBase
	m := &memory{device: d, data: make([]byte, size), at: d.aotSize, kind: driver.DeviceMemory, keep: true}
	d.aotSize = alignUp(d.aotSize+size+granule, granule)
	return m, nil
}

// variableAhead is the address of a program-scope variable, which is in the
// record after the arguments.
func (l *lowering) variableAhead(v *variable) *lanes.Value {
	at := slices.Index(l.globals, v)
	if at < 0 {
		at = len(l.globals)
		l.globals = append(l.globals, v)
	}
	if at >= maxHostWords {
		l.unsupported("more than %d program-scope variables", maxHostWords)
	}
	return l.f.Arg(lanes.I64, uint32(l.k.variablesAt()+8*int64(at)))
}

// constantAhead is a constant that contains addresses: a pointer into one variable,
// or it is refused.
func (l *lowering) constantAhead(c *constant) lowered {
	if c.t.kind != kindPointer || len(c.uses) != 1 || l.p.bodies[c.uses[0]] != nil {
		l.unsupported("a constant that is made of addresses, ahead of time")
	}
	v := l.p.variables[c.uses[0]]
	offset := int64(c.words[0] - v.memory.Address())
	if offset < 0 || offset > v.memory.Size() {
		l.unsupported("a constant that is made of an address, ahead of time")
	}
	address := l.variableAhead(v)
	if offset != 0 {
		address = l.b.Add(lanes.OpAdd, lanes.I64, address, l.f.Const(lanes.I64, uint64(offset)))
	}
	return lowered{t: c.t, words: []*lanes.Value{address}}
}

// variablesAt is the offset of the addresses of variables in the record, for code
// that was compiled ahead of time.
func (k *kernel) variablesAt() int64 { return alignUp(k.recordSize(), 8) }
