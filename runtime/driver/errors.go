package driver

import (
	"errors"
	"strings"
)

// ErrNotFound is what a lookup of a kernel or variable returns, wrapped with
// its name.
var ErrNotFound = errors.New("not found")

// BuildError is a failed build with the driver's whole log.
type BuildError struct {
	Device string
	Err    error  // what failed; may be nil
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

func firstErrorLine(log string) string {
	first := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if strings.Contains(strings.ToLower(line), "error") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
