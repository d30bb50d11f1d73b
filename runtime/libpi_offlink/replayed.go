package main

import (
	"context"
	"sync"

	"offlink/runtime/driver"
)

// replayedEvent is the event of all commands of a command buffer that was queued.
type replayedEvent struct{ events []driver.Event }

// Wait implements driver.Event: the error is that of the first command that failed.
func (e *replayedEvent) Wait(ctx context.Context) error {
	var first error
	for _, one := range e.events {
		if err := one.Wait(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Status implements driver.Event.
func (e *replayedEvent) Status() driver.Status {
	var counts [driver.Failed + 1]int
	for _, one := range e.events {
		counts[one.Status()]++
	}
	switch all := len(e.events); {
	case counts[driver.Complete] == all:
		return driver.Complete
	case counts[driver.Complete]+counts[driver.Failed] == all:
		return driver.Failed
	case counts[driver.Queued] == all:
		return driver.Queued
	case counts[driver.Queued]+counts[driver.Submitted] == all:
		return driver.Submitted
	}
	return driver.Running
}

// Times implements driver.Event: from the start of the first command to the end of the last.
func (e *replayedEvent) Times() (driver.Times, error) {
	var all driver.Times
	for i, one := range e.events {
		times, err := one.Times()
		if err != nil {
			return driver.Times{}, err
		}
		if i == 0 {
			all = times
		}
		all.Queued, all.Submitted = min(all.Queued, times.Queued), min(all.Submitted, times.Submitted)
		all.Started, all.Ended = min(all.Started, times.Started), max(all.Ended, times.Ended)
	}
	return all, nil
}

// OnDone implements driver.Event.
func (e *replayedEvent) OnDone(f func(error)) {
	var (
		mu    sync.Mutex
		left  = len(e.events)
		first error
	)
	for _, one := range e.events {
		one.OnDone(func(err error) {
			mu.Lock()
			if err != nil && first == nil {
				first = err
			}
			left--
			ended := left == 0
			mu.Unlock()
			if ended {
				f(first)
			}
		})
	}
}

// Close implements driver.Event.
func (e *replayedEvent) Close() error {
	var first error
	for _, one := range e.events {
		if err := one.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
