package toolchain

import "os/exec"

const exeSuffix = ".exe"

// ownGroup leaves the command as it is: its cancellation ends it alone.
func ownGroup(*exec.Cmd) {}

func signalName(*exec.ExitError) string { return "" }
