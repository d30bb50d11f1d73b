package main

import "testing"

// TestFoundState: a library that was opened is found, also if other paths were tried before and
// its devices fail.
func TestFoundState(t *testing.T) {
	tried := []triedPath{{}}
	for want, r := range map[string]backendReport{
		"not found":              {Tried: tried, Error: "no such file"},
		"failed":                 {Tried: tried, Path: "libpi_toy.so", Error: "property 0x1000"},
		"found, without devices": {Tried: tried, Path: "libpi_toy.so"},
	} {
		if got := r.foundState(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
