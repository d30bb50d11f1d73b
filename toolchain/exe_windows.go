package toolchain

import (
	"os"
	"os/exec"
)

const exeSuffix = ".exe"

// ownGroup leaves the command as it is: its cancellation ends it alone.
func ownGroup(*exec.Cmd) {}

func signalName(*exec.ExitError) string { return "" }

// drainPipe has nothing to do: the reader reads to the end.
func drainPipe(*os.File, *output) {}
