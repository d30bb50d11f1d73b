package driver

import (
	"errors"
	"fmt"
	"strings"
)

// The classes of errors that callers branch on.
var (
	// ErrNotFound is the error of a lookup of a kernel or variable, wrapped
	// with its name.
	ErrNotFound = errors.New("not found")
	// ErrUnsupported is an operation that the device does not have.
	ErrUnsupported = errors.New("not supported by the device")
	// ErrOutOfResources is memory or another resource that is used up: after
	// programs were closed, the call may succeed.
	ErrOutOfResources = errors.New("out of resources")
	// ErrQueueClosed is the failure of commands that had not ended when their queue
	// was closed.
	ErrQueueClosed = errors.New("the queue was closed")
)

// inheritedError is the failure of a command that was not run because of another failure.
type inheritedError struct {
	reason string
	cause  error
}

func (e *inheritedError) Error() string { return e.reason + ": " + e.cause.Error() }

func (e *inheritedError) Unwrap() error { return e.cause }

// InheritError returns the failure of a command that waited for an event with the failure
// cause. In a chain of such commands the text of each names the first cause alone.
func InheritError(cause error) error {
	return inheritError("an event that it waits for failed", cause)
}

// FollowError returns the failure of a command of an in-order queue after one with the
// failure cause. As in InheritError the text names the first cause alone.
func FollowError(cause error) error {
	return inheritError("a command before it in its queue failed", cause)
}

func inheritError(reason string, cause error) error {
	if inherited, ok := errors.AsType[*inheritedError](cause); ok {
		cause = inherited.cause
	}
	return &inheritedError{reason, cause}
}

// Codes of OpenCL that drivers of all kinds report (cl.h), as PI and Unified
// Runtime do.
const (
	CodeOutOfDeviceMemory = -4 // CL_MEM_OBJECT_ALLOCATION_FAILURE
	CodeOutOfResources    = -5
	CodeOutOfHostMemory   = -6
)

// CallError is a call of a native interface that failed.
type CallError struct {
	Call string // the function: "clCreateBuffer"
	Code int    // its result
	Name string // of the code, "" if unknown: "CL_INVALID_VALUE"
	Err  error  // more about it; may be nil
}

// Error names the call, the code and its name.
func (e *CallError) Error() string {
	msg := fmt.Sprintf("%s failed with %d", e.Call, e.Code)
	if e.Name != "" {
		msg = fmt.Sprintf("%s failed with %s (%d)", e.Call, e.Name, e.Code)
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// ErrNullHandle is the cause of a CallError of a call that reported success but made no
// object.
var ErrNullHandle = errors.New("the driver reported success and returned a null handle")

// CheckMade returns the error of a call that makes an object: err, or an error if the object
// is null, with which other calls of the driver might crash.
func CheckMade[H ~uintptr | ~uint64](call string, made H, err error) error {
	if err == nil && made == 0 {
		return &CallError{Call: call, Err: ErrNullHandle}
	}
	return err
}

// Is makes the codes for used-up resources ErrOutOfResources.
func (e *CallError) Is(target error) bool {
	return target == ErrOutOfResources &&
		(e.Code == CodeOutOfDeviceMemory || e.Code == CodeOutOfResources || e.Code == CodeOutOfHostMemory)
}

// BuildError is a failed compile or link with the driver's whole log.
type BuildError struct {
	Device string
	Err    error  // the cause; may be nil
	Log    string // complete, as the driver gave it
}

// Error is the cause and the first line of the log that says error; Log has
// the rest.
func (e *BuildError) Error() string {
	msg := e.Device + ": build failed"
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	if line := firstErrorLine(e.Log); line != "" {
		msg += ": " + line
	}
	return msg
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// maxLogLine bounds the part of a log's line that a message has.
const maxLogLine = 500

// firstErrorLine is the first line that says error, else the first with text.
func firstErrorLine(log string) string {
	first := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if len(line) > maxLogLine {
			line = strings.ToValidUTF8(line[:maxLogLine], "") + "..."
		}
		if strings.Contains(strings.ToLower(line), "error") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
