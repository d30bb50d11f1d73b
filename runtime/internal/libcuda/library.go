package libcuda

import (
	"errors"
	"fmt"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// Handles of the driver. They are not pointers of Go.
type (
	Context  uintptr // CUcontext
	Stream   uintptr // CUstream
	Event    uintptr // CUevent
	Module   uintptr // CUmodule
	Function uintptr // CUfunction
	Linker   uintptr // CUlinkState
)

// Device is a device's number, CUdevice.
type Device int32

// Library is the driver's library, opened. It is safe for concurrent use.
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

func (h *Hooks) enter(function int) {
	if h.Enter != nil {
		h.Enter(functionNames[function])
	}
}

// ErrOld is the error of Open where the library lacks a function.
var ErrOld = errors.New("the NVIDIA driver is too old: offlink needs one for CUDA 11 or newer")

// Open opens the first of the libraries that can be opened, and initializes
// the driver. The caller closes it.
func Open(hooks Hooks, names ...string) (*Library, error) {
	library, err := dl.Open(names...)
	if err != nil {
		return nil, err
	}
	l := &Library{library: library, hooks: hooks}
	if err := l.findFunctions(); err != nil {
		return nil, errors.Join(err, library.Close())
	}
	if err := l.callFunction(fnInit, 0); err != nil {
		return nil, errors.Join(err, library.Close())
	}
	return l, nil
}

func (l *Library) findFunctions() error {
	for i, name := range functionNames {
		address, err := l.library.Symbol(name)
		if err != nil && !optional[i] {
			return fmt.Errorf("%w (%w)", ErrOld, err)
		}
		l.functions[i] = address
	}
	return nil
}

// Path is the file that was opened.
func (l *Library) Path() string { return l.library.File(functionNames[fnInit]) }

// Close releases the library. The driver stays initialized.
func (l *Library) Close() error { return l.library.Close() }

// hasFunction reports whether the driver exports a function that not all have.
func (l *Library) hasFunction(function int) bool { return l.functions[function] != 0 }

// callFunction calls a function and makes its result an error.
//
//go:uintptrescapes
func (l *Library) callFunction(function int, args ...uintptr) error {
	l.hooks.enter(function)
	code := int(int32(dl.Call(l.functions[function], args...)))
	if l.hooks.After != nil {
		l.hooks.After(functionNames[function], args, code)
	}
	if code != 0 {
		return l.newError(function, code)
	}
	return nil
}

// checkMade is driver.CheckMade for a function of the library.
func checkMade[H ~uintptr | ~uint64](function int, made H, err error) error {
	return driver.CheckMade(functionNames[function], made, err)
}

// Results that callers branch on (cuda.h, CUresult).
const (
	codeInvalidValue   = 1
	codeOutOfMemory    = 2
	codeInvalidContext = 201
	codeInvalidHandle  = 400
	codeNotFound       = 500
	codeNewPTX         = 222
	codeNotReady       = 600
)

// lastingCodes are those after which the context of the GPU is lost: each later call fails with
// the same.
var lastingCodes = map[int]bool{
	700: true, // ILLEGAL_ADDRESS
	702: true, // LAUNCH_TIMEOUT
	710: true, // ASSERT
	714: true, // HARDWARE_STACK_ERROR
	715: true, // ILLEGAL_INSTRUCTION
	716: true, // MISALIGNED_ADDRESS
	717: true, // INVALID_ADDRESS_SPACE
	718: true, // INVALID_PC
	719: true, // LAUNCH_FAILED
}

// IsNewPTX reports whether the error says that PTX is newer than the driver.
func IsNewPTX(err error) bool { return hasCode(err, codeNewPTX) }

// IsNotReady reports whether the error says that work has not ended.
func IsNotReady(err error) bool { return hasCode(err, codeNotReady) }

// IsNotFound reports whether the error says that a module lacks a name.
func IsNotFound(err error) bool { return hasCode(err, codeNotFound) }

// IsContextError reports whether the error may be due to the context of the
// thread: it has none, or that of another device.
func IsContextError(err error) bool {
	return err != nil && (hasCode(err, codeInvalidContext) || hasCode(err, codeInvalidHandle))
}

func hasCode(err error, code int) bool {
	call, ok := errors.AsType[*driver.CallError](err)
	return ok && call.Code == code
}

// ErrorName is the driver's name of a result, "" if it has none.
func (l *Library) ErrorName(code int) string {
	var text uintptr
	if dl.Call(l.functions[fnGetErrorName], uintptr(code), uintptr(unsafe.Pointer(&text))) != 0 {
		return ""
	}
	return dl.String(text)
}

// lastingHint says that the failure may not be the call's own.
func lastingHint(code int) string {
	if !lastingCodes[code] {
		return ""
	}
	return " (by a kernel that ran before or now; every call of this process for the GPU fails from then on)"
}

func (l *Library) newError(function, code int) error {
	e := &driver.CallError{Call: functionNames[function], Code: code, Name: l.ErrorName(code)}
	switch code {
	case codeNotReady, codeNotFound: // which callers branch on, often
	case codeOutOfMemory:
		e.Err = driver.ErrOutOfResources
	default:
		var text uintptr
		if dl.Call(l.functions[fnGetErrorString], uintptr(code), uintptr(unsafe.Pointer(&text))) == 0 {
			e.Err = errors.New(dl.String(text) + lastingHint(code))
		}
	}
	return e
}
