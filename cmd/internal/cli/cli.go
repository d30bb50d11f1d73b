// Package cli is shared by the three programs: their streams and exit codes, the
// command lines of the reference tools, @file arguments, all-or-nothing output,
// JSON listings, progress.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
)

// The exit codes of every program.
const (
	ExitOK     = 0
	ExitFailed = 1 // failed, or found something
	ExitUsage  = 2 // bad usage of options and commands that are ours alone
)

// Streams are the standard streams of a run. Results go to Out, everything
// else to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// Remedy returns advice about an error of a lower package, which does not know the options
	// of the program, or "". It may be nil.
	Remedy func(err error) string
}

// OSStreams returns the streams of the process. [Streams.Report] reports results that could
// not be written: a full disk must not end in exit code 0. OSStreams also begins to watch
// for crash signals, so that they leave no temporary files.
func OSStreams() Streams {
	watchCrashSignals()
	s := Streams{In: os.Stdin, Out: &results{File: os.Stdout}, Err: os.Stderr}
	if inputWasClosed() {
		s.In = closedInput{}
	}
	return s
}

// results is standard output: it remembers that a write failed.
type results struct {
	*os.File
	mu  sync.Mutex
	err error
}

func (r *results) Write(p []byte) (int, error) {
	if streamWasClosed(1) {
		return 0, r.noteFailure(errClosedOutput)
	}
	n, err := r.File.Write(p)
	if err != nil {
		return n, r.noteFailure(fmt.Errorf("error writing to standard output: %w", bareError(err)))
	}
	return n, nil
}

// noteFailure keeps the first failure and returns it.
func (r *results) noteFailure(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	return r.err
}

// WriteString goes through Write, as ReadFrom does: the methods of os.File would bypass it.
func (r *results) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// ReadFrom copies the bytes of in.
func (r *results) ReadFrom(in io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{r}, in)
}

func (r *results) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// closedInput is standard input that the process was started without. The Go
// runtime opens the null device in its place, which would be an empty module.
type closedInput struct{}

func (closedInput) Read([]byte) (int, error) { return 0, errClosedInput }

// ExitError is an error that decides the exit code. A nil Err prints nothing,
// for the reference tools' silent failures and for findings that are printed
// already.
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

// Report prints err as "program: message" on s.Err and returns the exit code:
// that of an ExitError, else 1; 0 for nil, unless results could not be written
// to standard output.
func (s Streams) Report(program string, err error) int {
	if r, ok := s.Out.(*results); ok && err == nil {
		err = r.failure()
	}
	if err == nil {
		return ExitOK
	}
	if errors.Is(err, syscall.EPIPE) { // the reader has seen enough, as head does
		noteSignal(syscall.SIGPIPE)
		return ExitFailed
	}
	code, shown := ExitFailed, err
	if exit, ok := errors.AsType[*ExitError](err); ok {
		code = exit.Code
		if exit.Err == nil {
			return code
		}
	}
	message := Message(shown)
	if s.Remedy != nil {
		if remedy := s.Remedy(shown); remedy != "" {
			message += ": " + remedy
		}
	}
	fmt.Fprintf(s.Err, "%s: %s\n", program, message)
	return code
}

// ProgramName returns the name that messages carry: the program's own, or that
// of the tool that it stands in for where it is called by that name, with or
// without a version (tool-19).
func ProgramName(own, tool string) string {
	if len(os.Args) == 0 {
		return own
	}
	called := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if called == tool || strings.HasPrefix(called, tool+"-") {
		return called
	}
	return own
}

// version is set by the linker (-X offlink/cmd/internal/cli.version=...).
var version string

// Version returns the version of this build: the one that the linker was given,
// else the module's, else "devel".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
