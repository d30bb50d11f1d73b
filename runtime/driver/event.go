package driver

import (
	"context"
	"time"
)

// Event is the end of a command.
type Event interface {
	// Wait returns when the command has ended, with its error, or when the
	// context is done, with the context's.
	Wait(ctx context.Context) error
	Status() Status
	// Times are the command's, where the queue was made with Profiling and
	// the command has ended; else an error.
	Times() (Times, error)
	// OnDone has f called once with the command's error, nil for success,
	// when the command has ended: on a goroutine of its own, or at once if it
	// has. f may call any method but must not wait for later commands of an
	// in-order queue.
	OnDone(f func(error))
	Close() error
}

// UserEvent is an event that the host ends.
type UserEvent interface {
	Event
	// Complete ends the event with an error or nil. Later calls do nothing.
	Complete(err error)
}

// Status is the progress of a command.
type Status int

// The states of a command.
const (
	Queued    Status = iota // it waits in the queue
	Submitted               // the device has it
	Running
	Complete
	Failed
)

// String is the state in messages.
func (s Status) String() string {
	switch s {
	case Queued:
		return "queued"
	case Submitted:
		return "submitted"
	case Running:
		return "running"
	case Complete:
		return "complete"
	}
	return "failed"
}

// Times are the times at which a command reached each state, on a clock of the device.
type Times struct {
	Queued, Submitted, Started, Ended time.Duration
}
