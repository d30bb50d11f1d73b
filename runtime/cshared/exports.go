// Package main is libofflink-core.so: the runtime behind libofflink.so, which
// opens it on first use. The functions are those of runtime/cshim/core.h.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../cshim -I${SRCDIR}/../../include
#include <stdlib.h>
#include "core.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"offlink/runtime/backends"
	"offlink/runtime/driver"
)

func main() {} // a c-shared library has one and never runs it

// current is the session of the process.
var current = sync.OnceValue(func() *session { return newSession(backends.Open(backends.Options{})) })

// inUse counts the calls that are under way, so that shutdown at exit does
// not close what another thread uses.
var inUse sync.RWMutex

// call runs one function of the core. An error becomes a status and a text; a
// panic is an error too: it must not end the host program.
func call(text **C.char, f func(*session) error) (result C.int) {
	inUse.RLock()
	defer inUse.RUnlock()
	defer func() {
		if p := recover(); p != nil {
			result = fail(text, statusRuntime, fmt.Errorf("internal error of offlink: %v", p))
		}
	}()
	if err := f(current()); err != nil {
		return fail(text, statusOf(err), err)
	}
	return C.int(statusOK)
}

func fail(text **C.char, s status, err error) C.int {
	*text = C.CString(err.Error())
	return C.int(s)
}

//export offlink_core_add_images
func offlink_core_add_images(descriptor, base unsafe.Pointer, file *C.char) (handle C.offlink_handle) {
	var text *C.char
	call(&text, func(s *session) error {
		handle = C.offlink_handle(s.addImages(descriptor, uintptr(base), C.GoString(file)))
		return nil
	})
	C.free(unsafe.Pointer(text))
	return handle
}

//export offlink_core_drop_images
func offlink_core_drop_images(images C.offlink_handle) {
	current().dropImages(uint64(images))
}

//export offlink_core_device_open
func offlink_core_device_open(selector *C.char, device *C.offlink_handle, name, text **C.char) C.int {
	return call(text, func(s *session) error {
		handle, deviceName, err := s.openDevice(C.GoString(selector))
		if err == nil {
			*device, *name = C.offlink_handle(handle), C.CString(deviceName)
		}
		return err
	})
}

//export offlink_core_kernel_names
func offlink_core_kernel_names(names ***C.char, count *C.size_t, text **C.char) C.int {
	return call(text, func(s *session) error {
		list := s.runtime.Registered().KernelNames()
		array, err := stringArray(list)
		if err == nil {
			*names, *count = array, C.size_t(len(list))
		}
		return err
	})
}

// stringArray returns an array of C strings, all in one block from malloc: the
// pointers, a null pointer, then the texts.
func stringArray(list []string) (**C.char, error) {
	const pointer = unsafe.Sizeof(uintptr(0))
	size := uintptr(len(list)+1) * pointer
	for _, s := range list {
		size += uintptr(len(s) + 1)
	}
	block := C.malloc(C.size_t(size))
	if block == nil {
		return nil, errors.New("out of memory")
	}
	pointers := unsafe.Slice((**C.char)(block), len(list)+1)
	texts := unsafe.Slice((*byte)(block), size)
	at := uintptr(len(list)+1) * pointer
	for i, s := range list {
		pointers[i] = (*C.char)(unsafe.Add(block, at))
		at += uintptr(copy(texts[at:], s))
		texts[at] = 0
		at++
	}
	pointers[len(list)] = nil
	return (**C.char)(block), nil
}

//export offlink_core_kernel_open
func offlink_core_kernel_open(device C.offlink_handle, base unsafe.Pointer, name *C.char, kernel *C.offlink_handle, argCount *C.size_t, text **C.char) C.int {
	return call(text, func(s *session) error {
		handle, args, err := s.openKernel(uint64(device), uintptr(base), C.GoString(name))
		if err == nil {
			*kernel, *argCount = C.offlink_handle(handle), C.size_t(args)
		}
		return err
	})
}

//export offlink_core_buffer_create
func offlink_core_buffer_create(device C.offlink_handle, size C.size_t, data unsafe.Pointer, buffer *C.offlink_handle, text **C.char) C.int {
	return call(text, func(s *session) error {
		initial, err := hostBytes(data, size)
		if err != nil {
			return err
		}
		handle, err := s.createBuffer(uint64(device), int64(size), initial)
		*buffer = C.offlink_handle(handle)
		return err
	})
}

//export offlink_core_buffer_read
func offlink_core_buffer_read(buffer C.offlink_handle, offset C.size_t, data unsafe.Pointer, size C.size_t, text **C.char) C.int {
	return call(text, func(s *session) error {
		to, err := hostBytes(data, size)
		if err != nil {
			return err
		}
		return s.readBuffer(uint64(buffer), int64(offset), to)
	})
}

//export offlink_core_buffer_write
func offlink_core_buffer_write(buffer C.offlink_handle, offset C.size_t, data unsafe.Pointer, size C.size_t, text **C.char) C.int {
	return call(text, func(s *session) error {
		from, err := hostBytes(data, size)
		if err != nil {
			return err
		}
		return s.writeBuffer(uint64(buffer), int64(offset), from)
	})
}

// hostBytes returns the memory of the host program, nil for NULL.
func hostBytes(data unsafe.Pointer, size C.size_t) ([]byte, error) {
	if uint64(size) > math.MaxInt64/2 {
		return nil, invalidf("%d bytes are more than there can be", uint64(size))
	}
	if data == nil {
		return nil, nil
	}
	return unsafe.Slice((*byte)(data), int(size)), nil
}

//export offlink_core_launch
func offlink_core_launch(kernel C.offlink_handle, r C.offlink_range, args *C.struct_offlink_core_arg, argCount C.size_t, text **C.char) C.int {
	return call(text, func(s *session) error {
		size, err := rangeOf(r)
		if err != nil {
			return err
		}
		list := make([]argument, 0, argCount)
		for _, arg := range unsafe.Slice(args, int(argCount)) {
			value, err := hostBytes(arg.value, arg.size)
			if err != nil {
				return err
			}
			list = append(list, argument{int(arg.kind), value, uint64(arg.buffer), uint64(arg.size)})
		}
		return s.launch(uint64(kernel), size, list)
	})
}

// rangeOf checks what C could not: sizes beyond the dimensions are ignored,
// and a local size of zeros is none.
func rangeOf(r C.offlink_range) (driver.Range, error) {
	n := int(r.dimensions)
	if n < 1 || n > 3 {
		return driver.Range{}, invalidf("a range has 1 to 3 dimensions, not %d", n)
	}
	var size driver.Range
	chosen := false
	for i := range n {
		if uint64(r.global[i]) > math.MaxInt || uint64(r.local[i]) > math.MaxInt {
			return driver.Range{}, invalidf("dimension %d of the range is too large", i)
		}
		size.Global = append(size.Global, int(r.global[i]))
		size.Local = append(size.Local, int(r.local[i]))
		chosen = chosen || r.local[i] != 0
	}
	if !chosen {
		size.Local = nil
	}
	return size, nil
}

//export offlink_core_close
func offlink_core_close(handle C.offlink_handle) {
	current().close(uint64(handle))
}

// offlink_core_shutdown closes the runtime, unless a thread still uses it:
// then the end of the process does.
//
//export offlink_core_shutdown
func offlink_core_shutdown() {
	if inUse.TryLock() {
		defer inUse.Unlock()
		current().shutdown()
	}
}
