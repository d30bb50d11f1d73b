//go:build !unix

package main

import (
	"io"
	"os"
)

// divertOutput is standard output, which drivers share.
func divertOutput() (io.Writer, error) { return os.Stdout, nil }
