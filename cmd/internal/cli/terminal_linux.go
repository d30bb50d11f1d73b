package cli

import "golang.org/x/sys/unix"

// isTerminal asks for the terminal's settings, which no other device has.
func isTerminal(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), unix.TCGETS)
	return err == nil
}
