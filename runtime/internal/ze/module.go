package ze

import (
	"errors"
	"fmt"
	"runtime"
	"structs"
	"unsafe"

	"offlink/runtime/driver"
)

// Forms of modules (ze_module_format_t).
const (
	FormatSPIRV  = 0
	FormatNative = 1
)

const moduleImports = 1 // ZE_MODULE_PROPERTY_FLAG_IMPORTS

// Constants are values of specialization constants; numbers that a module lacks
// must not be among them.
type Constants struct {
	IDs    []uint32
	Values [][]byte
}

// moduleConstants is ze_module_constants_t.
type moduleConstants struct {
	_      structs.HostLayout
	count  uint32
	ids    *uint32
	values **byte
}

// Source is the code of a module.
type Source struct {
	Code      []byte
	Flags     string
	Constants Constants
}

// moduleDesc is ze_module_desc_t.
type moduleDesc struct {
	_ structs.HostLayout
	header
	format    uint32
	size      uintptr
	code      *byte
	flags     *byte
	constants *moduleConstants
}

// programDesc is ze_module_program_exp_desc_t.
type programDesc struct {
	_ structs.HostLayout
	header
	count     uint32
	sizes     *uintptr
	codes     **byte
	flags     **byte
	constants **moduleConstants
}

// pinConstants makes the structure, or nil for no constants, and pins all that it points
// to: C reads it during the call.
func (c *Constants) pinConstants(pin *runtime.Pinner) *moduleConstants {
	if len(c.IDs) == 0 {
		return nil
	}
	values := make([]*byte, len(c.Values))
	for i := range c.Values {
		values[i] = pinBytes(pin, c.Values[i])
	}
	m := &moduleConstants{count: uint32(len(c.IDs)), ids: &c.IDs[0], values: &values[0]}
	pin.Pin(m)
	pin.Pin(m.ids)
	pin.Pin(m.values)
	return m
}

func pinBytes(pin *runtime.Pinner, b []byte) *byte {
	p := unsafe.SliceData(b)
	if p != nil {
		pin.Pin(p)
	}
	return p
}

// NewModule makes a module of one source. A failure is a *driver.BuildError
// with the whole log.
func (l *Library) NewModule(context, device Handle, format uint32, s Source) (Handle, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	desc := &moduleDesc{
		header: header{stype: typeModuleDesc}, format: format, size: uintptr(len(s.Code)), code: pinBytes(&pin, s.Code),
		flags: pinBytes(&pin, append([]byte(s.Flags), 0)), constants: s.Constants.pinConstants(&pin),
	}
	return l.createModule(context, device, desc)
}

// NewProgram makes a module of several sources of SPIR-V, linked: the
// descriptor of ZE_experimental_module_program.
func (l *Library) NewProgram(context, device Handle, sources []Source) (Handle, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	sizes := make([]uintptr, len(sources))
	codes, flags, constants := make([]*byte, len(sources)), make([]*byte, len(sources)), make([]*moduleConstants, len(sources))
	for i := range sources {
		sizes[i], codes[i] = uintptr(len(sources[i].Code)), pinBytes(&pin, sources[i].Code)
		flags[i], constants[i] = pinBytes(&pin, append([]byte(sources[i].Flags), 0)), sources[i].Constants.pinConstants(&pin)
	}
	program := &programDesc{
		header: header{stype: typeModuleProgramDesc}, count: uint32(len(sources)),
		sizes: &sizes[0], codes: &codes[0], flags: &flags[0], constants: &constants[0],
	}
	pin.Pin(program)
	pin.Pin(program.sizes)
	pin.Pin(program.codes)
	pin.Pin(program.flags)
	pin.Pin(program.constants)
	// The loader's validation wants the fields of the plain descriptor set too: they
	// are those of the first module.
	desc := &moduleDesc{
		header: header{stype: typeModuleDesc, next: unsafe.Pointer(program)}, format: FormatSPIRV,
		size: sizes[0], code: codes[0], flags: flags[0], constants: constants[0],
	}
	return l.createModule(context, device, desc)
}

func (l *Library) createModule(context, device Handle, desc *moduleDesc) (module Handle, err error) {
	var log Handle
	err = l.callFunction(fnModuleCreate, uintptr(context), uintptr(device), uintptr(unsafe.Pointer(desc)), uintptr(unsafe.Pointer(&module)), uintptr(unsafe.Pointer(&log)))
	if err = l.withLog(err, log); err != nil && module != 0 {
		return 0, errors.Join(err, l.DestroyModule(module))
	}
	return module, checkMade(fnModuleCreate, module, err)
}

// withLog makes a failure a BuildError with the log, and destroys the log.
func (l *Library) withLog(err error, log Handle) error {
	if log == 0 {
		if err != nil {
			err = &driver.BuildError{Err: err}
		}
		return err
	}
	if err != nil {
		message, unread := l.logText(log)
		if unread != nil {
			err = errors.Join(err, fmt.Errorf("its build log: %w", unread))
		}
		err = &driver.BuildError{Err: err, Log: message}
	}
	return errors.Join(err, l.callFunction(fnModuleBuildLogDestroy, uintptr(log)))
}

// logText returns the whole log. A log that is too long is an error.
func (l *Library) logText(log Handle) (string, error) {
	const most = 64 << 20
	text, err := l.readSized(fnModuleBuildLogGetString, log, most)
	return textOf(text), err
}

// readSized calls a function twice: for the size of an answer about an object, which may
// be up to most bytes, and then for the answer.
func (l *Library) readSized(function int, object Handle, most uintptr) ([]byte, error) {
	var size uintptr
	if err := l.callFunction(function, uintptr(object), uintptr(unsafe.Pointer(&size)), 0); err != nil || size == 0 {
		return nil, err
	}
	if size > most {
		return nil, fmt.Errorf("%s: %d bytes; up to %d are read", functionNames[function], size, most)
	}
	answer := make([]byte, size)
	err := l.callFunction(function, uintptr(object), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&answer[0])))
	return answer, err
}

// DynamicLink links the imports of modules to the exports of others.
func (l *Library) DynamicLink(modules []Handle) error {
	var log Handle
	err := l.callFunction(fnModuleDynamicLink, uintptr(len(modules)), uintptr(unsafe.Pointer(&modules[0])), uintptr(unsafe.Pointer(&log)))
	return l.withLog(err, log)
}

// HasImports reports whether a module needs others.
func (l *Library) HasImports(module Handle) (bool, error) {
	p := &flagsDesc{header: header{stype: typeModuleProperties}}
	err := l.callFunction(fnModuleGetProperties, uintptr(module), uintptr(unsafe.Pointer(p)))
	return p.flags&moduleImports != 0, err
}

// DestroyModule releases a module.
func (l *Library) DestroyModule(module Handle) error {
	return l.callFunction(fnModuleDestroy, uintptr(module))
}

// Global returns the address and size of a variable.
func (l *Library) Global(module Handle, name string) (address uint64, size int64, err error) {
	symbol := append([]byte(name), 0)
	err = l.callFunction(fnModuleGetGlobalPointer, uintptr(module), uintptr(unsafe.Pointer(&symbol[0])), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&address)))
	return address, size, err
}

// NativeBinary is the module in the device's own form.
func (l *Library) NativeBinary(module Handle) ([]byte, error) {
	const most = 1 << 30
	return l.readSized(fnModuleGetNativeBinary, module, most)
}

// kernelDesc is ze_kernel_desc_t.
type kernelDesc struct {
	_ structs.HostLayout
	header
	flags uint32
	name  *byte
}

// NewKernel makes a kernel that may follow addresses which it finds in memory, into
// allocations of every kind.
func (l *Library) NewKernel(module Handle, name string) (kernel Handle, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	desc := &kernelDesc{header: header{stype: typeKernelDesc}, name: pinBytes(&pin, append([]byte(name), 0))}
	err = l.callFunction(fnKernelCreate, uintptr(module), uintptr(unsafe.Pointer(desc)), uintptr(unsafe.Pointer(&kernel)))
	if err = checkMade(fnKernelCreate, kernel, err); err != nil {
		return 0, err
	}
	if err := l.callFunction(fnKernelSetIndirectAccess, uintptr(kernel), indirectHost|indirectDevice|indirectShared); err != nil {
		return 0, errors.Join(err, l.DestroyKernel(kernel))
	}
	return kernel, nil
}

// DestroyKernel releases a kernel.
func (l *Library) DestroyKernel(kernel Handle) error {
	return l.callFunction(fnKernelDestroy, uintptr(kernel))
}

// SetArgument sets an argument. Local memory has a size and no value.
func (l *Library) SetArgument(kernel Handle, index int, size int64, value []byte) error {
	return l.callFunction(fnKernelSetArgumentValue, uintptr(kernel), uintptr(index), uintptr(size), uintptr(unsafe.Pointer(unsafe.SliceData(value))))
}

// SetGroupSize sets the size of groups.
func (l *Library) SetGroupSize(kernel Handle, size [3]uint32) error {
	return l.callFunction(fnKernelSetGroupSize, uintptr(kernel), uintptr(size[0]), uintptr(size[1]), uintptr(size[2]))
}

// SetOffset sets the offset of the launches after it: a function of the
// extension ZE_experimental_global_offset.
func (l *Library) SetOffset(kernel Handle, offset [3]uint32) error {
	return l.callFunction(fnKernelSetGlobalOffsetExp, uintptr(kernel), uintptr(offset[0]), uintptr(offset[1]), uintptr(offset[2]))
}

// KernelProperties are ze_kernel_properties_t.
type KernelProperties struct {
	_ structs.HostLayout
	header
	Arguments         uint32
	Required          [3]uint32
	RequiredSubGroups uint32
	RequiredSubGroup  uint32
	MaxSubGroup       uint32
	MaxSubGroups      uint32
	LocalMemory       uint32
	PrivateMemory     uint32
	SpillMemory       uint32
	uuid              [32]byte
}

// KernelProperties describes a kernel.
func (l *Library) KernelProperties(kernel Handle) (*KernelProperties, error) {
	p := &KernelProperties{header: header{stype: typeKernelProperties}}
	return p, l.callFunction(fnKernelGetProperties, uintptr(kernel), uintptr(unsafe.Pointer(p)))
}
