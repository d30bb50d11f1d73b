//go:build !linux

package main

import (
	"errors"
	"os"
)

// canOwnProcess: the work is done in the process itself.
const canOwnProcess = false

func runOwnProcess(string, []string) error { return errors.ErrUnsupported }

func keepFromChildren(fd int) *os.File { return os.NewFile(uintptr(fd), "devrun") }
