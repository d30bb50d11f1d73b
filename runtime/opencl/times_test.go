package opencl

import (
	"testing"
	"time"

	"offlink/runtime/driver"
)

// TestOrderTimes: times that the driver does not know are 0.
func TestOrderTimes(t *testing.T) {
	for times, want := range map[[4]time.Duration]driver.Times{
		{1, 2, 3, 4}: {Queued: 1, Submitted: 2, Started: 3, Ended: 4},
		{0, 7, 0, 0}: {Queued: 7, Submitted: 7, Started: 7, Ended: 7},
		{0, 0, 3, 4}: {Queued: 3, Submitted: 3, Started: 3, Ended: 4},
		{5, 0, 0, 9}: {Queued: 5, Submitted: 9, Started: 9, Ended: 9},
		{}:           {},
	} {
		if got := orderTimes(times); got != want {
			t.Errorf("%v: %+v; want %+v", times, got, want)
		}
	}
}
