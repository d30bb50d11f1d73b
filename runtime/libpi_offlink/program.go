package main

import "C" // for the exports

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/spirv"
)

// program is a pi_program. It has code at first, then an object, then a linked program;
// mu guards all of them.
type program struct {
	mu        sync.Mutex
	source    []byte // in OpenCL C; nil for others
	code      []byte // SPIR-V; nil for linked and loaded ones, and before the source is compiled
	symbols          // of the code
	constants map[uint32][]byte
	object    driver.Object  // once it is compiled
	linked    driver.Program // once it is built or linked
	kernels   []string
	log       string
}

// Close releases everything.
func (p *program) Close() error {
	var errs []error
	if p.linked != nil {
		errs = append(errs, p.linked.Close())
	}
	if p.object != nil {
		errs = append(errs, p.object.Close())
	}
	return errors.Join(errs...)
}

// keepLog keeps the log of a failed build and wraps the failure with the code. The host
// asks the program that failed for its log in another call.
func (p *program) keepLog(code int32, err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*codeError](err); ok {
		code = own.code // of the options
	}
	p.log = err.Error()
	if build, ok := errors.AsType[*driver.BuildError](err); ok && build.Log != "" {
		p.log += "\n" + build.Log
	}
	return failure(code, "%s", p.log)
}

func onProgram(handle uintptr, f func(p *program) error) int32 {
	return perform(func() error {
		p, err := objectOf[*program](handle)
		if err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return f(p)
	})
}

//export offlink_piProgramCreate
func offlink_piProgramCreate(contextHandle uintptr, code unsafe.Pointer, length uintptr, out *uintptr) int32 {
	return perform(func() error {
		// The host may free its bytes after the call.
		data := slices.Clone(wordsAt((*byte)(code), int(length)))
		m, err := spirv.Parse(data)
		if err != nil {
			return failure(invalidBinary, "%v", err)
		}
		p := &program{code: data, constants: map[uint32][]byte{}}
		p.kernels, p.symbols = kernelsOf(m), symbolsOf(m)
		*out = newHandle(p, contextHandle)
		return nil
	})
}

func kernelsOf(m *spirv.Module) []string {
	// Sorted: the order of a map would differ between runs of a program.
	return slices.Sorted(maps.Keys(devicecode.NewTables(m).Kernels))
}

// storedMagic begins a program's binary: the names of its kernels, and the
// device's own form.
const storedMagic = "offlink embedded program 1\n"

//export offlink_piProgramCreateWithBinary
func offlink_piProgramCreateWithBinary(contextHandle uintptr, count uint32, unused2 unsafe.Pointer, lengths *uintptr, codes unsafe.Pointer, unused3 uintptr, unused4 unsafe.Pointer, status *int32, out *uintptr) int32 {
	return perform(func() error {
		binary, err := commonBinary(wordsAt((**byte)(codes), int(count)), wordsAt(lengths, int(count)))
		if err != nil {
			return err
		}
		stored, err := devicecode.DecodeProgram(storedMagic, binary)
		if err != nil {
			return failure(invalidBinary, "%v", err)
		}
		linked, err := device().LoadBinary(context.Background(), stored.Code)
		if err != nil {
			return failure(invalidBinary, "%v", err)
		}
		results := wordsAt(status, int(count))
		for i := range results {
			results[i] = success
		}
		*out = newHandle(&program{linked: linked, kernels: slices.Sorted(maps.Keys(stored.Tables.Kernels))}, contextHandle)
		return nil
	})
}

// commonBinary is the binary that the host gives for each device: it is the same for the whole
// device and its sub-devices.
func commonBinary(codes []*byte, lengths []uintptr) ([]byte, error) {
	if len(codes) == 0 || len(lengths) == 0 {
		return nil, failure(invalidValue, "no binary")
	}
	first := wordsAt(codes[0], int(lengths[0]))
	for i, code := range codes {
		if !bytes.Equal(wordsAt(code, int(lengths[i])), first) {
			return nil, failure(invalidBinary, "the binaries for %d devices differ; all are of one device", len(codes))
		}
	}
	return first, nil
}

//export offlink_piextProgramSetSpecializationConstant
func offlink_piextProgramSetSpecializationConstant(handle uintptr, id uint32, size uintptr, value unsafe.Pointer) int32 {
	return onProgram(handle, func(p *program) error {
		if p.code == nil && p.source == nil || p.object != nil || p.linked != nil {
			return failure(invalidOperation, "specialization constants are set before a program is compiled")
		}
		p.constants[id] = slices.Clone(wordsAt((*byte)(value), int(size)))
		return nil
	})
}

func (p *program) compile(options string) error {
	if p.source != nil && p.object == nil {
		if err := p.compileSource(options); err != nil {
			return err
		}
	}
	if p.code == nil {
		return failure(invalidOperation, "the program has no SPIR-V to compile")
	}
	if p.object != nil {
		return nil
	}
	m := driver.Module{Name: "program", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: p.code}
	o, err := device().Compile(context.Background(), m, driver.CompileOptions{Options: options, SpecConstants: p.constants})
	if err == nil {
		p.object = o
	}
	return err
}

//export offlink_piProgramCompile
func offlink_piProgramCompile(handle uintptr, unused1 uint32, unused2 unsafe.Pointer, options uintptr, unused3 uint32, unused4, unused5 unsafe.Pointer, unused6, unused7 uintptr) int32 {
	return onProgram(handle, func(p *program) error { return p.keepLog(compileFailure, p.compile(dl.String(options))) })
}

//export offlink_piProgramBuild
func offlink_piProgramBuild(handle uintptr, unused1 uint32, unused2 unsafe.Pointer, options uintptr, unused3, unused4 uintptr) int32 {
	return onProgram(handle, func(p *program) error {
		if p.linked != nil {
			return nil
		}
		err := p.compile(dl.String(options))
		if err == nil {
			p.linked, err = linkObjects([]driver.Object{p.object}, []symbols{p.symbols}, "")
		}
		return p.keepLog(buildFailure, err)
	})
}

// linkObjects links objects, whose symbols are given, with the device library.
func linkObjects(objects []driver.Object, names []symbols, options string) (driver.Program, error) {
	library, err := libraryObjects(names)
	if err != nil {
		return nil, err
	}
	return device().Link(context.Background(), slices.Concat(objects, library), driver.LinkOptions{Options: options})
}

// offlink_piProgramLink makes a program of compiled ones. Where that fails, the host gets
// the new program all the same, as it has the log.
//
//export offlink_piProgramLink
func offlink_piProgramLink(contextHandle uintptr, unused2 uint32, unused3 unsafe.Pointer, options uintptr, count uint32, list *uintptr, unused4, unused5 uintptr, out *uintptr) int32 {
	return perform(func() error {
		p := &program{}
		var objects []driver.Object
		var names []symbols
		for _, handle := range wordsAt(list, int(count)) {
			part, err := objectOf[*program](handle)
			if err != nil {
				return err
			}
			if part.object == nil {
				return failure(invalidOperation, "a program to link was not compiled")
			}
			objects, names = append(objects, part.object), append(names, part.symbols)
			p.kernels = append(p.kernels, part.kernels...)
		}
		var err error
		p.linked, err = linkObjects(objects, names, dl.String(options))
		*out = newHandle(p, contextHandle)
		return p.keepLog(linkFailure, err)
	})
}

const (
	programReferences = 0x1160
	programContext    = 0x1161
	programCount      = 0x1162
	programDevices    = 0x1163
	programKernels    = 0x1167
	buildStatus       = 0x1181
	buildOptions      = 0x1182
	buildFailed       = ^uint32(1) // PI_PROGRAM_BUILD_STATUS_ERROR, -2
	notBuilt          = ^uint32(0) // PI_PROGRAM_BUILD_STATUS_NONE, -1
	typeNone          = 0
	typeObject        = 1
	typeExecutable    = 4
)

//export offlink_piProgramGetInfo
func offlink_piProgramGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onProgram(handle, func(p *program) error {
		if param == cl.ProgramBinaries {
			return p.storeBinary(out, room)
		}
		a, err := p.answer(handle, param)
		if err != nil {
			return err
		}
		return reply(a, param, room, out, size)
	})
}

func (p *program) answer(handle uintptr, param uint32) (answer, error) {
	switch param {
	case programReferences:
		return word32(uint32(usesOf(handle))), nil
	case programCount:
		return word32(uint32(len(devicesOf(contextOf(handle))))), nil
	case programContext:
		return words64(int(contextOf(handle))), nil
	case programDevices:
		return words64(devicesOf(contextOf(handle))...), nil
	case programKernels:
		return words64(len(p.kernels)), nil
	case programSource:
		return textAnswer(string(p.source)), nil
	case programCode:
		return append(answer{}, p.code...), nil
	case cl.ProgramKernelNames:
		return textAnswer(strings.Join(p.kernels, ";")), nil
	case cl.ProgramBinarySizes:
		binary, err := p.encode()
		// One for each device, all the same.
		return words64(slices.Repeat([]int{len(binary)}, len(devicesOf(contextOf(handle))))...), err
	}
	return nil, nil
}

// encode is the binary of a linked program.
func (p *program) encode() ([]byte, error) {
	source, ok := p.linked.(driver.BinaryProgram)
	if !ok {
		return nil, failure(invalidExecutable, "the program is not linked")
	}
	code, err := source.Binary()
	if err != nil {
		return nil, err
	}
	// A loaded program needs only the names of its kernels: their parameters are in
	// the device's own binary.
	tables := devicecode.NewTables(nil)
	for _, name := range p.kernels {
		tables.Kernels[name] = nil
	}
	return (&devicecode.StoredProgram{Tables: tables, Code: code}).Encode(storedMagic)
}

// storeBinary copies the binary to the memories that the host's array points to, one for each
// device, which have the size that an earlier query returned; a null pointer says that the host
// does not want that device's.
func (p *program) storeBinary(out unsafe.Pointer, room uintptr) error {
	binary, err := p.encode()
	if err != nil || out == nil {
		return err
	}
	for _, place := range wordsAt((**byte)(out), int(room/unsafe.Sizeof(out))) {
		copy(wordsAt(place, len(binary)), binary)
	}
	return nil
}

//export offlink_piProgramGetBuildInfo
func offlink_piProgramGetBuildInfo(handle, unused1 uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onProgram(handle, func(p *program) error {
		var a answer
		switch param {
		case cl.ProgramBuildLog:
			a = textAnswer(p.log)
		case buildOptions:
			a = textAnswer("")
		case buildStatus:
			a = word32(p.buildStatus())
		case cl.ProgramBinaryType:
			a = word32(p.binaryType())
		}
		return reply(a, param, room, out, size)
	})
}

func (p *program) buildStatus() uint32 {
	switch {
	case p.linked != nil || p.object != nil:
		return 0
	case p.log != "":
		return buildFailed
	}
	return notBuilt
}

func (p *program) binaryType() uint32 {
	switch {
	case p.linked != nil:
		return typeExecutable
	case p.object != nil:
		return typeObject
	}
	return typeNone
}

//export offlink_piProgramRetain
func offlink_piProgramRetain(handle uintptr) int32 { return retainHandle(handle) }

//export offlink_piProgramRelease
func offlink_piProgramRelease(handle uintptr) int32 { return releaseHandle(handle) }

//export offlink_piextProgramGetNativeHandle
func offlink_piextProgramGetNativeHandle(handle uintptr, out *uintptr) int32 {
	return nativeHandle(handle, out)
}

// linkedProgram is the program that can run.
func linkedProgram(handle uintptr) (driver.Program, error) {
	p, err := objectOf[*program](handle)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.linked == nil {
		return nil, failure(invalidExecutable, "the program is not linked")
	}
	return p.linked, nil
}

func variableOf(handle uintptr, name string) (driver.Memory, error) {
	p, err := linkedProgram(handle)
	if err != nil {
		return nil, err
	}
	v, err := p.Variable(name)
	if errors.Is(err, driver.ErrNotFound) {
		return nil, failure(invalidValue, "%v", err)
	}
	return v, err
}

//export offlink_piextGetGlobalVariablePointer
func offlink_piextGetGlobalVariablePointer(unused1, handle, name uintptr, size, out *uintptr) int32 {
	return perform(func() error {
		v, err := variableOf(handle, dl.String(name))
		if err != nil {
			return err
		}
		if size != nil {
			*size = uintptr(v.Size())
		}
		*out = uintptr(v.(driver.Addresser).Address())
		return nil
	})
}

//export offlink_piextGetDeviceFunctionPointer
func offlink_piextGetDeviceFunctionPointer(unused1, handle, name uintptr, out *uint64) int32 {
	return perform(func() error {
		p, err := linkedProgram(handle)
		if err != nil {
			return err
		}
		functions, ok := p.(driver.FunctionPointers)
		if !ok {
			return driver.ErrUnsupported
		}
		*out, err = functions.FunctionPointer(dl.String(name))
		return err
	})
}
