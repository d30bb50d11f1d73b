package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"offlink/cmd/internal/cli"
	"offlink/runtime/driver"
)

// stoppableContext returns a context that ends at a signal that ends the
// process, and after the time limit where there is one. The caller calls stop.
func stoppableContext(ctx context.Context, limit time.Duration) (_ context.Context, stop func()) {
	ctx, release := cli.StoppedBySignal(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(ctx, func() {
		if _, ok := errors.AsType[*cli.SignalError](context.Cause(ctx)); ok {
			present.noteSignal()
		}
	})
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	go func() {
		select {
		case <-late:
			cancel(fmt.Errorf("stopped: it ran longer than %v (--timeout)", limit))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		release()
	}
}

// nameCause replaces an error that says only that the context ended by the cause of
// that.
func nameCause(ctx context.Context, err *error) {
	if errors.Is(*err, context.Canceled) {
		*err = context.Cause(ctx)
	}
}

// abortWith stops the queue's work when the context ends, where the device can
// do that; elsewhere the process ends in a few seconds, or at the next signal.
// The caller calls the result when the queue is done.
func abortWith(ctx context.Context, q driver.Queue) (done func() bool) {
	aborter, ok := q.(driver.Aborter)
	if !ok {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { aborter.Abort(context.Cause(ctx)) })
}
