package cli

import (
	"errors"
	"testing"
)

func TestMessageEscapes(t *testing.T) {
	got := Message(errors.New("\x1b]0;title\a section \u009bA:\n\ta name with \u00e9"))
	if want := "\\x1b]0;title\\x07 section \\x9bA:\n\ta name with \u00e9"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
