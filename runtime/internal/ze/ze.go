// Package ze calls Level Zero's loader, libze_loader, without cgo: a method for
// each function that the back end uses, with the structures of ze_api.h. A
// failure is a *driver.CallError with the function and the code's name.
//
// Handles and addresses are numbers. Go memory that is passed stays in place
// during the call; a transfer that goes on after it needs memory that the
// caller keeps.
package ze

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// Handle is a handle of the loader, or 0.
type Handle uintptr

// Library is the opened loader. It is safe for concurrent use.
type Library struct {
	library   *dl.Library
	functions [functionCount]uintptr
	hooks     Hooks
}

// Hooks see each call; each may be nil.
type Hooks struct {
	// Enter is called before each call is made, After when it has returned.
	Enter func(name string)
	After func(name string, args []uintptr, code int)
}

// The indexes of the functions in functionNames and Library.functions.
const (
	fnInit = iota
	fnDriverGet
	fnDriverGetAPIVersion
	fnDriverGetProperties
	fnDriverGetExtensionProperties
	fnDeviceGet
	fnDeviceGetProperties
	fnDeviceGetComputeProperties
	fnDeviceGetModuleProperties
	fnDeviceGetCommandQueueGroupProperties
	fnDeviceGetMemoryProperties
	fnContextCreate
	fnContextDestroy
	fnCommandListCreateImmediate
	fnCommandListDestroy
	fnCommandListAppendMemoryCopy
	fnCommandListAppendMemoryFill
	fnCommandListAppendLaunchKernel
	fnCommandListAppendBarrier
	fnCommandListAppendSignalEvent
	fnCommandListAppendWaitOnEvents
	fnEventPoolCreate
	fnEventPoolDestroy
	fnEventCreate
	fnEventDestroy
	fnEventHostSynchronize
	fnEventQueryStatus
	fnEventQueryKernelTimestamp
	fnMemAllocDevice
	fnMemAllocHost
	fnMemAllocShared
	fnMemFree
	fnMemGetAddressRange
	fnModuleCreate
	fnModuleDestroy
	fnModuleDynamicLink
	fnModuleBuildLogGetString
	fnModuleBuildLogDestroy
	fnModuleGetGlobalPointer
	fnModuleGetProperties
	fnModuleGetNativeBinary
	fnKernelCreate
	fnKernelDestroy
	fnKernelSetArgumentValue
	fnKernelSetGroupSize
	fnKernelSetIndirectAccess
	fnKernelGetProperties
	fnKernelSetGlobalOffsetExp
	functionCount
)

var functionNames = [functionCount]string{
	fnInit:                                 "zeInit",
	fnDriverGet:                            "zeDriverGet",
	fnDriverGetAPIVersion:                  "zeDriverGetApiVersion",
	fnDriverGetProperties:                  "zeDriverGetProperties",
	fnDriverGetExtensionProperties:         "zeDriverGetExtensionProperties",
	fnDeviceGet:                            "zeDeviceGet",
	fnDeviceGetProperties:                  "zeDeviceGetProperties",
	fnDeviceGetComputeProperties:           "zeDeviceGetComputeProperties",
	fnDeviceGetModuleProperties:            "zeDeviceGetModuleProperties",
	fnDeviceGetCommandQueueGroupProperties: "zeDeviceGetCommandQueueGroupProperties",
	fnDeviceGetMemoryProperties:            "zeDeviceGetMemoryProperties",
	fnContextCreate:                        "zeContextCreate",
	fnContextDestroy:                       "zeContextDestroy",
	fnCommandListCreateImmediate:           "zeCommandListCreateImmediate",
	fnCommandListDestroy:                   "zeCommandListDestroy",
	fnCommandListAppendMemoryCopy:          "zeCommandListAppendMemoryCopy",
	fnCommandListAppendMemoryFill:          "zeCommandListAppendMemoryFill",
	fnCommandListAppendLaunchKernel:        "zeCommandListAppendLaunchKernel",
	fnCommandListAppendBarrier:             "zeCommandListAppendBarrier",
	fnCommandListAppendSignalEvent:         "zeCommandListAppendSignalEvent",
	fnCommandListAppendWaitOnEvents:        "zeCommandListAppendWaitOnEvents",
	fnEventPoolCreate:                      "zeEventPoolCreate",
	fnEventPoolDestroy:                     "zeEventPoolDestroy",
	fnEventCreate:                          "zeEventCreate",
	fnEventDestroy:                         "zeEventDestroy",
	fnEventHostSynchronize:                 "zeEventHostSynchronize",
	fnEventQueryStatus:                     "zeEventQueryStatus",
	fnEventQueryKernelTimestamp:            "zeEventQueryKernelTimestamp",
	fnMemAllocDevice:                       "zeMemAllocDevice",
	fnMemAllocHost:                         "zeMemAllocHost",
	fnMemAllocShared:                       "zeMemAllocShared",
	fnMemFree:                              "zeMemFree",
	fnMemGetAddressRange:                   "zeMemGetAddressRange",
	fnModuleCreate:                         "zeModuleCreate",
	fnModuleDestroy:                        "zeModuleDestroy",
	fnModuleDynamicLink:                    "zeModuleDynamicLink",
	fnModuleBuildLogGetString:              "zeModuleBuildLogGetString",
	fnModuleBuildLogDestroy:                "zeModuleBuildLogDestroy",
	fnModuleGetGlobalPointer:               "zeModuleGetGlobalPointer",
	fnModuleGetProperties:                  "zeModuleGetProperties",
	fnModuleGetNativeBinary:                "zeModuleGetNativeBinary",
	fnKernelCreate:                         "zeKernelCreate",
	fnKernelDestroy:                        "zeKernelDestroy",
	fnKernelSetArgumentValue:               "zeKernelSetArgumentValue",
	fnKernelSetGroupSize:                   "zeKernelSetGroupSize",
	fnKernelSetIndirectAccess:              "zeKernelSetIndirectAccess",
	fnKernelGetProperties:                  "zeKernelGetProperties",
	fnKernelSetGlobalOffsetExp:             "zeKernelSetGlobalOffsetExp",
}

// Open opens the first of the libraries that can be opened, and initializes
// Level Zero. The caller closes it.
func Open(hooks Hooks, names ...string) (*Library, error) {
	library, err := dl.Open(names...)
	if err != nil {
		return nil, err
	}
	l := &Library{library: library, hooks: hooks}
	for i, name := range functionNames {
		if l.functions[i], err = library.Symbol(name); err != nil {
			return nil, errors.Join(err, library.Close())
		}
	}
	if err := l.callFunction(fnInit, 0); err != nil {
		return nil, errors.Join(initError(library.Path, err), library.Close())
	}
	return l, nil
}

// initError explains the commonest failures of zeInit. The loader loads its layers by name
// (release 1.32 that for tracing always), and layers of an older release refuse its version.
func initError(path string, err error) error {
	switch {
	case hasCode(err, resultUninitialized):
		return fmt.Errorf("%s is installed, and no driver for it: %w", path, err)
	case hasCode(err, resultUnsupportedVersion):
		return fmt.Errorf("%s and its layers (libze_tracing_layer, libze_validation_layer) or drivers are of different releases: install those of one release: %w", path, err)
	}
	return err
}

// Path is the file that was opened.
func (l *Library) Path() string { return l.library.File(functionNames[fnInit]) }

// Close releases the library.
func (l *Library) Close() error { return l.library.Close() }

// Results that are branched on (ze_api.h, ze_result_t).
const (
	resultNotReady           = 1
	resultOutOfHost          = 0x70000002
	resultOutOfDevice        = 0x70000003
	resultInvalidGlobal      = 0x78000010
	resultInvalidKernel      = 0x78000011
	resultUninitialized      = 0x78000001
	resultUnsupportedVersion = 0x78000002
)

var resultNames = map[int]string{
	0x70000001: "ZE_RESULT_ERROR_DEVICE_LOST", 0x70000002: "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY",
	0x70000003: "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", 0x70000004: "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE",
	0x70000005: "ZE_RESULT_ERROR_MODULE_LINK_FAILURE", 0x70000006: "ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET",
	0x70000007: "ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE", 0x70020001: "ZE_RESULT_WARNING_DROPPED_DATA",
	0x70010000: "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS", 0x70010001: "ZE_RESULT_ERROR_NOT_AVAILABLE",
	0x70020000: "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE", 0x78000001: "ZE_RESULT_ERROR_UNINITIALIZED",
	0x78000002: "ZE_RESULT_ERROR_UNSUPPORTED_VERSION", 0x78000003: "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE",
	0x78000004: "ZE_RESULT_ERROR_INVALID_ARGUMENT", 0x78000005: "ZE_RESULT_ERROR_INVALID_NULL_HANDLE",
	0x78000006: "ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE", 0x78000007: "ZE_RESULT_ERROR_INVALID_NULL_POINTER",
	0x78000008: "ZE_RESULT_ERROR_INVALID_SIZE", 0x78000009: "ZE_RESULT_ERROR_UNSUPPORTED_SIZE",
	0x7800000a: "ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT", 0x7800000b: "ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT",
	0x7800000c: "ZE_RESULT_ERROR_INVALID_ENUMERATION", 0x7800000d: "ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION",
	0x7800000e: "ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT", 0x7800000f: "ZE_RESULT_ERROR_INVALID_NATIVE_BINARY",
	0x78000010: "ZE_RESULT_ERROR_INVALID_GLOBAL_NAME", 0x78000011: "ZE_RESULT_ERROR_INVALID_KERNEL_NAME",
	0x78000012: "ZE_RESULT_ERROR_INVALID_FUNCTION_NAME", 0x78000013: "ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION",
	0x78000014: "ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION", 0x78000015: "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX",
	0x78000016: "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE", 0x78000017: "ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE",
	0x78000018: "ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED", 0x78000019: "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE",
	0x7800001a: "ZE_RESULT_ERROR_OVERLAPPING_REGIONS", 0x7800001b: "ZE_RESULT_WARNING_ACTION_REQUIRED",
	0x7800001c: "ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE", 0x78000020: "ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED",
	0x78000021: "ZE_RESULT_ERROR_ADDRESS_NOT_FOUND", 0x7ffffffe: "ZE_RESULT_ERROR_UNKNOWN",
}

// callFunction calls a function and makes its result an error. Its arguments escape, so
// that Go memory whose address is among them stays in place during the call.
//
//go:uintptrescapes
func (l *Library) callFunction(function int, args ...uintptr) error {
	if l.hooks.Enter != nil {
		l.hooks.Enter(functionNames[function])
	}
	code := int(uint32(dl.Call(l.functions[function], args...)))
	if l.hooks.After != nil {
		l.hooks.After(functionNames[function], args, code)
	}
	if code == 0 {
		return nil
	}
	e := &driver.CallError{Call: functionNames[function], Code: int(int32(code)), Name: resultNames[code]}
	if code == resultOutOfHost || code == resultOutOfDevice {
		e.Err = driver.ErrOutOfResources
	}
	return e
}

func hasCode(err error, codes ...int) bool {
	call, ok := errors.AsType[*driver.CallError](err)
	if !ok {
		return false
	}
	for _, code := range codes {
		if call.Code == code {
			return true
		}
	}
	return false
}

// ResultName names a result in traces: "ZE_RESULT_SUCCESS".
func ResultName(code int) string {
	switch name := resultNames[code]; {
	case code == 0:
		return "ZE_RESULT_SUCCESS"
	case code == resultNotReady:
		return "ZE_RESULT_NOT_READY"
	case name != "":
		return name
	}
	return fmt.Sprintf("%#x", uint32(code))
}

// checkMade is driver.CheckMade for a function of the loader.
func checkMade[H ~uintptr | ~uint64](function int, made H, err error) error {
	return driver.CheckMade(functionNames[function], made, err)
}

// IsNotReady reports whether the error says that work has not ended.
func IsNotReady(err error) bool { return hasCode(err, resultNotReady) }

// IsNotFound reports whether the error says that a module lacks a name.
func IsNotFound(err error) bool { return hasCode(err, resultInvalidGlobal, resultInvalidKernel) }

// listHandles calls a function that fills an array of handles, after one argument or
// none: once for their number, and again for the handles.
func (l *Library) listHandles(function int, first ...uintptr) ([]Handle, error) {
	ask := func(count *uint32, handles *Handle) error {
		if len(first) == 0 {
			return l.callFunction(function, uintptr(unsafe.Pointer(count)), uintptr(unsafe.Pointer(handles)))
		}
		return l.callFunction(function, first[0], uintptr(unsafe.Pointer(count)), uintptr(unsafe.Pointer(handles)))
	}
	var count uint32
	if err := ask(&count, nil); err != nil || count == 0 {
		return nil, err
	}
	const most = 1 << 12
	if count > most {
		return nil, fmt.Errorf("%s: %d handles", functionNames[function], count)
	}
	handles := make([]Handle, count)
	err := ask(&count, &handles[0])
	handles = handles[:min(int(count), len(handles))]
	if err == nil && slices.Contains(handles, 0) { // the loader looks into each handle
		err = fmt.Errorf("%s: a null handle", functionNames[function])
	}
	return handles, err
}

// Drivers lists the drivers.
func (l *Library) Drivers() ([]Handle, error) { return l.listHandles(fnDriverGet) }

// Devices lists the devices of a driver.
func (l *Library) Devices(driver Handle) ([]Handle, error) {
	return l.listHandles(fnDeviceGet, uintptr(driver))
}
