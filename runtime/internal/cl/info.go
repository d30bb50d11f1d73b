package cl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unsafe"
)

// Bounds of the answers of queries. Even build logs of megabytes are read whole.
const (
	maxInfo = 1 << 30 // programs in the driver's form
	maxText = 64 << 20
)

// checkSize refuses an answer that is too long to be read.
func checkSize(f Function, size, limit uint64) error {
	if size > limit {
		return fmt.Errorf("%v: the answer has %d bytes; up to %d are read", f, size, limit)
	}
	return nil
}

// queryInfo asks for the size of an answer and then for the answer. The arguments
// before the query's are those in object.
func (a *API) queryInfo(f Function, param uint32, objects ...Handle) ([]byte, error) {
	var args [6]uintptr
	n := 0
	for _, o := range objects {
		args[n] = uintptr(o)
		n++
	}
	args[n] = uintptr(param)
	size := new(uintptr)
	if err := a.queryCall(f, args[:n+1], nil, size); err != nil {
		return nil, err
	}
	if err := checkSize(f, uint64(*size), maxText); err != nil || *size == 0 {
		return nil, err
	}
	answer := make([]byte, *size)
	if err := a.queryCall(f, args[:n+1], answer, size); err != nil {
		return nil, err
	}
	return answer[:min(*size, uintptr(len(answer)))], nil // the second size may be any
}

func (a *API) queryCall(f Function, args []uintptr, answer []byte, size *uintptr) error {
	switch len(args) {
	case 2:
		return a.callFunction(f, args[0], args[1], uintptr(len(answer)), uintptr(pointer(answer)), uintptr(unsafe.Pointer(size)))
	default:
		return a.callFunction(f, args[0], args[1], args[2], uintptr(len(answer)), uintptr(pointer(answer)), uintptr(unsafe.Pointer(size)))
	}
}

// Text asks for a string. Objects are a platform, a device, a kernel, or a
// program and a device.
func (a *API) Text(f Function, param uint32, objects ...Handle) (string, error) {
	answer, err := a.queryInfo(f, param, objects...)
	return DecodeText(answer), err
}

// Raw asks for bytes.
func (a *API) Raw(f Function, param uint32, objects ...Handle) ([]byte, error) {
	return a.queryInfo(f, param, objects...)
}

// Number asks for an integer of any size; 0 if the answer is empty.
func (a *API) Number(f Function, param uint32, objects ...Handle) (uint64, error) {
	answer, err := a.queryInfo(f, param, objects...)
	return DecodeNumber(answer), err
}

// Numbers asks for an array of integers of size bytes each.
func (a *API) Numbers(f Function, param uint32, size int, objects ...Handle) ([]uint64, error) {
	answer, err := a.queryInfo(f, param, objects...)
	return DecodeNumbers(answer, size), err
}

// DecodeText reads a string from an answer: up to its first zero, without blanks around it.
// The string shares the bytes of the answer, which must not change after that: build logs
// of megabytes are not copied.
func DecodeText(answer []byte) string {
	text, _, _ := bytes.Cut(answer, []byte{0})
	return strings.TrimSpace(unsafe.String(unsafe.SliceData(text), len(text)))
}

// DecodeNumber reads an integer of the answer's size, at most 8 bytes of it; 0 if
// there is no answer.
func DecodeNumber(answer []byte) uint64 {
	list := DecodeNumbers(answer, min(len(answer), 8))
	if len(list) == 0 {
		return 0
	}
	return list[0]
}

// DecodeNumbers reads an array of integers of size bytes each.
func DecodeNumbers(answer []byte, size int) (list []uint64) {
	for size > 0 && len(answer) >= size {
		var word [8]byte
		copy(word[:], answer[:size])
		list = append(list, binary.NativeEndian.Uint64(word[:]))
		answer = answer[size:]
	}
	return list
}
