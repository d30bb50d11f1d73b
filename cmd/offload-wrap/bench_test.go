package main

import (
	"io"
	"os"
	"testing"

	"offlink/cmd/internal/cli"
)

// BenchmarkList lists the library that OFFLINK_BENCH_LIBRARY names.
func BenchmarkList(b *testing.B) {
	name := os.Getenv("OFFLINK_BENCH_LIBRARY")
	if name == "" {
		b.Skip("OFFLINK_BENCH_LIBRARY names no library")
	}
	b.ReportAllocs()
	for b.Loop() {
		if code := run([]string{"list", name}, cli.Streams{Out: io.Discard, Err: os.Stderr}); code != 0 {
			b.Fatalf("exit code %d", code)
		}
	}
}
