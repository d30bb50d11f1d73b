// Package main is libpi_offlink.so: the embedded device as a plugin of DPC++'s
// plugin interface, for runtimes of others. It has the tables of the versions
// 12.27, 14.37 and 15.47 (DPC++ 2023.2, 2024.0 and 2024.2); table.c fills them. It is a
// driver for OpenCL's loader as well, through which later runtimes of DPC++ reach it: icd.c
// has that table, and opencl_*.c its functions, which call those of the plugin.
//
// Handles are numbers of the table in handles.go: a handle that is not one, or
// is one of another kind, is an error, never a crash. Memory that the host
// passes is taken as it is, as the interface has no lengths for it.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../internal/pi/include
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
void offlink_keep_error(const char *text, size_t length);
uint64_t offlink_host_time(void);
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
)

func main() {} // a c-shared library has one and never runs it

func init() { hostdev.CollectLater() }

// The codes of pi_error.def that this plugin returns.
const (
	success               = 0
	outOfResources        = -5
	noProfilingInfo       = -7
	buildFailure          = -11
	compileFailure        = -15
	linkFailure           = -17
	partitionFailed       = -18
	invalidValue          = -30
	invalidMemory         = -38
	invalidDevice         = -33
	invalidBinary         = -42
	invalidExecutable     = -45
	invalidKernelName     = -46
	invalidArgIndex       = -49
	invalidArgSize        = -51
	invalidOperation      = -59
	invalidPartitionCount = -68
	unsupportedFeature    = -995
	pluginSpecificError   = -996
	unknownError          = -999
)

// codeError is a failure with the code of the interface.
type codeError struct {
	code int32
	text string
}

func (e *codeError) Error() string { return e.text }

func failure(code int32, format string, args ...any) error {
	return &codeError{code, fmt.Sprintf(format, args...)}
}

// perform runs a call of the interface and returns its code. The text of a
// failure is kept for piPluginGetLastError. A panic is a failure: it must not
// end the host's process.
func perform(call func() error) (code int32) {
	defer func() {
		if cause := recover(); cause != nil {
			keepError(fmt.Sprint(cause))
			code = unknownError
		}
	}()
	err := call()
	if err == nil {
		return success
	}
	keepError(err.Error())
	if code = codeOf(err); code == pluginSpecificError {
		told.tellFailure(err)
	}
	return code
}

// failureLog prints failures on standard error, each once, however often the host asks for it.
type failureLog struct {
	mu   sync.Mutex
	last string
}

var told failureLog

// tellFailure prints a failure for which the interface has no code: that of a kernel, most of
// all. Hosts throw an exception without its text, and some drop that, as dpctl does when it waits
// for an event: the results would be wrong and nothing would say so.
func (l *failureLog) tellFailure(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := err.Error(); text != l.last {
		l.last = text
		fmt.Fprintf(os.Stderr, "libpi_offlink: %s\n", text)
	}
}

func keepError(text string) {
	data := []byte(text + "\x00")
	C.offlink_keep_error((*C.char)(unsafe.Pointer(&data[0])), C.size_t(len(text)))
}

// codeOf returns the code for an error. For an error without a code in the interface it is
// the one that refers to the text of piPluginGetLastError.
func codeOf(err error) int32 {
	if own, ok := errors.AsType[*codeError](err); ok {
		return own.code
	}
	switch {
	case errors.Is(err, driver.ErrNotFound):
		return invalidKernelName
	case errors.Is(err, driver.ErrUnsupported):
		return unsupportedFeature
	case errors.Is(err, driver.ErrOutOfResources):
		return outOfResources
	}
	return pluginSpecificError
}

// device is the one device of the plugin; its sub-devices are parts of it.
var device = sync.OnceValue(func() *hostdev.Device {
	list, err := hostdev.New(deviceOptions()).Devices()
	if err != nil || len(list) != 1 {
		panic(fmt.Sprint("the embedded device: ", err))
	}
	return list[0].(*hostdev.Device)
})

// abortProcess is the end of a program of SYCL with an assertion that failed, as the extension
// sycl_ext_oneapi_assert has it, whatever the program does with errors of its queues.
func abortProcess(err error) {
	told.tellFailure(err)
	C.abort()
}

//export offlink_piTearDown
func offlink_piTearDown(parameter unsafe.Pointer) int32 {
	return perform(func() error {
		if parameter != nil {
			*(*bool)(parameter) = true
		}
		return nil
	})
}

// offlink_piPluginGetBackendOption returns every option unchanged.
//
//export offlink_piPluginGetBackendOption
func offlink_piPluginGetBackendOption(unused1 uintptr, option unsafe.Pointer, backend *unsafe.Pointer) int32 {
	return perform(func() error { *backend = option; return nil })
}

// offlink_piGetDeviceAndHostTimer returns the time of the clock that events have, and that of
// the host.
//
//export offlink_piGetDeviceAndHostTimer
func offlink_piGetDeviceAndHostTimer(unused1 uintptr, onDevice, onHost *uint64) int32 {
	return perform(func() error {
		if onDevice != nil {
			*onDevice = uint64(device().Clock())
		}
		if onHost != nil {
			*onHost = uint64(C.offlink_host_time())
		}
		return nil
	})
}
