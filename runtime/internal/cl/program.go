package cl

import (
	"unsafe"

	"offlink/runtime/internal/dl"
)

// NewProgramIL makes a program of SPIR-V, by the function of OpenCL 2.1 or
// that of cl_khr_il_program.
func (a *API) NewProgramIL(f Function, context Handle, code []byte) (Handle, error) {
	return a.createObject(f, uintptr(context), uintptr(pointer(code)), uintptr(len(code)))
}

// NewProgramBinary makes a program of a binary for the device.
func (a *API) NewProgramBinary(context, device Handle, code []byte) (Handle, error) {
	size := uintptr(len(code))
	status := new(int32)
	// The array of pointers is Go memory that points to Go memory. To keep both in
	// place, code is an argument of createBinary too.
	data := pointer(code)
	h, err := a.createBinary(uintptr(context), uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&data)), uintptr(unsafe.Pointer(status)), uintptr(data))
	if err == nil && *status != 0 {
		_ = a.releaseObject(ReleaseProgram, h)
		return 0, callError(CreateProgramWithBinary, int(*status))
	}
	return h, err
}

//go:uintptrescapes
func (a *API) createBinary(context, device, size, data, status, _ uintptr) (Handle, error) {
	return a.createObject(CreateProgramWithBinary, context, 1, device, size, data, status)
}

// NewProgramSource makes a program of OpenCL C.
func (a *API) NewProgramSource(context Handle, source string) (Handle, error) {
	text := dl.CString(source)
	return a.createSource(uintptr(context), uintptr(unsafe.Pointer(&text)), uintptr(unsafe.Pointer(text)))
}

//go:uintptrescapes
func (a *API) createSource(context, texts, _ uintptr) (Handle, error) {
	return a.createObject(CreateProgramWithSource, context, 1, texts, 0)
}

// SetSpecConstant sets a specialization constant of a program that was not
// compiled yet.
func (a *API) SetSpecConstant(program Handle, id uint32, value []byte) error {
	return a.callFunction(SetProgramSpecializationConstant, uintptr(program), uintptr(id), uintptr(len(value)), uintptr(pointer(value)))
}

// Compile compiles a program for linking.
func (a *API) Compile(program, device Handle, options string) error {
	return a.callFunction(CompileProgram, uintptr(program), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(dl.CString(options))), 0, 0, 0, 0, 0)
}

// Build compiles and links a program.
func (a *API) Build(program, device Handle, options string) error {
	return a.callFunction(BuildProgram, uintptr(program), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(dl.CString(options))), 0, 0)
}

// Link links programs. A failure may come with a program that has its log;
// the caller releases it in any case.
func (a *API) Link(context, device Handle, options string, programs []Handle) (Handle, error) {
	return a.createObject(LinkProgram, uintptr(context), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(dl.CString(options))),
		uintptr(len(programs)), uintptr(pointer(programs)), 0, 0)
}

// ProgramBinary is the binary of a program that was built for one device.
func (a *API) ProgramBinary(program Handle) ([]byte, error) {
	size, err := a.Number(GetProgramInfo, ProgramBinarySizes, program)
	if err == nil {
		err = checkSize(GetProgramInfo, size, maxInfo)
	}
	if err != nil || size == 0 {
		return nil, err
	}
	binary := make([]byte, size)
	data := pointer(binary)
	return binary, a.getBinary(uintptr(program), uintptr(unsafe.Pointer(&data)), uintptr(data))
}

//go:uintptrescapes
func (a *API) getBinary(program, data, _ uintptr) error {
	return a.callFunction(GetProgramInfo, program, ProgramBinaries, unsafe.Sizeof(data), data, 0)
}

// GlobalVariable is the address and size of a program-scope variable.
func (a *API) GlobalVariable(device, program Handle, name string) (address uintptr, size int64, err error) {
	var where, bytes uintptr
	err = a.callFunction(GetDeviceGlobalVariablePointerINTEL, uintptr(device), uintptr(program), uintptr(unsafe.Pointer(dl.CString(name))),
		uintptr(unsafe.Pointer(&bytes)), uintptr(unsafe.Pointer(&where)))
	return where, int64(bytes), err
}

// FunctionPointer is the address of a function of a program.
func (a *API) FunctionPointer(device, program Handle, name string) (address uint64, err error) {
	err = a.callFunction(GetDeviceFunctionPointerINTEL, uintptr(device), uintptr(program), uintptr(unsafe.Pointer(dl.CString(name))), uintptr(unsafe.Pointer(&address)))
	return address, err
}
