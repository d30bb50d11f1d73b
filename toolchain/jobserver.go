package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Jobserver is GNU make's pool of job slots (GNU make manual, "Sharing Job
// Slots with GNU make"): a pipe or named pipe that holds a byte for each job
// that may run beyond the one that every process has. ninja offers the same.
//
// A nil Jobserver limits nothing. Its methods may be called from several
// goroutines.
type Jobserver struct {
	read, write *os.File
	// own holds a value while the slot that every process has without a token is
	// free.
	own chan struct{}
	// turn is held by the goroutine that waits for a slot: a deadline interrupts all
	// readers of the file at once, so that there must be only one.
	turn chan struct{}
}

// token is a byte that was read and must be written back, or the process's
// own slot.
type token struct {
	own   bool
	value byte
}

// errNoJobserver reports that MAKEFLAGS names a jobserver that is not there.
var errNoJobserver = errors.New("make's jobserver cannot be reached (a recipe that is to share it starts with '+')")

// OpenJobserver opens the jobserver that the value of MAKEFLAGS names; nil if
// it names none. An error says that it is named but cannot be reached; work
// should then go on with one job. The caller closes it.
func OpenJobserver(makeflags string) (*Jobserver, error) {
	auth := jobserverAuth(makeflags)
	if auth == "" {
		return nil, nil
	}
	if path, ok := strings.CutPrefix(auth, "fifo:"); ok {
		return openFIFO(path)
	}
	r, w, ok := strings.Cut(auth, ",")
	readFD, err1 := strconv.Atoi(r)
	writeFD, err2 := strconv.Atoi(w)
	if !ok || err1 != nil || err2 != nil {
		return nil, fmt.Errorf("MAKEFLAGS: --jobserver-auth=%s is neither fifo:PATH nor two file descriptors", auth)
	}
	if readFD < 0 || writeFD < 0 {
		return nil, errNoJobserver
	}
	return openDescriptors(readFD, writeFD)
}

// jobserverAuth returns the value of the last --jobserver-auth in MAKEFLAGS,
// or of --jobserver-fds, its name before make 4.2. The words after "--" are
// variables.
func jobserverAuth(makeflags string) string {
	auth := ""
	for _, word := range strings.Fields(makeflags) {
		if word == "--" {
			break
		}
		for _, name := range []string{"--jobserver-auth=", "--jobserver-fds="} {
			if value, ok := strings.CutPrefix(word, name); ok {
				auth = value
			}
		}
	}
	return auth
}

func newJobserver(read, write *os.File) *Jobserver {
	s := &Jobserver{read: read, write: write, own: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
	s.own <- struct{}{}
	return s
}

// Close closes the process's end. No token may be held.
func (s *Jobserver) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.read.Close(), s.write.Close())
}

// Acquire waits for a slot and returns the function that releases it. The first of a
// process's jobs gets the process's own slot. The error is that of ctx, or says that the
// pool cannot be read.
func (s *Jobserver) Acquire(ctx context.Context) (release func(), err error) {
	if s == nil {
		return func() {}, ctx.Err()
	}
	t, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	return func() { s.release(t) }, nil
}

func (s *Jobserver) acquire(ctx context.Context) (token, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return token{}, ctx.Err()
	}
	select {
	case <-s.own:
		return token{own: true}, nil
	default:
	}
	return s.waitForSlot(ctx)
}

// waitForSlot waits for make's slot or the process's own, whichever comes first.
func (s *Jobserver) waitForSlot(ctx context.Context) (token, error) {
	s.read.SetReadDeadline(time.Time{})
	got := make(chan readResult, 1)
	go func() { got <- s.readToken() }()
	select {
	case r := <-got:
		return r.token, r.err
	case <-s.own:
		s.abandon(got)
		return token{own: true}, nil
	case <-ctx.Done():
		s.abandon(got)
		return token{}, ctx.Err()
	}
}

type readResult struct {
	token token
	err   error
}

func (s *Jobserver) readToken() readResult {
	var b [1]byte
	n, err := s.read.Read(b[:])
	if n == 1 {
		return readResult{token: token{value: b[0]}}
	}
	return readResult{err: fmt.Errorf("make's jobserver: %w", err)}
}

// abandon ends a read whose result is not needed any more. A token that it has read all the
// same is released; if the read cannot be interrupted, that happens when it ends. A token
// that is lost would slow make down for good.
func (s *Jobserver) abandon(got <-chan readResult) {
	giveBack := func() {
		if r := <-got; r.err == nil {
			s.release(r.token)
		}
	}
	if s.read.SetReadDeadline(time.Unix(1, 0)) == nil {
		giveBack()
	} else {
		go giveBack()
	}
}

// release frees the slot. A token is written back as the byte that was read, as make
// requires.
func (s *Jobserver) release(t token) {
	if t.own {
		s.own <- struct{}{}
	} else {
		s.write.Write([]byte{t.value})
	}
}
