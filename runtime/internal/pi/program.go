package pi

import (
	"fmt"
	"unsafe"

	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// NewProgramIL makes a program of SPIR-V.
func (p *Plugin) NewProgramIL(context Handle, code []byte) (Handle, error) {
	return p.create(ProgramCreate, uintptr(context), uintptr(pointer(code)), uintptr(len(code)))
}

// NewProgramBinary makes a program of a binary for the device.
func (p *Plugin) NewProgramBinary(context, device Handle, code []byte) (Handle, error) {
	size := uintptr(len(code))
	status := new(int32)
	data := pointer(code)
	handle, err := p.createBinary(uintptr(context), uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&data)), uintptr(unsafe.Pointer(status)), uintptr(data))
	if err == nil && *status != 0 {
		_ = p.Release(ProgramRelease, handle)
		return 0, p.callError(ProgramCreateWithBinary, int(*status))
	}
	return handle, err
}

// createBinary has the code as an argument too, which keeps it in place: the
// array of pointers lies in Go's memory and points there.
//
//go:uintptrescapes
func (p *Plugin) createBinary(context, device, size, data, status, _ uintptr) (Handle, error) {
	if !p.since(9, 11) {
		return p.create(ProgramCreateWithBinary, context, 1, device, size, data, status)
	}
	const metadata = 0 // none
	return p.create(ProgramCreateWithBinary, context, 1, device, size, data, metadata, 0, status)
}

// SetSpecConstant sets a specialization constant of a program that was not
// compiled yet.
func (p *Plugin) SetSpecConstant(program Handle, id uint32, value []byte) error {
	return p.call(ExtProgramSetSpecializationConstant, uintptr(program), uintptr(id), uintptr(len(value)), uintptr(pointer(value)))
}

// Compile compiles a program for linking.
func (p *Plugin) Compile(program, device Handle, options string) error {
	return p.call(ProgramCompile, uintptr(program), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(dl.CString(options))), 0, 0, 0, 0, 0)
}

// Build compiles and links a program.
func (p *Plugin) Build(program, device Handle, options string) error {
	return p.call(ProgramBuild, uintptr(program), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(dl.CString(options))), 0, 0)
}

// Link links programs. A failure may come with a program that has its log; the
// caller releases it in any case.
func (p *Plugin) Link(context, device Handle, options string, programs []Handle) (Handle, error) {
	return p.create(ProgramLink, uintptr(context), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(dl.CString(options))),
		uintptr(len(programs)), uintptr(pointer(programs)), 0, 0)
}

// ProgramBinary is the binary of a program that was built for one device.
func (p *Plugin) ProgramBinary(program Handle) ([]byte, error) {
	size, err := p.Number(ProgramGetInfo, cl.ProgramBinarySizes, program)
	const most = 1 << 30
	if err == nil && size > most {
		err = fmt.Errorf("%v: the program has %d bytes; up to %d are read", ProgramGetInfo, size, most)
	}
	if err != nil || size == 0 {
		return nil, err
	}
	binary := make([]byte, size)
	data := pointer(binary)
	return binary, p.getBinary(uintptr(program), uintptr(unsafe.Pointer(&data)), uintptr(data))
}

//go:uintptrescapes
func (p *Plugin) getBinary(program, data, _ uintptr) error {
	return p.call(ProgramGetInfo, program, cl.ProgramBinaries, unsafe.Sizeof(data), data, 0)
}

// GlobalVariable is the address and size of a program-scope variable.
func (p *Plugin) GlobalVariable(device, program Handle, name string) (address uintptr, size int64, err error) {
	var where, bytes uintptr
	err = p.call(ExtGetGlobalVariablePointer, uintptr(device), uintptr(program), uintptr(unsafe.Pointer(dl.CString(name))),
		uintptr(unsafe.Pointer(&bytes)), uintptr(unsafe.Pointer(&where)))
	return where, int64(bytes), err
}

// FunctionPointer is the address of a function of a program.
func (p *Plugin) FunctionPointer(device, program Handle, name string) (address uint64, err error) {
	err = p.call(ExtGetDeviceFunctionPointer, uintptr(device), uintptr(program), uintptr(unsafe.Pointer(dl.CString(name))), uintptr(unsafe.Pointer(&address)))
	return address, err
}
