// Package clinfo describes devices and kernels by OpenCL's queries. Plugins (PI)
// answer the same queries by the same numbers.
package clinfo

import (
	"errors"
	"strings"
	"unicode"

	"offlink/runtime/internal/cl"
)

// Query asks a driver for a property of one object: clGetDeviceInfo's bytes.
type Query func(param uint32) ([]byte, error)

// Reader asks for properties. Err collects the errors of those that a driver must answer.
// Others are 0 or "" if the driver does not know them.
type Reader struct {
	Query Query
	// Lenient is for plugins, which leave out much that OpenCL drivers must answer.
	Lenient bool
	Err     error
}

// RequireText asks for a string that every driver and plugin answers.
func (r *Reader) RequireText(param uint32) string {
	answer, err := r.Query(param)
	r.Err = errors.Join(r.Err, err)
	return Printable(cl.DecodeText(answer))
}

// RequireNumber asks for an integer that every driver and plugin answers.
func (r *Reader) RequireNumber(param uint32) uint64 {
	answer, err := r.Query(param)
	r.Err = errors.Join(r.Err, err)
	return cl.DecodeNumber(answer)
}

// requireSize asks for a number of bytes.
func (r *Reader) requireSize(param uint32) int64 { return clampSize(r.RequireNumber(param)) }

// clampSize bounds a size, which some drivers answer as the largest uint64.
func clampSize(n uint64) int64 { return int64(min(n, 1<<63-1)) }

// coreText asks for a string of OpenCL's core, which plugins may lack.
func (r *Reader) coreText(param uint32) string {
	if r.Lenient {
		return r.OptionalText(param)
	}
	return r.RequireText(param)
}

// coreNumber asks for an integer of OpenCL's core, which plugins may lack.
func (r *Reader) coreNumber(param uint32) uint64 {
	if r.Lenient {
		return r.OptionalNumber(param)
	}
	return r.RequireNumber(param)
}

// OptionalNumber asks for an integer of a later version or of an extension.
func (r *Reader) OptionalNumber(param uint32) uint64 {
	answer, err := r.Query(param)
	if err != nil {
		return 0
	}
	return cl.DecodeNumber(answer)
}

// OptionalText asks for a string of a later version or of an extension.
func (r *Reader) OptionalText(param uint32) string {
	answer, err := r.Query(param)
	if err != nil {
		return ""
	}
	return Printable(cl.DecodeText(answer))
}

// optionalNumbers asks for an array of integers of size bytes each.
func (r *Reader) optionalNumbers(param uint32, size int) []uint64 {
	answer, err := r.Query(param)
	if err != nil {
		return nil
	}
	return cl.DecodeNumbers(answer, size)
}

// has reports whether an optional property has a bit.
func (r *Reader) has(param uint32, bit uint64) bool { return r.OptionalNumber(param)&bit != 0 }

// Printable makes a driver's text fit for one line of a terminal: control
// characters become spaces or question marks, and so do bytes that are not UTF-8.
func Printable(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c == unicode.ReplacementChar || !unicode.IsPrint(c):
			return '?'
		}
		return c
	}, text)
}
