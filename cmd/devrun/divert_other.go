//go:build !unix

package main

import (
	"io"
	"os"
)

// divertOutput is standard output, which drivers share.
func divertOutput() (io.Writer, error) { return os.Stdout, nil }

// diverted runs f, in which drivers print where they like.
func diverted(f func() error) error { return f() }
