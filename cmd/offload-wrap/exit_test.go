package main

import (
	"bytes"
	"testing"

	"offlink/cmd/internal/cli"
)

// TestExitCodes: 2 for bad usage of a subcommand, 1 for a failure or a
// difference, and for every error of the drop-in command line.
func TestExitCodes(t *testing.T) {
	object, other := golden+"/bare/wrapped.o", golden+"/one_image/wrapped.o"
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"list", object}, 0},
		{[]string{"list", "nowhere.o"}, 1},
		{[]string{"list"}, 2},
		{[]string{"list", "--nonsense"}, 2},
		{[]string{"extract", object, "--image", "x"}, 2},
		{[]string{"extract", object, "--image", "9"}, 1},
		{[]string{"diff", object, object}, 0},
		{[]string{"diff", object, other}, 1},
		{[]string{"diff", object}, 2},
		{[]string{"replace", object}, 2},
		{[]string{"remove"}, 2},
		{[]string{"-nonsense"}, 1},
	} {
		var out, err bytes.Buffer
		if got := run(test.args, cli.Streams{Out: &out, Err: &err}); got != test.want {
			t.Errorf("offload-wrap %q exits %d, want %d\n%s", test.args, got, test.want, &err)
		}
	}
}
