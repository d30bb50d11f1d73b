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
// process. SIGQUIT is left to the Go runtime, which prints the goroutines.
var endingSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}

// dieBy ends the process by the signal.
func dieBy(s os.Signal) {
	number := s.(syscall.Signal)
	signal.Reset(s)
	if number == syscall.SIGPIPE {
		writeIntoNothing()
	} else if syscall.Kill(os.Getpid(), number) == nil {
		time.Sleep(time.Second) // it comes to any thread
	}
	os.Exit(128 + int(number))
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
