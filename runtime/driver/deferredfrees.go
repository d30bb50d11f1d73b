package driver

import (
	"errors"
	"slices"
	"sync"
)

// Working reports whether any of some submitted commands has not ended yet. It is called
// until it returns false, by one goroutine at a time. With an error it returns false: a
// device that cannot answer does not work any more.
type Working func() (bool, error)

// DeferredFrees holds the memory of a device that was closed while commands were queued or
// ran. Any of them may use it, by addresses that only the kernel sees. So each memory is
// held until the commands submitted before its Close have ended. That is checked only when
// DeferredFrees is called; no goroutine waits for it. The zero value is ready, and it is
// safe for concurrent use.
type DeferredFrees struct {
	mu   sync.Mutex
	list []*deferredFree
	err  error // of frees, since the last one was returned
}

type deferredFree struct {
	commands []Working
	free     func() error
}

// FreeAfter calls free when none of the commands work any more: at once, or in a
// later call of FreeAfter or CollectEnded. The error is that of all frees since the
// last call.
func (d *DeferredFrees) FreeAfter(commands []Working, free func() error) error {
	d.CollectEnded()
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := (&deferredFree{commands, free}); !d.hasEnded(f) {
		d.list = append(d.list, f)
	} else {
		d.err = errors.Join(d.err, free())
	}
	return d.takeFailure()
}

// Failure returns the error of frees that FreeAfter has not returned, once: for the end of the
// device.
func (d *DeferredFrees) Failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.takeFailure()
}

func (d *DeferredFrees) takeFailure() error {
	err := d.err
	d.err = nil
	return err
}

// CollectEnded frees the memory whose commands have ended, and returns how many
// memories stay.
func (d *DeferredFrees) CollectEnded() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == 0 {
		return 0
	}
	d.list = slices.DeleteFunc(d.list, func(f *deferredFree) bool {
		ended := d.hasEnded(f)
		if ended {
			d.err = errors.Join(d.err, f.free())
		}
		return ended
	})
	return len(d.list)
}

// hasEnded reports whether all commands have ended, and forgets those that have, so that
// they are not asked again. d.mu is held.
func (d *DeferredFrees) hasEnded(f *deferredFree) bool {
	f.commands = slices.DeleteFunc(f.commands, func(working Working) bool {
		works, err := working()
		d.err = errors.Join(d.err, err)
		return !works
	})
	return len(f.commands) == 0
}
