package cli

import "golang.org/x/sys/windows"

// isTerminal asks for the console's mode.
func isTerminal(fd uintptr) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(fd), &mode) == nil
}
