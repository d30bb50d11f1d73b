// Package dl opens the shared libraries of drivers and calls their functions,
// without cgo. Only this package knows how; back ends describe the functions.
//
// Libraries are opened with local symbols (RTLD_LOCAL): with global ones, a loader
// of OpenCL and a driver below it bind to each other's entry points and recurse.
//
// On systems that purego does not support every Open fails with
// ErrUnsupported.
package dl

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupported is the error of Open where this build cannot open shared
// libraries.
var ErrUnsupported = errors.New("this build of offlink cannot open shared libraries on this system")

// ErrNoSymbol is the error of Symbol, wrapped with the names.
var ErrNoSymbol = errors.New("no such symbol")

// Attempt is one path that Open tried.
type Attempt struct {
	Path string
	Err  error // the loader's own words; nil if it was opened
}

// OpenError says that none of the paths could be opened.
type OpenError struct {
	Attempts []Attempt // in the order in which they were tried
}

// Error lists every path with the loader's words.
func (e *OpenError) Error() string {
	if len(e.Attempts) == 0 {
		return "no library to open"
	}
	lines := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		lines[i] = a.Err.Error()
		if !strings.Contains(lines[i], a.Path) {
			lines[i] = a.Path + ": " + lines[i]
		}
	}
	return strings.Join(lines, "; ")
}

// Unwrap returns the errors of all attempts.
func (e *OpenError) Unwrap() []error {
	var errs []error
	for _, a := range e.Attempts {
		errs = append(errs, a.Err)
	}
	return errs
}

// Library is an open shared library. Its holder closes it, after the last
// call of its functions. It is safe for concurrent use.
type Library struct {
	// Path is the path or name that was opened.
	Path string
	// Attempts are the paths that were tried before, and this one.
	Attempts []Attempt

	handle uintptr
}

// Open opens the first of the libraries that can be opened: names, which the
// system's loader looks up, or paths. The error is an *OpenError.
func Open(names ...string) (*Library, error) {
	var tried []Attempt
	for _, name := range names {
		var handle uintptr
		err := checkFile(name)
		if err == nil {
			handle, err = openLibrary(name)
		}
		tried = append(tried, Attempt{name, err})
		if err == nil {
			return &Library{Path: name, Attempts: tried, handle: handle}, nil
		}
	}
	return nil, &OpenError{tried}
}

// IsLoaded reports whether the process has a library of that name, opened by
// this package or not.
func IsLoaded(name string) bool { return isLoaded(name) }

// Symbol returns the address of a function or variable, or an error that
// errors.Is ErrNoSymbol.
func (l *Library) Symbol(name string) (uintptr, error) {
	address, err := findSymbol(l.handle, name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w %s: %w", l.Path, ErrNoSymbol, name, err)
	}
	if address == 0 {
		return 0, fmt.Errorf("%s: %w %s", l.Path, ErrNoSymbol, name)
	}
	return address, nil
}

// File is the file that the symbol's code lies in, as the loader knows it:
// the full path of a library that was opened by its name. It is Path if the
// system has no such query.
func (l *Library) File(symbol string) string {
	address, err := l.Symbol(symbol)
	if err != nil {
		return l.Path
	}
	if file := fileOfAddress(address); file != "" {
		return file
	}
	return l.Path
}

// Close releases the library; the system unloads it when nobody else has it
// open.
func (l *Library) Close() error {
	if err := closeLibrary(l.handle); err != nil {
		return fmt.Errorf("%s: %w", l.Path, err)
	}
	return nil
}
