package dl

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// kept is the signal actions from before the calls of KeepSignals that are
// under way.
var kept struct {
	sync.Mutex
	calls int
	saved *Signals
}

// KeepSignals calls f, on one thread, and puts back the signal actions that f, or a library
// that it loaded, replaced. When several calls are under way at once, the last to end puts
// them back. If f ends the process, by exit or a crash, a message says that culprit did.
func KeepSignals(culprit string, f func() error) error {
	defer blame("offlink: " + culprit + " ended the process; devrun doctor tries each driver in a process of its own\n")()
	enterKept()
	defer leaveKept()
	return f()
}

func enterKept() {
	kept.Lock()
	defer kept.Unlock()
	if kept.calls++; kept.calls == 1 {
		kept.saved = SaveSignals()
		watchCrashes(kept.saved)
	}
}

func leaveKept() {
	kept.Lock()
	defer kept.Unlock()
	if kept.calls--; kept.calls == 0 {
		kept.saved.Restore()
	}
}

// slowOpening is the time after which a driver that is being opened is reported: they answer
// within a second, but one that waits for something prints nothing.
const slowOpening = 10 * time.Second

// Opening is KeepSignals for the first calls of a driver. A message says so if they have not
// returned for long.
func Opening(culprit string, f func() error) error {
	return opening(culprit, f, slowOpening, os.Stderr)
}

func opening(culprit string, f func() error, limit time.Duration, out io.Writer) error {
	slow := time.AfterFunc(limit, func() {
		fmt.Fprintf(out, "offlink: %s has not answered for %v; wait, or leave it out: devrun doctor tries each driver in a process of its own\n", culprit, limit)
	})
	defer slow.Stop()
	return KeepSignals(culprit, f)
}
