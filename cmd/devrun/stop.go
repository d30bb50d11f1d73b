package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"offlink/runtime/driver"
)

// errInterrupted is the cause of a context that an interrupt ended.
var errInterrupted = errors.New("interrupted")

// stoppableContext returns a context that ends at an interrupt, and after the time
// limit where there is one. The caller calls stop.
func stoppableContext(ctx context.Context, limit time.Duration) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	go func() {
		select {
		case <-interrupts:
			cancel(errInterrupted)
		case <-late:
			cancel(fmt.Errorf("stopped: it ran longer than %v (--timeout)", limit))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(interrupts)
		cancel(nil)
	}
}

// abortWith stops the queue's work when the context ends, where the device can
// do that; elsewhere the next interrupt ends the program as ever. The caller
// calls the result when the queue is done.
func abortWith(ctx context.Context, q driver.Queue) (done func() bool) {
	aborter, ok := q.(driver.Aborter)
	if !ok {
		signal.Reset(os.Interrupt)
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { aborter.Abort(context.Cause(ctx)) })
}
