//go:build !windows

package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// peak counts how many run at once.
type peak struct{ now, most atomic.Int64 }

func (p *peak) enter() {
	n := p.now.Add(1)
	for {
		m := p.most.Load()
		if n <= m || p.most.CompareAndSwap(m, n) {
			return
		}
	}
}

func (p *peak) leave() { p.now.Add(-1) }

// work runs n short jobs on goroutines of their own, each with a slot.
func (p *peak) work(t *testing.T, server *Jobserver, n int) {
	t.Helper()
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			release, err := server.Acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			p.enter()
			defer p.leave()
			time.Sleep(2 * time.Millisecond)
		})
	}
	wait.Wait()
}

// Without a jobserver nothing is waited for.
func TestNoJobserver(t *testing.T) {
	var server *Jobserver
	release, err := server.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := server.Acquire(ctx); err == nil {
		t.Error("a slot was given behind the end")
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

// makeJobserver makes a pool of n tokens as make does and returns the value of
// MAKEFLAGS for both forms, and the pool.
func makeJobserver(t *testing.T, n int) (fifo, pipe string, pool *os.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	for i := range n {
		f.Write([]byte{'a' + byte(i)})
	}
	return " -j9 --jobserver-auth=fifo:" + path + " -- X=--jobserver-auth=1,2",
		fmt.Sprintf("-j --jobserver-auth=%d,%d", f.Fd(), f.Fd()), f
}

// tokens empties the pool.
func tokens(t *testing.T, pool *os.File) string {
	t.Helper()
	fd := int(pool.Fd()) // which makes it blocking
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, _ := syscall.Read(fd, buf)
	return string(buf[:max(n, 0)])
}

// A member runs as many jobs as there are tokens, and one; all come back.
func TestJobserver(t *testing.T) {
	for _, form := range []string{"fifo", "pipe"} {
		t.Run(form, func(t *testing.T) {
			fifo, pipe, pool := makeJobserver(t, 2)
			flags := fifo
			if form == "pipe" {
				flags = pipe
			}
			server, err := OpenJobserver(flags)
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			var p peak
			p.work(t, server, 30)
			if p.most.Load() > 3 {
				t.Errorf("%d jobs at once with 2 tokens", p.most.Load())
			}
			if left := tokens(t, pool); len(left) != 2 || left[0] == left[1] {
				t.Errorf("the pool holds %q, want both tokens", left)
			}
		})
	}
}

// With an empty pool everything runs on the process's own slot.
func TestJobserverEmpty(t *testing.T) {
	fifo, _, pool := makeJobserver(t, 0)
	server, err := OpenJobserver(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var p peak
	p.work(t, server, 10)
	if p.most.Load() != 1 {
		t.Errorf("%d at once", p.most.Load())
	}
	if left := tokens(t, pool); left != "" {
		t.Errorf("the pool got %q", left)
	}
}

func TestJobserverCancel(t *testing.T) {
	fifo, _, _ := makeJobserver(t, 0)
	server, err := OpenJobserver(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	own, err := server.acquire(t.Context())
	if err != nil || !own.own {
		t.Fatal(own, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := server.acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	server.release(own)
	if again, err := server.acquire(t.Context()); err != nil || !again.own {
		t.Error(again, err)
	}
}

func TestOpenJobserver(t *testing.T) {
	for _, flags := range []string{"", "-j4", "kB", " -- VAR=--jobserver-auth=3,4"} {
		if s, err := OpenJobserver(flags); s != nil || err != nil {
			t.Errorf("%q: %v, %v; want none", flags, s, err)
		}
	}
	for _, flags := range []string{"--jobserver-auth=-2,-2", "--jobserver-auth=0,987654", "--jobserver-auth=fifo:/nowhere", "--jobserver-auth=x", "--jobserver-fds=1"} {
		if s, err := OpenJobserver(flags); err == nil {
			t.Errorf("%q: %v, want an error", flags, s)
		}
	}
}
