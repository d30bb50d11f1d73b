// Package cl calls OpenCL's functions in a library that is opened at run time.
// It knows their signatures and nothing of their use; package
// runtime/opencl is the back end.
//
// Source of names, numbers and signatures: the OpenCL 3.0 headers of Khronos
// (cl.h, cl_ext.h) and the specifications of cl_intel_unified_shared_memory
// and cl_intel_spirv_*; the functions for device globals are those that
// DPC++'s runtime calls.
package cl

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// Handle is an object of OpenCL: a cl_context, a cl_mem, ...
type Handle uintptr

// API is an open OpenCL library. The functions of extensions are those of one
// platform. It is safe for concurrent use.
type API struct {
	library *dl.Library
	address [functions]uintptr
	hooks   *Hooks
	serial  *sync.Mutex // of OneAtATime; nil for most
}

// Hooks see each call; each may be nil.
type Hooks struct {
	// Enter is called before each call is made.
	Enter func(name string)
	// Before is called before each call that can fail. An error of it becomes the
	// call's result, and the call is not made.
	Before func(name string) error
	// After is called after each call, with its result.
	After func(name string, args []uintptr, code int)
}

// ErrPointerSize is the error of Open on systems with 32-bit pointers.
var ErrPointerSize = errors.New("the OpenCL back end needs a system with 64-bit pointers")

// Open opens the first of the libraries that can be opened and has OpenCL's
// functions. Errors are *dl.OpenError, and others for libraries that are not
// OpenCL's.
func Open(names []string, hooks *Hooks) (*API, error) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		return nil, ErrPointerSize
	}
	library, err := dl.Open(names...)
	if err != nil {
		return nil, err
	}
	a := &API{library: library, hooks: hooks}
	for f := range firstExtension {
		a.address[f], _ = library.Symbol(f.String()) // newer ones may be missing
	}
	for _, f := range []Function{GetPlatformIDs, GetDeviceIDs, CreateContext, EnqueueNDRangeKernel, CompileProgram, LinkProgram} {
		if a.address[f] == 0 {
			return nil, errors.Join(fmt.Errorf("%s is not a library of OpenCL 1.2 or later: it lacks %v", library.Path, f), library.Close())
		}
	}
	return a, nil
}

// Library is the library, for reports.
func (a *API) Library() *dl.Library { return a.library }

// File is the library's full path.
func (a *API) File() string { return a.library.File(GetPlatformIDs.String()) }

// Close unloads the library. No copy made by ForPlatform may be used after it.
func (a *API) Close() error { return a.library.Close() }

// ForPlatform returns the API with the functions of the platform's extensions, or without
// extensions: a platform before OpenCL 1.2 cannot be asked for them.
func (a *API) ForPlatform(platform Handle, extensions bool) *API {
	own := *a
	for f := firstExtension + 1; f < functions; f++ {
		own.address[f] = 0
	}
	if extensions && a.Has(GetExtensionFunctionAddressForPlatform) {
		for f := firstExtension; f < functions; f++ {
			own.address[f] = dl.Call(a.address[GetExtensionFunctionAddressForPlatform], uintptr(platform), uintptr(unsafe.Pointer(dl.CString(f.String()))))
		}
	}
	return &own
}

// Has reports whether the library has the function. A loader has functions that a driver
// of an older version does not support, which must not be called: loaders were seen to
// recurse without end.
func (a *API) Has(f Function) bool { return a.address[f] != 0 }

// DirectAddress returns the address of a function for calls that bypass this package. It
// is 0 if hooks or OneAtATime forbid such calls, or if the library lacks the function.
func (a *API) DirectAddress(f Function) uintptr {
	if a.hooks != nil || a.serial != nil {
		return 0
	}
	return a.address[f]
}

// Without returns the API without some functions, as if the driver lacked them.
func (a *API) Without(list ...Function) *API {
	own := *a
	for _, f := range list {
		own.address[f] = 0
	}
	return &own
}

// OneAtATime returns the API for a driver that must not be called by two threads
// at once.
func (a *API) OneAtATime() *API {
	own := *a
	own.serial = new(sync.Mutex)
	return &own
}

// enterFunction calls a function, one at a time if the driver needs that.
//
//go:uintptrescapes
func (a *API) enterFunction(f Function, args ...uintptr) uintptr {
	if a.serial != nil {
		a.serial.Lock()
		defer a.serial.Unlock()
	}
	if a.hooks != nil && a.hooks.Enter != nil {
		a.hooks.Enter(f.String())
	}
	return dl.Call(a.address[f], args...)
}

// callError is the error of a call.
func callError(f Function, code int) error {
	return &driver.CallError{Call: f.String(), Code: code, Name: CodeName(code)}
}

var errNoFunction = errors.New("the driver does not have this function")

// callFunction calls a function that returns a code. Go memory that an argument points
// to stays in place until the function returns.
//
//go:uintptrescapes
func (a *API) callFunction(f Function, args ...uintptr) error {
	if a.hooks != nil || a.serial != nil || a.address[f] == 0 {
		return a.callHooked(f, args)
	}
	if code := int32(dl.Call(a.address[f], args...)); code != 0 {
		return callError(f, int(code))
	}
	return nil
}

func (a *API) callHooked(f Function, args []uintptr) error {
	if err := a.askBefore(f); err != nil {
		return err
	}
	code := int(int32(a.enterFunction(f, args...)))
	a.tellAfter(f, args, code)
	if code != 0 {
		return callError(f, code)
	}
	return nil
}

func (a *API) askBefore(f Function) error {
	if a.address[f] == 0 {
		return &driver.CallError{Call: f.String(), Code: InvalidOperation, Name: CodeName(InvalidOperation), Err: errNoFunction}
	}
	if a.hooks != nil && a.hooks.Before != nil {
		return a.hooks.Before(f.String())
	}
	return nil
}

func (a *API) tellAfter(f Function, args []uintptr, code int) {
	if a.hooks != nil && a.hooks.After != nil {
		a.hooks.After(f.String(), args, code)
	}
}

var codes = sync.Pool{New: func() any { return new(int32) }}

// createObject calls a function that returns an object, or an address, and stores a
// code through its last argument.
//
//go:uintptrescapes
func (a *API) createObject(f Function, args ...uintptr) (Handle, error) {
	if err := a.askBefore(f); err != nil {
		return 0, err
	}
	code := codes.Get().(*int32) // on the heap, so that its address lasts
	defer codes.Put(code)
	*code = 0
	args = append(args, uintptr(unsafe.Pointer(code)))
	object := Handle(a.enterFunction(f, args...))
	a.tellAfter(f, args, int(*code))
	if *code != 0 {
		return object, callError(f, int(*code))
	}
	return object, driver.CheckMade(f.String(), object, nil)
}

// releaseObject calls a function that releases an object. Hooks cannot make such calls
// fail, as a caller could do nothing about it.
func (a *API) releaseObject(f Function, object Handle) error {
	code := int(int32(a.enterFunction(f, uintptr(object))))
	a.tellAfter(f, []uintptr{uintptr(object)}, code)
	if code != 0 {
		return callError(f, code)
	}
	return nil
}

// pointer returns the address of the first element, 0 for a nil slice. It is only for
// argument lists of functions that keep the memory in place.
func pointer[T any](list []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(list)) }
