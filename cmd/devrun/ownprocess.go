package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/backends"
)

// A driver or a plugin may call _exit(0) in the middle of a launch, and devrun would then end with
// success and print nothing. So work that may open their libraries is done in a process of its
// own, which tells devrun when it ends by itself. The process has the standard streams, the
// group and the limits of devrun, and its last line to devrun is the exit code.

// ownProcessOption is the first argument of that process: with it comes the number of the
// descriptor to which it writes its lines.
const ownProcessOption = "--in-own-process="

// The words that begin a line of the process: they are followed by the driver in use, by
// nothing, and by the exit code.
const (
	driverLine = "driver "
	signalLine = "signal"
	exitLine   = "exit "
)

// ownProcess writes the lines of the process with the work. In devrun itself, and on systems
// without such processes, it is nil and writes nothing.
type ownProcess struct {
	mu  sync.Mutex
	out io.Writer
}

// present is the one of this process.
var present *ownProcess

// commandLine is that of devrun, with its name; nil in the process with the work.
var commandLine []string

// takeOwnProcess takes the option for the process with the work from the command line, and
// returns the arguments.
func takeOwnProcess(line []string) []string {
	args := line[min(1, len(line)):]
	text, ok := "", false
	if len(args) > 0 {
		text, ok = strings.CutPrefix(args[0], ownProcessOption)
	}
	if !ok {
		commandLine = line
		return args
	}
	if fd, err := strconv.Atoi(text); err == nil && fd > 2 {
		present = &ownProcess{out: keepFromChildren(fd)}
		cli.AtExit(func(code int) { present.writeLine(exitLine + strconv.Itoa(code)) })
	}
	return args[1:]
}

// writeLine writes a line. Where devrun is gone, nobody needs it.
func (p *ownProcess) writeLine(line string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.out, line+"\n")
}

// useDevice names the driver of a device, for the message if it ends the process.
func (p *ownProcess) useDevice(d *runtime.Device) {
	p.writeLine(driverLine + d.String())
}

// noteSignal tells that a signal came, so that devrun does not pass it on.
func (p *ownProcess) noteSignal() { p.writeLine(signalLine) }

// ownProcessLines are the lines of the process with the work.
type ownProcessLines struct {
	mu       sync.Mutex
	driver   string
	signaled bool
	code     int // valid if ended is set
	ended    bool
}

// read reads the lines until the process closes the pipe.
func (l *ownProcessLines) read(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		l.take(lines.Text())
	}
}

func (l *ownProcessLines) take(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case strings.HasPrefix(line, driverLine):
		l.driver = line[len(driverLine):]
	case line == signalLine:
		l.signaled = true
	case strings.HasPrefix(line, exitLine):
		code, err := strconv.Atoi(line[len(exitLine):])
		l.code, l.ended = code, err == nil
	}
}

// hasSignal reports whether a signal has come to the process.
func (l *ownProcessLines) hasSignal() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.signaled
}

// inOwnProcess does the work of a command in a process of its own if a search for that device
// may open a driver's library, and this is not that process. ok is false if the caller has to
// do the work itself. It is called before anything is read, as input may be a pipe.
func inOwnProcess(device string) (err error, ok bool) {
	if len(commandLine) == 0 || !canOwnProcess || !backends.OpensLibraries(backends.Options{}, device) {
		return nil, false
	}
	self, err := os.Executable()
	if err != nil {
		return err, true
	}
	return runOwnProcess(self, commandLine), true
}

// endedBy is the error for a process that ended without its last line.
func (l *ownProcessLines) endedBy(state *os.ProcessState) error {
	culprit := "a driver or a plugin"
	if l.driver != "" {
		culprit = "the driver of " + l.driver
	}
	return fmt.Errorf("%s ended the process (%v) before the work was done; devrun doctor tries each driver in a process of its own", culprit, state)
}
