package dl

import "sync"

// kept is the signal actions from before the calls of KeepSignals that are
// under way.
var kept struct {
	sync.Mutex
	calls int
	saved *Signals
}

// KeepSignals calls f and puts back the signal actions that f, or a library that it
// loaded, replaced. When several calls are under way at once, the last to end puts them
// back.
func KeepSignals(f func() error) error {
	enterKept()
	defer leaveKept()
	return f()
}

func enterKept() {
	kept.Lock()
	defer kept.Unlock()
	if kept.calls++; kept.calls == 1 {
		kept.saved = SaveSignals()
	}
}

func leaveKept() {
	kept.Lock()
	defer kept.Unlock()
	if kept.calls--; kept.calls == 0 {
		kept.saved.Restore()
	}
}
