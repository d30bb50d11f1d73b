package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Runner runs tools. Its methods may be called from several goroutines.
type Runner struct {
	// Launcher is a command that is put in front of every tool, such as a
	// compiler cache or the client of a distributed build; empty for none.
	Launcher []string
}

// killDelay is the time that a cancelled tool has to end.
const killDelay = 2 * time.Second

// Run runs the tool and waits for it. A tool that fails gives a *[ToolError];
// one that is cancelled, ctx's error. A tool that exits with 0 has succeeded,
// whatever it left running. On cancellation the tool is killed and,
// except on Windows, the processes that it started too.
func (r *Runner) Run(ctx context.Context, tool Tool, args ...string) error {
	line := append(append([]string{}, r.Launcher...), tool.Path)
	line = append(line, args...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	ownGroup(cmd)
	out, err := runKeeping(cmd)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &ToolError{Tool: tool, Args: line, Output: out.String(), Err: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.ExitCode, e.Signal = exit.ExitCode(), signalName(exit)
	}
	return e
}

// ToolError is a tool that failed.
type ToolError struct {
	Tool Tool
	// Args is the whole command line.
	Args []string
	// ExitCode is the exit code, -1 if the tool could not be started or was
	// ended by a signal.
	ExitCode int
	// Signal names the signal that ended it, "" if none did.
	Signal string
	// Output is the tool's output, standard output and error together,
	// without the middle if it is long.
	Output string
	// Err is the error of os/exec.
	Err error
}

// Error returns one line: the tool, how it ended, and the first line of its
// output that reports an error. The rest is in Output.
func (e *ToolError) Error() string {
	how := e.Err.Error()
	if e.Signal != "" {
		how = "crashed (" + e.Signal + ")"
	}
	text := fmt.Sprintf("%s: %s", e.Tool.Path, how)
	if line := FirstError(e.Output); line != "" {
		text += ": " + line
	}
	return text
}

func (e *ToolError) Unwrap() error { return e.Err }

// FirstError returns the first line of a tool's output that reports an
// error, or else the first line that is not empty. A line that ends in a
// colon goes on in the next: llvm-spirv names the failed rule in one line and
// the thing that failed in the next.
func FirstError(text string) string {
	lines := strings.Split(text, "\n")
	for _, marker := range []string{"error:", "ERROR:", "Assertion", ""} {
		for i, line := range lines {
			line = strings.TrimSpace(line)
			if line != "" && strings.Contains(line, marker) {
				return joinNext(line, lines[i+1:])
			}
		}
	}
	return ""
}

func joinNext(line string, rest []string) string {
	if strings.HasSuffix(line, ":") && len(rest) > 0 {
		line = strings.TrimSpace(line + " " + strings.TrimSpace(rest[0]))
	}
	return line
}
