//go:build !unix

package main

import "os"

// divertOutput is standard output, which drivers share.
func divertOutput() (*os.File, error) { return os.Stdout, nil }

// diverted runs f, in which drivers print where they like.
func diverted(f func() error) error { return f() }
