package main

import (
	"errors"
	"fmt"
	"io/fs"

	"offlink/runtime"
	"offlink/runtime/driver"
	"offlink/runtime/globals"
	"offlink/runtime/resolve"
)

// status is the offlink_status of offlink.h.
type status int

const (
	statusOK status = iota
	statusInvalid
	statusNotFound
	statusUnresolved
	statusBuild
	statusDevice
	statusRuntime
	_ // the recorder's
	statusTimeout
	statusAborted
	statusUnsupported
)

// invalidError is an argument of a call that is wrong.
type invalidError struct{ msg string }

func (e *invalidError) Error() string { return e.msg }

func invalidArgument(format string, args ...any) error {
	return &invalidError{fmt.Sprintf(format, args...)}
}

func statusOf(err error) status {
	switch {
	case err == nil:
		return statusOK
	case errors.Is(err, runtime.ErrShutdown), errors.Is(err, runtime.ErrDriverEnded):
		return statusRuntime
	case hasType[*invalidError](err), hasType[*runtime.LaunchError](err), hasType[*runtime.SpecError](err),
		errors.Is(err, globals.ErrCopyTo), errors.Is(err, globals.ErrCopyFrom),
		errors.Is(err, globals.ErrManyImage), errors.Is(err, globals.ErrNoImage):
		return statusInvalid
	case hasType[*resolve.NoKernelError](err), hasType[*runtime.NoDeviceError](err), hasType[*runtime.NoFunctionError](err), errors.Is(err, globals.ErrUnknown), hasType[*codeError](err) && errors.Is(err, fs.ErrNotExist):
		return statusNotFound
	case hasType[*resolve.UnresolvedError](err), hasType[*resolve.ConflictError](err), hasType[*resolve.LinkingError](err),
		hasType[*resolve.DuplicatesError](err):
		return statusUnresolved
	case hasType[*hostError](err):
		e, _ := errors.AsType[*hostError](err)
		return e.outcome
	case hasType[*timeoutError](err):
		return statusTimeout
	case errors.Is(err, errAborted), errors.Is(err, driver.ErrQueueClosed):
		return statusAborted
	case errors.Is(err, driver.ErrUnsupported):
		return statusUnsupported
	case hasType[*driver.BuildError](err), hasType[*codeError](err), hasType[*resolve.ImageError](err), errors.Is(err, driver.ErrNotFound):
		return statusBuild
	}
	return statusDevice
}

func hasType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
