package irtext

import (
	"bytes"
	"fmt"

	"offlink/abort"
)

// Error is a fault of the input and its place.
type Error struct {
	Path string
	// Line and Column count from 1; Column counts bytes.
	Line, Column int
	Msg          string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// errorAt returns the error of a fault, with its place.
func errorAt(path string, data []byte, f *fault) *Error {
	pos := min(f.pos, len(data))
	before := data[:pos]
	line := 1 + bytes.Count(before, []byte{'\n'})
	return &Error{path, line, pos - bytes.LastIndexByte(before, '\n'), f.msg}
}

// catchFault runs step and returns the fault that stopped it, or nil if there was none.
func catchFault(step func()) *fault {
	stopped, _ := abort.Catch(step).(*fault)
	return stopped
}
