//go:build !windows

package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

func TestEachIsBounded(t *testing.T) {
	for _, limit := range []int{0, 1, 3} {
		var p peak
		var ran atomic.Int64
		err := NewJobs(limit, nil).Each(t.Context(), 20, func(ctx context.Context, i int) error {
			p.enter()
			defer p.leave()
			ran.Add(1)
			time.Sleep(time.Millisecond)
			return nil
		})
		if err != nil || ran.Load() != 20 || p.most.Load() > int64(max(limit, 1)) {
			t.Errorf("limit %d: %v, %d ran, %d at once", limit, err, ran.Load(), p.most.Load())
		}
	}
}

// Whatever fails first in time, the error is that of the lowest number.
func TestEachReportsTheLowest(t *testing.T) {
	seven := make(chan struct{})
	err := NewJobs(8, nil).Each(t.Context(), 100, func(ctx context.Context, i int) error {
		switch i {
		case 7:
			close(seven)
			return errors.New("seven")
		case 3:
			<-seven
			return errors.New("three")
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d was cancelled", i)
		case <-time.After(5 * time.Millisecond):
		}
		return nil
	})
	if err == nil || err.Error() != "three" {
		t.Errorf("%v", err)
	}
}

func TestEachCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := NewJobs(2, nil).Each(ctx, 100, func(ctx context.Context, i int) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
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
			err = NewJobs(100, server).Each(t.Context(), 30, func(ctx context.Context, i int) error {
				p.enter()
				defer p.leave()
				time.Sleep(2 * time.Millisecond)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
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
	err = NewJobs(4, server).Each(t.Context(), 10, func(ctx context.Context, i int) error {
		p.enter()
		defer p.leave()
		return nil
	})
	if err != nil || p.most.Load() != 1 {
		t.Errorf("%v, %d at once", err, p.most.Load())
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
