package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && isTerminal(f.Fd())
}

// Colour reports whether to colour text that is printed to w: only on a
// terminal that has colours, and never where NO_COLOR is set (no-color.org).
func Colour(w any) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(w)
}

// progressDelay is the time after which work shows a line.
const progressDelay = time.Second

// Progress shows "label: done/total" on a terminal, once the work has run for
// a second. On anything else it prints nothing.
type Progress struct {
	done  atomic.Int64
	total atomic.Int64
	stop  chan struct{}
	once  sync.Once // closes stop
	ended sync.WaitGroup
}

// StartProgress begins to count. The caller calls Stop.
func StartProgress(w io.Writer, label string) *Progress {
	p := &Progress{stop: make(chan struct{})}
	if !IsTerminal(w) {
		return p
	}
	p.ended.Go(func() { p.showLine(w, label) })
	return p
}

// Add counts finished pieces.
func (p *Progress) Add(n int) { p.done.Add(int64(n)) }

// SetTotal sets the number of pieces.
func (p *Progress) SetTotal(n int) { p.total.Store(int64(n)) }

// Stop removes the line. A second call does nothing.
func (p *Progress) Stop() {
	p.once.Do(func() { close(p.stop) })
	p.ended.Wait()
}

func (p *Progress) showLine(w io.Writer, label string) {
	select {
	case <-p.stop:
		return
	case <-time.After(progressDelay):
	}
	tick := time.NewTicker(progressDelay / 5)
	defer tick.Stop()
	for {
		fmt.Fprintf(w, "\r%s: %d/%d", label, p.done.Load(), p.total.Load())
		select {
		case <-p.stop:
			fmt.Fprint(w, "\r\x1b[K")
			return
		case <-tick.C:
		}
	}
}
