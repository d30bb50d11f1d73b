package pi

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// MissingError is the error of a call of a function that the plugin's table lacks.
type MissingError struct{ Function Function }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the plugin has no %v: %v", e.Function, driver.ErrUnsupported)
}

// Is makes it driver.ErrUnsupported.
func (e *MissingError) Is(target error) bool { return target == driver.ErrUnsupported }

// call calls a function; all of them return a code. Go memory that an argument points to
// stays in place until the function returns. The text of a failure belongs to the thread,
// so that the goroutine stays on one thread until it has read that.
//
//go:uintptrescapes
func (p *Plugin) call(f Function, args ...uintptr) error {
	if p.address[f] == 0 {
		return &MissingError{f}
	}
	if p.hooks.Before != nil {
		if err := p.hooks.Before(f.String()); err != nil {
			return err
		}
	}
	return p.enter(f, args)
}

// release is call for functions that release an object. Hooks cannot make them fail, as a
// caller could do nothing about it.
//
//go:uintptrescapes
func (p *Plugin) release(f Function, args ...uintptr) error {
	if p.address[f] == 0 {
		return &MissingError{f}
	}
	return p.enter(f, args)
}

func (p *Plugin) enter(f Function, args []uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if p.hooks.Enter != nil {
		p.hooks.Enter(f.String())
	}
	code := int(int32(dl.Call(p.address[f], args...)))
	if p.hooks.After != nil {
		p.hooks.After(f.String(), args, code)
	}
	if code == 0 {
		return nil
	}
	return p.callError(f, code)
}

// callError is the error of a call, with the plugin's text where there is one.
func (p *Plugin) callError(f Function, code int) error {
	failed := &driver.CallError{Call: f.String(), Code: code, Name: CodeName(code)}
	switch {
	case code == UnsupportedFeature:
		failed.Err = driver.ErrUnsupported
	case code == PluginSpecificError:
		if text := p.lastError(); text != "" {
			failed.Err = errors.New(text)
		}
	}
	return failed
}

// lastError is the plugin's text about the last failure of this thread.
func (p *Plugin) lastError() string {
	if p.address[PluginGetLastError] == 0 {
		return ""
	}
	message := new(uintptr)
	dl.Call(p.address[PluginGetLastError], uintptr(unsafe.Pointer(message)))
	return dl.String(*message)
}

// handles are the places where functions store the objects that they make. They are on the
// heap, so that their addresses do not change.
var handles = sync.Pool{New: func() any { return new(Handle) }}

// create calls a function that stores a handle, or an address, through its last
// argument.
//
//go:uintptrescapes
func (p *Plugin) create(f Function, args ...uintptr) (Handle, error) {
	handle := handles.Get().(*Handle)
	defer handles.Put(handle)
	*handle = 0
	err := p.call(f, append(args, uintptr(unsafe.Pointer(handle)))...)
	return *handle, driver.CheckMade(f.String(), *handle, err)
}

// createFirst is create with the place as the first argument.
//
//go:uintptrescapes
func (p *Plugin) createFirst(f Function, args ...uintptr) (Handle, error) {
	handle := handles.Get().(*Handle)
	defer handles.Put(handle)
	*handle = 0
	err := p.call(f, append([]uintptr{uintptr(unsafe.Pointer(handle))}, args...)...)
	return *handle, driver.CheckMade(f.String(), *handle, err)
}

// pointer returns the address of the first element, 0 for a nil slice. It is only for
// argument lists of functions that keep the memory in place.
func pointer[T any](list []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(list)) }

// IsCode reports whether an error is a call's with that code.
func IsCode(err error, code int) bool {
	failed, ok := errors.AsType[*driver.CallError](err)
	return ok && failed.Code == code
}
