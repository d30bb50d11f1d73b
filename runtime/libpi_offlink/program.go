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
	"sync/atomic"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/spirv"
)

// program is a pi_program. It has code or a source at first, then objects, then a linked
// program; mu guards all of them.
type program struct {
	mu        sync.Mutex
	source    []byte // in OpenCL C; nil for others
	code      []byte // SPIR-V; nil for linked and loaded ones, and before the source is compiled
	constants map[uint32][]byte
	objects   []*compiled    // once it is compiled; several if it is a library
	library   bool           // it was linked with -create-library
	linked    driver.Program // once it is built or linked
	kernels   []string
	described map[string]kernelDescription // by the names of kernels; empty for loaded programs
	attached  atomic.Int32                 // kernels that were made of it
	options   string                       // of the last build
	log       string
	failed    bool // the last build
}

// Close releases everything.
func (p *program) Close() error {
	var errs []error
	if p.linked != nil {
		errs = append(errs, p.linked.Close())
	}
	return errors.Join(append(errs, closeAll(p.objects))...)
}

// beginBuild removes the results of an earlier build. No kernel of it may be left.
func (p *program) beginBuild(options string) error {
	if p.attached.Load() > 0 {
		return failure(invalidOperation, "the program has %d kernels, which have to be released before it is built again", p.attached.Load())
	}
	p.failed, p.log = false, ""
	if p.source == nil && p.code == nil || p.source == nil && options == p.options && len(p.objects) > 0 {
		return nil // it has all that a build would make
	}
	p.options = options
	err := p.Close()
	p.objects, p.linked = nil, nil
	return err
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
	p.failed = true
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
		p := &program{code: data, constants: map[uint32][]byte{}, kernels: kernelsOf(m)}
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
		if objects, library, found, err := decodeObjects(binary); found || err != nil {
			if err == nil {
				*out = newHandle(&program{objects: objects, library: library}, contextHandle)
			}
			setAll(wordsAt(status, int(count)), codeOrSuccess(err))
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
		setAll(wordsAt(status, int(count)), success)
		*out = newHandle(&program{linked: linked, kernels: slices.Sorted(maps.Keys(stored.Tables.Kernels))}, contextHandle)
		return nil
	})
}

func setAll(list []int32, code int32) {
	for i := range list {
		list[i] = code
	}
}

func codeOrSuccess(err error) int32 {
	if err == nil {
		return success
	}
	return codeOf(err)
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
		if p.code == nil && p.source == nil || len(p.objects) > 0 || p.linked != nil {
			return failure(invalidOperation, "specialization constants are set before a program is compiled")
		}
		p.constants[id] = slices.Clone(wordsAt((*byte)(value), int(size)))
		return nil
	})
}

// compile makes the object of the code, which is compiled first where the program has a source.
// The headers are for the source, by their names.
func (p *program) compile(options string, headers map[string][]byte) error {
	if len(p.objects) > 0 {
		return nil
	}
	if p.source != nil {
		if err := p.compileSource(options, headers); err != nil {
			return err
		}
		options = "" // they were the source's
	}
	if p.code == nil {
		return failure(invalidOperation, "the program has no SPIR-V to compile")
	}
	c, err := compileCode(p.code, options, p.constants)
	if err == nil {
		p.objects = []*compiled{c}
	}
	return err
}

//export offlink_piProgramCompile
func offlink_piProgramCompile(handle uintptr, unused1 uint32, unused2 unsafe.Pointer, options uintptr, unused3 uint32, unused4, unused5 unsafe.Pointer, unused6, unused7 uintptr) int32 {
	return compileProgram(handle, dl.String(options), nil)
}

func compileProgram(handle uintptr, options string, headers map[string][]byte) int32 {
	return onProgram(handle, func(p *program) error {
		if p.source == nil && p.code == nil {
			return failure(invalidOperation, "the program has neither a source nor SPIR-V")
		}
		if err := p.beginBuild(options); err != nil {
			return err
		}
		return p.keepLog(compileFailure, p.compile(options, headers))
	})
}

//export offlink_piProgramBuild
func offlink_piProgramBuild(handle uintptr, unused1 uint32, unused2 unsafe.Pointer, options uintptr, unused3, unused4 uintptr) int32 {
	return onProgram(handle, func(p *program) error {
		words := dl.String(options)
		if err := p.beginBuild(words); err != nil {
			return err
		}
		if p.linked != nil {
			return nil
		}
		err := p.compile(words, nil)
		if err == nil {
			err = p.link(p.objects, "")
		}
		return p.keepLog(buildFailure, err)
	})
}

// link makes the program that runs.
func (p *program) link(objects []*compiled, options string) (err error) {
	if p.linked, err = linkObjects(objects, options); err != nil {
		return err
	}
	p.described = map[string]kernelDescription{}
	for _, c := range objects {
		maps.Copy(p.described, c.described)
	}
	p.kernels = slices.Sorted(maps.Keys(p.described))
	return nil
}

// offlink_piProgramLink makes a program of compiled ones. Where that fails, the host gets
// the new program all the same, as it has the log.
//
//export offlink_piProgramLink
func offlink_piProgramLink(contextHandle uintptr, unused2 uint32, unused3 unsafe.Pointer, options uintptr, count uint32, list *uintptr, unused4, unused5 uintptr, out *uintptr) int32 {
	return linkPrograms(contextHandle, dl.String(options), false, wordsAt(list, int(count)), out)
}

// linkPrograms makes a program, or a library for later links, which shares the objects of its
// parts.
func linkPrograms(contextHandle uintptr, options string, library bool, parts []uintptr, out *uintptr) int32 {
	return perform(func() error {
		var objects []*compiled
		for _, handle := range parts {
			part, err := objectOf[*program](handle)
			if err != nil {
				return err
			}
			part.mu.Lock()
			own := slices.Clone(part.objects)
			part.mu.Unlock()
			if len(own) == 0 {
				return failure(invalidOperation, "a program to link was not compiled")
			}
			objects = append(objects, own...)
		}
		p := &program{options: options, library: library}
		var err error
		if library {
			p.objects = objects
			for _, c := range objects {
				c.uses.Add(1)
			}
		} else {
			err = p.link(objects, options)
		}
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

	programConstructors = 0x116A
	programDestructors  = 0x116B

	buildStatus    = 0x1181
	buildOptions   = 0x1182
	buildFailed    = ^uint32(1) // PI_PROGRAM_BUILD_STATUS_ERROR, -2
	notBuilt       = ^uint32(0) // PI_PROGRAM_BUILD_STATUS_NONE, -1
	typeNone       = 0
	typeObject     = 1
	typeLibrary    = 2
	typeExecutable = 4
)

//export offlink_piProgramGetInfo
func offlink_piProgramGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onProgram(handle, func(p *program) error {
		if param == cl.ProgramBinaries {
			return p.storeBinary(len(devicesOf(contextOf(handle))), room, out, size)
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
	case programConstructors, programDestructors:
		return flag(false), nil // C++ for OpenCL runs none
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

// encode is the binary of a program, nil before it is built.
func (p *program) encode() ([]byte, error) {
	if p.linked == nil && len(p.objects) > 0 {
		return encodeObjects(p.objects, p.library), nil
	}
	source, ok := p.linked.(driver.BinaryProgram)
	if !ok {
		return nil, nil // it was not built
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

// storeBinary copies the binary to the memories that the host's array points to, one for each of
// the devices, which have the size that an earlier query returned; a null pointer says that the
// host does not want that device's. The size is that of the array.
func (p *program) storeBinary(devices int, room uintptr, out unsafe.Pointer, size *uintptr) error {
	binary, err := p.encode()
	if err != nil {
		return err
	}
	array := uintptr(devices) * unsafe.Sizeof(out)
	if size != nil {
		*size = array
	}
	if out == nil {
		return nil
	}
	if room < array {
		return failure(invalidValue, "the array for the binaries of %d devices has %d bytes, and there is room for %d", devices, array, room)
	}
	for _, place := range wordsAt((**byte)(out), devices) {
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
			a = textAnswer(p.options)
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
	case p.failed:
		return buildFailed
	case p.linked != nil || len(p.objects) > 0:
		return 0
	}
	return notBuilt
}

func (p *program) binaryType() uint32 {
	switch {
	case p.linked != nil:
		return typeExecutable
	case p.library:
		return typeLibrary
	case len(p.objects) > 0:
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
