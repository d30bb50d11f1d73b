package toolchain

import (
	"context"
	"sync"
)

// Jobs bounds how many tools run at once.
type Jobs struct {
	limit  int
	server *Jobserver
}

// NewJobs returns jobs of which limit run at once, at least one. With a
// server, each but the first also holds one of its tokens, as GNU make asks
// of a member: the first runs on the token that the process itself stands
// for.
func NewJobs(limit int, server *Jobserver) *Jobs { return &Jobs{max(limit, 1), server} }

// Each calls work for 0 to n-1, in that order of starting, and waits. After
// the first failure it starts no more, cancels those behind it, and lets those
// before it end, so that the error it returns, that of the lowest number, is
// the same in every run.
func (j *Jobs) Each(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	r := &jobRun{lowest: n, cancels: make([]context.CancelFunc, n)}
	slots := make(chan struct{}, j.limit)
	var running sync.WaitGroup
	for i := 0; i < n && !r.failed(); i++ {
		release, err := j.acquire(ctx, slots)
		if err != nil {
			r.fail(i, err)
			break
		}
		if r.failed() {
			release()
			break
		}
		jobContext := r.start(ctx, i)
		running.Go(func() {
			defer release()
			if err := work(jobContext, i); err != nil {
				r.fail(i, err)
			}
			r.cancels[i]()
		})
	}
	running.Wait()
	return r.err
}

// acquire waits for a free slot and its token.
func (j *Jobs) acquire(ctx context.Context, slots chan struct{}) (release func(), err error) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	token, err := j.server.acquire(ctx)
	if err != nil {
		<-slots
		return nil, err
	}
	return func() {
		j.server.release(token)
		<-slots
	}, nil
}

// jobRun is one run of Each.
type jobRun struct {
	mu      sync.Mutex
	lowest  int // number of the failed job that counts
	err     error
	cancels []context.CancelFunc
}

func (r *jobRun) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// start makes the context of job i.
func (r *jobRun) start(ctx context.Context, i int) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancels[i] = cancel
	if i > r.lowest {
		cancel()
	}
	return ctx
}

// fail records the failure of job i and cancels the jobs behind it.
func (r *jobRun) fail(i int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i >= r.lowest {
		return
	}
	r.lowest, r.err = i, err
	for _, cancel := range r.cancels[i+1:] {
		if cancel != nil {
			cancel()
		}
	}
}
