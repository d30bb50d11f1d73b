package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"
)

// ending is the state of the end of the process by a signal: the work is asked
// to stop, its temporary files are removed, and then the process sends the
// signal to itself, so that a shell or make sees why it ended.
var ending struct {
	mu       sync.Mutex
	watching bool
	work     map[*work]bool
	received os.Signal
}

// work is something that must be stopped or cleaned up before the process ends.
type work struct {
	stop    context.CancelCauseFunc // asks the work to stop; may be nil
	cleanup func()                  // removes temporary files; may be nil
}

// grace is the time that work has to stop. Some work cannot, for example while it waits for
// the reader of a FIFO.
const grace = 5 * time.Second

// SignalError is the cause of a context's end: a signal.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return fmt.Sprintf("interrupted (%v)", e.Signal) }

// AtSignal has cleanup called when a signal ends the process (INT, TERM, HUP,
// QUIT, XCPU, or PIPE where a reader went away), until the returned function is called.
// cleanup must not wait for others.
func AtSignal(cleanup func()) (release func()) { return register(&work{cleanup: cleanup}) }

// StoppedBySignal returns a context that ends when such a signal comes, with a
// *[SignalError] as the cause. The process then has five seconds to
// return to [Exit]. The caller calls stop.
func StoppedBySignal(parent context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	release := register(&work{stop: cancel})
	return ctx, func() { release(); cancel(nil) }
}

func register(w *work) (release func()) {
	ending.mu.Lock()
	defer ending.mu.Unlock()
	if ending.work == nil {
		ending.work = map[*work]bool{}
	}
	ending.work[w] = true
	if !ending.watching {
		ending.watching = true
		watchSignals()
	}
	return func() {
		ending.mu.Lock()
		defer ending.mu.Unlock()
		delete(ending.work, w)
	}
}

// watchSignals begins to wait for the ending signals.
func watchSignals() { notify(endingSignals) }

// watchCrashSignals begins to wait for the crash signals.
var watchCrashSignals = sync.OnceFunc(func() {
	refuseLargeFiles()
	notify(crashSignals())
})

// notify begins to wait for signals. Those that the process inherited as ignored (nohup, a job
// in the background) stay ignored.
func notify(which []os.Signal) {
	for _, s := range which {
		if !signal.Ignored(s) {
			signal.Notify(watched(), s)
		}
	}
}

// watched has the signals that end the process. One goroutine receives them, since each that is
// started counts in the time of a short run.
var watched = sync.OnceValue(func() chan os.Signal {
	signals := make(chan os.Signal, len(endingSignals)+2)
	go endBy(signals)
	return signals
})

// endBy waits for a signal and ends the process.
func endBy(signals <-chan os.Signal) {
	first := <-signals
	if isCrash(first) {
		noteSignal(first) // work that finds a file removed ends in the same way
	} else if stopWork(first) {
		select {
		case <-time.After(grace):
		case <-signals: // a second one is impatient
		}
	}
	cleanUp()
	dieBy(first)
}

// stopWork records the signal and asks the work to stop. It reports whether there was any
// work to wait for.
func stopWork(s os.Signal) (asked bool) {
	ending.mu.Lock()
	defer ending.mu.Unlock()
	ending.received = s
	for w := range ending.work {
		if w.stop != nil {
			w.stop(&SignalError{s})
			asked = true
		}
	}
	return asked
}

func cleanUp() {
	ending.mu.Lock()
	var cleanups []func()
	for w := range ending.work {
		if w.cleanup != nil {
			cleanups = append(cleanups, w.cleanup)
		}
	}
	ending.mu.Unlock()
	for _, cleanup := range cleanups { // each releases itself
		cleanup()
	}
}

// noteSignal makes [Exit] end the process by a signal that came as an error.
func noteSignal(s os.Signal) {
	ending.mu.Lock()
	defer ending.mu.Unlock()
	if ending.received == nil {
		ending.received = s
	}
}

// Exit ends the process with the code, or by the signal that stopped its work.
func Exit(code int) {
	ending.mu.Lock()
	received := ending.received
	ending.mu.Unlock()
	if received != nil {
		cleanUp()
		dieBy(received)
	}
	leave(code)
}

// EndBy makes [Exit] end the process by the signal, which ended another process that did its work.
func EndBy(s os.Signal) { noteSignal(s) }

// atExit is called with the exit code. It is set once, at the start.
var atExit = func(int) {}

// AtExit has tell called with the exit code when the process ends by [Exit], or after a
// signal that it answers with an exit code. It is called once, before anything else.
func AtExit(tell func(code int)) { atExit = tell }

// leave ends the process.
func leave(code int) {
	atExit(code)
	os.Exit(code)
}

// TempDir makes a folder for temporary files. remove removes it, and so does a
// signal that ends the process.
func TempDir(prefix string) (dir string, remove func(), err error) { return TempDirIn("", prefix) }

// TempDirIn is TempDir for a folder below parent, for files that are as large
// as an output and may not fit into the folder of temporary files.
func TempDirIn(parent, prefix string) (dir string, remove func(), err error) {
	t := &tempDir{}
	release := AtSignal(func() { t.remove(true) })
	if err := t.create(parent, prefix); err != nil {
		release()
		return "", nil, err
	}
	return t.path, func() { t.remove(false); release() }, nil
}

// tempDir is a folder that a signal may have to remove at any time. It is
// registered before it exists: a signal in between would leave it.
type tempDir struct {
	mu    sync.Mutex
	path  string // empty before it exists
	ended bool
}

func (t *tempDir) create(parent, prefix string) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return errEnded
	}
	if t.path, err = os.MkdirTemp(parent, prefix); err != nil && parent == "" {
		err = fmt.Errorf("no folder for temporary files: %w; set TMPDIR to one", err)
	}
	return err
}

func (t *tempDir) remove(ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = t.ended || ended
	if t.path != "" {
		os.RemoveAll(t.path)
	}
}
