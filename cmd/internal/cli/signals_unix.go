//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endingSignals are the signals that users, shells and make send to end a
// process.
var endingSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}

// isCrash tells whether a signal ends the process at once, without asking its work to stop: the
// user's quit, and the limit of processor time. The Go runtime would print its goroutines and
// leave the temporary files.
func isCrash(s os.Signal) bool { return s == syscall.SIGQUIT || s == syscall.SIGXCPU }

// crashSignals are those of them that can come. Each signal that is watched costs switches
// between threads at the start, and without its limit that of processor time is not sent.
func crashSignals() []os.Signal {
	if hasLimit(unix.RLIMIT_CPU) {
		return []os.Signal{syscall.SIGQUIT, syscall.SIGXCPU}
	}
	return []os.Signal{syscall.SIGQUIT}
}

// refuseLargeFiles has a write beyond the limit of a file's size (ulimit -f)
// fail as one to a full disk does. The Go runtime would crash.
func refuseLargeFiles() {
	if hasLimit(unix.RLIMIT_FSIZE) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ)
	}
}

// hasLimit tells whether the process has a limit of a resource.
func hasLimit(resource int) bool {
	var limit unix.Rlimit
	err := unix.Getrlimit(resource, &limit)
	return err != nil || limit.Cur != unix.RLIM_INFINITY
}

// dieBy ends the process by the signal, or with the exit code that a shell has for it.
func dieBy(s os.Signal) {
	number := s.(syscall.Signal)
	if isCrash(s) { // the Go runtime would take it
		leave(128 + int(number))
	}
	signal.Reset(s)
	if number == syscall.SIGPIPE {
		writeIntoNothing()
	} else if syscall.Kill(os.Getpid(), number) == nil {
		time.Sleep(time.Second) // it comes to any thread
	}
	leave(128 + int(number))
}

// writeIntoNothing writes into a pipe without a reader, as standard output:
// the Go runtime takes no other SIGPIPE than that of such a write.
func writeIntoNothing() {
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	r.Close()
	if unix.Dup2(int(w.Fd()), 1) == nil {
		os.Stdout.Write([]byte{0})
	}
}
