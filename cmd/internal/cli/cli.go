// Package cli is what the three programs share: their streams and exit
// codes, the command lines of the reference tools, @file arguments,
// all-or-nothing output, JSON listings, progress.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// The exit codes of every program.
const (
	ExitOK     = 0
	ExitFailed = 1 // failed, or found something
	ExitUsage  = 2 // bad usage of what is ours alone
)

// Streams are the standard streams of a run. Results go to Out, everything
// else to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// OSStreams returns the streams of the process.
func OSStreams() Streams { return Streams{os.Stdin, os.Stdout, os.Stderr} }

// ExitError is an error that decides the exit code. A nil Err prints nothing,
// for the reference tools' silent failures and for "found something".
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Usagef returns an error of bad usage, exit code 2.
func Usagef(format string, args ...any) error {
	return &ExitError{ExitUsage, fmt.Errorf(format, args...)}
}

// Report prints err as "program: what" on s.Err and returns the exit code:
// that of an ExitError, else 1; 0 for nil.
func (s Streams) Report(program string, err error) int {
	if err == nil {
		return ExitOK
	}
	code, shown := ExitFailed, err
	if exit, ok := errors.AsType[*ExitError](err); ok {
		code = exit.Code
		if exit.Err == nil {
			return code
		}
	}
	fmt.Fprintf(s.Err, "%s: %v\n", program, shown)
	return code
}

// WriteJSON prints v indented, with a line end, as every -json listing does.
// HTML characters are not escaped.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// version is set by the linker (-X offlink/cmd/internal/cli.version=...).
var version string

// Version returns the version of this build: what the linker was told, else
// the module's version, else "devel".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
