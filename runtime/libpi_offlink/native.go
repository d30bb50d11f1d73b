package main

/*
#include <stdint.h>
uintptr_t offlink_new_native(uintptr_t handle);
void offlink_free_native(uintptr_t native);
*/
import "C"

import (
	"sync"

	"offlink/runtime/internal/dl"
)

// nativeHandle stores the object of OpenCL's loader that stands for a handle. It lasts as
// long as the handle, whose uses it shares, as those of OpenCL's plugin do.
func nativeHandle(handle uintptr, out *uintptr) int32 {
	return perform(func() (err error) {
		*out, err = handles.nativeOf(handle)
		return err
	})
}

func (h *handleTable) nativeOf(handle uintptr) (uintptr, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry := h.objects[handle]
	if entry == nil {
		return 0, failure(invalidValue, "%#x is not a handle", handle)
	}
	if entry.native == 0 {
		entry.native = uintptr(C.offlink_new_native(C.uintptr_t(handle)))
		if entry.native == 0 {
			return 0, failure(outOfResources, "no memory for a native handle")
		}
		h.natives[entry.native] = handle
	}
	return entry.native, nil
}

// dropNative frees the object of an entry that ends. h.mu is held.
func (h *handleTable) dropNative(entry *handleEntry) {
	if entry.native != 0 {
		delete(h.natives, entry.native)
		C.offlink_free_native(C.uintptr_t(entry.native))
	}
}

// offlink_native_of is nativeOf for icd.c, 0 for a handle that is none.
//
//export offlink_native_of
func offlink_native_of(handle uintptr) uintptr {
	native, _ := handles.nativeOf(handle)
	return native
}

// offlink_handle_of is the handle of a native one, 0 for none.
//
//export offlink_handle_of
func offlink_handle_of(native uintptr) uintptr {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	return handles.natives[native]
}

// fromNative stores the handle of a native one. The host counts the use of it.
func fromNative(native uintptr, out *uintptr) int32 {
	return perform(func() error {
		handle := offlink_handle_of(native)
		if handle == 0 {
			return failure(invalidValue, "%#x is not a native handle of this library", native)
		}
		*out = handle
		return nil
	})
}

//export offlink_piextPlatformCreateWithNativeHandle
func offlink_piextPlatformCreateWithNativeHandle(native uintptr, out *uintptr) int32 {
	return fromNative(native, out)
}

//export offlink_piextDeviceCreateWithNativeHandle
func offlink_piextDeviceCreateWithNativeHandle(native, unused1 uintptr, out *uintptr) int32 {
	return fromNative(native, out)
}

//export offlink_piextContextCreateWithNativeHandle
func offlink_piextContextCreateWithNativeHandle(native uintptr, unused1 uint32, unused2, unused3 uintptr, out *uintptr) int32 {
	return fromNative(native, out)
}

// offlink_piextQueueCreateWithNativeHandle counts a use, as OpenCL's plugin does for queues
// alone: hosts release the queue and the native handle.
//
//export offlink_piextQueueCreateWithNativeHandle
func offlink_piextQueueCreateWithNativeHandle(native uintptr, unused1 int32, unused2, unused3, unused4, unused5 uintptr, out *uintptr) int32 {
	if code := fromNative(native, out); code != success {
		return code
	}
	return retainHandle(*out)
}

//export offlink_piextMemCreateWithNativeHandle
func offlink_piextMemCreateWithNativeHandle(native, unused1, unused2 uintptr, out *uintptr) int32 {
	return fromNative(native, out)
}

//export offlink_piextProgramCreateWithNativeHandle
func offlink_piextProgramCreateWithNativeHandle(native, unused1, unused2 uintptr, out *uintptr) int32 {
	return fromNative(native, out)
}

//export offlink_piextKernelCreateWithNativeHandle
func offlink_piextKernelCreateWithNativeHandle(native, unused1, unused2, unused3 uintptr, out *uintptr) int32 {
	return fromNative(native, out)
}

//export offlink_piextEventCreateWithNativeHandle
func offlink_piextEventCreateWithNativeHandle(native, unused1, unused2 uintptr, out *uintptr) int32 {
	return fromNative(native, out)
}

// openLoader loads OpenCL's loader, where there is one, as the plugin of OpenCL does: hosts
// look for it among the libraries that are open already, and call it with native handles.
var openLoader = sync.OnceFunc(func() {
	_, _ = dl.Open("libOpenCL.so.1") // without it nobody makes such calls
})
