package testtool

import (
	"os"
	"os/signal"
	"syscall"
)

// RestoreSignals makes the programs that tests start take the signals that this
// process inherited as ignored, as a job in the background or under nohup does:
// programs leave those ignored, so that a test that sends one would wait for
// ever. A test that sends a signal calls it.
func RestoreSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // a handler, which no child inherits
		}
	}
}
