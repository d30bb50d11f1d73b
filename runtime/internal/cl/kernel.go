package cl

import (
	"unsafe"

	"offlink/runtime/internal/dl"
)

// NewKernel returns a kernel of a built program.
func (a *API) NewKernel(program Handle, name string) (Handle, error) {
	return a.createObject(CreateKernel, uintptr(program), uintptr(unsafe.Pointer(dl.CString(name))))
}

// SetArgBytes sets an argument passed by value.
func (a *API) SetArgBytes(kernel Handle, index int, value []byte) error {
	return a.callFunction(SetKernelArg, uintptr(kernel), uintptr(index), uintptr(len(value)), uintptr(pointer(value)))
}

// SetArgHandle sets an argument to an object: a buffer, or 0 for the null
// pointer.
func (a *API) SetArgHandle(kernel Handle, index int, object Handle) error {
	return a.callFunction(SetKernelArg, uintptr(kernel), uintptr(index), unsafe.Sizeof(object), uintptr(unsafe.Pointer(&object)))
}

// SetArgLocal sets the size of local memory.
func (a *API) SetArgLocal(kernel Handle, index int, size int64) error {
	return a.callFunction(SetKernelArg, uintptr(kernel), uintptr(index), uintptr(size), 0)
}

// SetArgPointer sets an argument to an address by SetKernelArgMemPointerINTEL
// or SetKernelArgSVMPointer.
func (a *API) SetArgPointer(f Function, kernel Handle, index int, address uintptr) error {
	return a.callFunction(f, uintptr(kernel), uintptr(index), address)
}

// SetExecInfo sets a property of a kernel.
func (a *API) SetExecInfo(kernel Handle, param uint32, value []byte) error {
	return a.callFunction(SetKernelExecInfo, uintptr(kernel), uintptr(param), uintptr(len(value)), uintptr(pointer(value)))
}

// KernelArgNumber asks for an integer about a parameter.
func (a *API) KernelArgNumber(kernel Handle, index int, param uint32) (uint64, error) {
	value := new(uint64)
	err := a.callFunction(GetKernelArgInfo, uintptr(kernel), uintptr(index), uintptr(param), unsafe.Sizeof(*value), uintptr(unsafe.Pointer(value)), 0)
	return *value, err
}

// KernelArgText asks for a text about a parameter.
func (a *API) KernelArgText(kernel Handle, index int, param uint32) (string, error) {
	return a.Text(GetKernelArgInfo, param, kernel, Handle(index))
}

// SubGroupSize is the size of the sub-groups for a local size.
func (a *API) SubGroupSize(f Function, kernel, device Handle, local []uintptr) (uint64, error) {
	size := new(uint64)
	err := a.callFunction(f, uintptr(kernel), uintptr(device), KernelMaxSubGroupSizeForRange,
		unsafe.Sizeof(local[0])*uintptr(len(local)), uintptr(pointer(local)), unsafe.Sizeof(*size), uintptr(unsafe.Pointer(size)), 0)
	return *size, err
}

// KernelSubGroupNumber is a property of the sub-groups that needs no input.
func (a *API) KernelSubGroupNumber(f Function, kernel, device Handle, param uint32) (uint64, error) {
	value := new(uint64)
	err := a.callFunction(f, uintptr(kernel), uintptr(device), uintptr(param), 0, 0, unsafe.Sizeof(*value), uintptr(unsafe.Pointer(value)), 0)
	return *value, err
}
