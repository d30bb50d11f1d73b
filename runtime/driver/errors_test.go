package driver

import (
	"errors"
	"testing"
)

// TestInheritedFailures: the failure of a command that was not run names the reason of it
// and the first cause, however many commands are between them.
func TestInheritedFailures(t *testing.T) {
	cause := errors.New("it trapped")
	for _, c := range []struct {
		err  error
		want string
	}{
		{InheritError(cause), "an event that it waits for failed: it trapped"},
		{FollowError(cause), "a command before it in its queue failed: it trapped"},
		{FollowError(InheritError(FollowError(cause))), "a command before it in its queue failed: it trapped"},
		{InheritError(FollowError(cause)), "an event that it waits for failed: it trapped"},
	} {
		if c.err.Error() != c.want || !errors.Is(c.err, cause) {
			t.Errorf("%v; want %s", c.err, c.want)
		}
	}
}
