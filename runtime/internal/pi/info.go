package pi

import (
	"fmt"
	"unsafe"

	"offlink/runtime/internal/cl"
)

// maxInfo bounds the answer of a query: build logs of megabytes are whole.
const maxInfo = 64 << 20

// query asks for the size of an answer and then for the answer, in a buffer of
// that size: the OpenCL plugin of 15.47 aborts for a larger one. Objects are
// the arguments before the query's number.
func (p *Plugin) query(f Function, param uint32, objects ...Handle) ([]byte, error) {
	var args []uintptr
	for _, o := range objects {
		args = append(args, uintptr(o))
	}
	args = append(args, uintptr(param))
	size := new(uintptr)
	if err := p.queryCall(f, args, nil, size); err != nil {
		return nil, err
	}
	if *size > maxInfo {
		return nil, fmt.Errorf("%v: the answer has %d bytes; up to %d are read", f, *size, maxInfo)
	}
	if *size == 0 {
		return nil, nil
	}
	answer := make([]byte, *size)
	if err := p.queryCall(f, args, answer, size); err != nil {
		return nil, err
	}
	return answer[:min(*size, uintptr(len(answer)))], nil // the second size may be any
}

func (p *Plugin) queryCall(f Function, args []uintptr, answer []byte, size *uintptr) error {
	if len(args) == 2 {
		return p.call(f, args[0], args[1], uintptr(len(answer)), uintptr(pointer(answer)), uintptr(unsafe.Pointer(size)))
	}
	return p.call(f, args[0], args[1], args[2], uintptr(len(answer)), uintptr(pointer(answer)), uintptr(unsafe.Pointer(size)))
}

// Raw asks for bytes.
func (p *Plugin) Raw(f Function, param uint32, objects ...Handle) ([]byte, error) {
	return p.query(f, param, objects...)
}

// Text asks for a string. Objects are a platform, a device, or a program and a
// device.
func (p *Plugin) Text(f Function, param uint32, objects ...Handle) (string, error) {
	answer, err := p.query(f, param, objects...)
	return cl.DecodeText(answer), err
}

// Number asks for an integer of any size; 0 if the answer is empty.
func (p *Plugin) Number(f Function, param uint32, objects ...Handle) (uint64, error) {
	answer, err := p.query(f, param, objects...)
	return cl.DecodeNumber(answer), err
}

// Numbers asks for an array of integers of size bytes each.
func (p *Plugin) Numbers(f Function, param uint32, size int, objects ...Handle) ([]uint64, error) {
	answer, err := p.query(f, param, objects...)
	return cl.DecodeNumbers(answer, size), err
}

// subGroupAnswer is the size of the answers of piKernelGetSubGroupInfo, which
// differs from OpenCL's.
const subGroupAnswer = 4

// SubGroupNumber asks about the sub-groups of a kernel.
func (p *Plugin) SubGroupNumber(kernel, device Handle, param uint32) (uint32, error) {
	value, size := new(uint32), new(uintptr)
	err := p.call(KernelGetSubGroupInfo, uintptr(kernel), uintptr(device), uintptr(param), 0, 0,
		subGroupAnswer, uintptr(unsafe.Pointer(value)), uintptr(unsafe.Pointer(size)))
	return *value, err
}
