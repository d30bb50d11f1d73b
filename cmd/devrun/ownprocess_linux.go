package main

import (
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"offlink/cmd/internal/cli"
)

const canOwnProcess = true

// passedSignals are the signals that devrun passes on to the process with the work.
var passedSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// passDelay is how long devrun waits before it passes the first signal on: a terminal, and
// timeout(1), send it to the whole group, and a second signal ends the process at once.
const passDelay = 100 * time.Millisecond

// runOwnProcess runs devrun again with the same arguments, and ends as it does. args are those
// of this process, with its name.
func runOwnProcess(self string, args []string) error {
	runtime.LockOSThread() // the process ends with the thread that started it
	defer runtime.UnlockOSThread()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	signals := takeSignals()
	process, err := startOwnProcess(self, args, w)
	w.Close()
	if err != nil {
		return err
	}
	lines, ended := new(ownProcessLines), make(chan struct{})
	go func() { lines.read(r); close(ended) }()
	go passSignals(process, lines, signals)
	state, err := process.Wait()
	if err != nil {
		return err
	}
	waitForLines(ended)
	return lines.result(state)
}

// takeSignals has signals come to the result alone. Those that were ignored stay so.
func takeSignals() chan os.Signal {
	signals := make(chan os.Signal, 2*len(passedSignals))
	for _, s := range passedSignals {
		if !signal.Ignored(s) {
			signal.Reset(s)
			signal.Notify(signals, s)
		}
	}
	return signals
}

// startOwnProcess starts the process. It has all descriptors of devrun, as the user may
// have given it more than the standard streams, under the same numbers.
func startOwnProcess(self string, args []string, w *os.File) (*os.Process, error) {
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETFD, 0); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	own := ownProcessOption + strconv.Itoa(int(w.Fd()))
	return os.StartProcess(self, slices.Concat(args[:1], []string{own}, args[1:]), &os.ProcAttr{
		Files: cli.StandardFiles(),
		Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
}

// keepFromChildren returns the file of a descriptor that later processes do not get.
func keepFromChildren(fd int) *os.File {
	unix.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "devrun")
}

// passSignals passes on the signals that came to devrun alone.
func passSignals(process *os.Process, lines *ownProcessLines, signals <-chan os.Signal) {
	s := <-signals
	time.Sleep(passDelay)
	if !lines.hasSignal() {
		_ = process.Signal(s) // it may have ended
	}
	for s := range signals {
		_ = process.Signal(s)
	}
}

// linesDelay is how long a child of the process may keep the pipe open after its end.
const linesDelay = time.Second

func waitForLines(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-time.After(linesDelay):
	}
}

// result is the end of the process as an error, which ends devrun in the same way.
func (l *ownProcessLines) result(state *os.ProcessState) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	status, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case l.ended && status.Exited():
		return &cli.ExitError{Code: l.code}
	case status.Signaled() && slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}, status.Signal()):
		cli.EndBy(status.Signal())
		return &cli.ExitError{Code: 128 + int(status.Signal())}
	}
	return l.endedBy(state)
}
