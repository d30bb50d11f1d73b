package cli

import (
	"io"
	"testing"
)

// TestStopTwice: a deferred Stop may follow an early one.
func TestStopTwice(t *testing.T) {
	p := StartProgress(io.Discard, "images")
	p.Add(1)
	p.Stop()
	p.Stop()
}
