package pi

import (
	"unsafe"

	"offlink/runtime/internal/dl"
)

// NewKernel returns a kernel of a built program.
func (p *Plugin) NewKernel(program Handle, name string) (Handle, error) {
	return p.create(KernelCreate, uintptr(program), uintptr(unsafe.Pointer(dl.CString(name))))
}

// SetArgBytes sets an argument passed by value.
func (p *Plugin) SetArgBytes(kernel Handle, index int, value []byte) error {
	return p.call(KernelSetArg, uintptr(kernel), uintptr(index), uintptr(len(value)), uintptr(pointer(value)))
}

// SetArgLocal sets the size of local memory.
func (p *Plugin) SetArgLocal(kernel Handle, index int, size int64) error {
	return p.call(KernelSetArg, uintptr(kernel), uintptr(index), uintptr(size), 0)
}

// SetArgAddress sets an argument to an address: plugins take a pointer to the address.
func (p *Plugin) SetArgAddress(kernel Handle, index int, address uintptr) error {
	return p.call(ExtKernelSetArgPointer, uintptr(kernel), uintptr(index), unsafe.Sizeof(address), uintptr(unsafe.Pointer(&address)))
}

// memObjProperty is struct pi_mem_obj_property: how a kernel uses a buffer.
type memObjProperty struct {
	kind   uint32
	next   uintptr
	access uint32
}

const (
	argMemObjAccess = 27 // PI_KERNEL_ARG_MEM_OBJ_ACCESS
	accessReadWrite = 1
)

// SetArgBuffer sets an argument to a buffer.
func (p *Plugin) SetArgBuffer(kernel Handle, index int, buffer Handle) error {
	if !p.since(14, 33) {
		return p.call(ExtKernelSetArgMemObj, uintptr(kernel), uintptr(index), uintptr(unsafe.Pointer(&buffer)))
	}
	property := &memObjProperty{kind: argMemObjAccess, access: accessReadWrite}
	return p.call(ExtKernelSetArgMemObj, uintptr(kernel), uintptr(index), uintptr(unsafe.Pointer(property)), uintptr(unsafe.Pointer(&buffer)))
}

// usmIndirectAccess is PI_USM_INDIRECT_ACCESS.
const usmIndirectAccess = 0

// AllowIndirect lets a kernel follow addresses that it finds in memory.
func (p *Plugin) AllowIndirect(kernel Handle) error {
	yes := new(uint32)
	*yes = 1
	return p.call(KernelSetExecInfo, uintptr(kernel), usmIndirectAccess, unsafe.Sizeof(*yes), uintptr(unsafe.Pointer(yes)))
}
