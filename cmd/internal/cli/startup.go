package cli

import (
	"errors"
	"os"
)

// The Go runtime opens the null device for each standard stream that a process
// was started without, before the first line of Go: results would vanish with
// exit code 0. Only code that runs before the runtime can tell, so the programs
// of a release begin at offlink_entry (startup_linux_*.s, -E in the Makefile).
// A null device that is open for reading and writing proves nothing: Python and
// Node.js give one to a child whose output nobody wants.
var (
	closedAtStart [4]byte // 1 for each descriptor 0 to 2 that was closed
	startNoted    byte    // 1 if the program began at offlink_entry
)

var (
	errClosedInput  = errors.New("standard input is closed")
	errClosedOutput = errors.New("standard output is closed")
)

// streamWasClosed reports whether the process was started without a descriptor.
func streamWasClosed(fd int) bool { return fd >= 0 && fd < 3 && closedAtStart[fd] != 0 }

// inputWasClosed reports whether the process was started without standard
// input. A program that did not begin at offlink_entry guesses by the null device: an
// error where an empty module was meant loses nothing.
func inputWasClosed() bool {
	if startNoted != 0 {
		return streamWasClosed(0)
	}
	return isNullForWriting(os.Stdin)
}

// CloseStreams closes the standard streams that the process was started
// without, for a program that takes the place of this one.
func CloseStreams() {
	for fd, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		if streamWasClosed(fd) {
			f.Close()
		}
	}
}

// StandardFiles are the standard streams for a process that does the work of this one: nil
// for each that this one was started without.
func StandardFiles() []*os.File {
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	for fd := range files {
		if streamWasClosed(fd) {
			files[fd] = nil
		}
	}
	return files
}
