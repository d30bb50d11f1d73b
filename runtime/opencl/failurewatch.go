package opencl

import "time"

// PoCL calls the functions of clSetEventCallback for events that succeed, and for no others.
// On such a driver the status of the events whose ends are waited for is looked at as well.

// failureInterval is the time between two looks, and so the delay of a failure.
const failureInterval = 2 * time.Millisecond

// watchFailures starts the looks if the driver needs them and none are under way. They end
// when no event of the device is waited for.
func (d *Device) watchFailures() {
	if !d.able.silentFailures || !d.watching.CompareAndSwap(false, true) {
		return
	}
	go func() {
		for d.tellEnded() {
			time.Sleep(failureInterval)
		}
	}()
}

// tellEnded calls the functions of the events that have ended. It reports whether it is to
// be called again.
func (d *Device) tellEnded() bool {
	if !d.late.enter() {
		return false // endCallbacks calls the rest
	}
	defer d.late.leave()
	list := d.watchedCallbacks()
	for number, e := range list {
		e.tellIfEnded(number)
		_ = e.releaseUse() // an error has no receiver here
	}
	return len(list) > 0
}

// watchedCallbacks returns the events that are waited for by the numbers of their functions,
// with a use of each. If there are none, the looks are over.
func (d *Device) watchedCallbacks() map[uintptr]*event {
	callbacks.Lock()
	defer callbacks.Unlock()
	list := make(map[uintptr]*event)
	for number, w := range callbacks.waiting {
		if w.event.device == d {
			w.event.uses.Add(1)
			list[number] = w.event
		}
	}
	if len(list) == 0 {
		d.watching.Store(false) // under the lock, so that a later event starts them again
	}
	return list
}

// tellIfEnded calls the function of a number if its event has ended, or if the driver cannot
// tell that any more, and no other has called it.
func (e *event) tellIfEnded(number uintptr) {
	status, err := e.readStatus()
	if err == nil && status > 0 {
		return
	}
	w := takeCallback(number)
	switch {
	case w == nil:
	case err != nil:
		w.callEnded(func() error { return err })
	default:
		w.tellEnd(status)
	}
}

// tellFailure calls the functions of an event that has failed at once.
func (e *event) tellFailure() {
	callbacks.Lock()
	numbers := e.numbers
	e.numbers = nil
	callbacks.Unlock()
	for _, number := range numbers {
		e.tellIfEnded(number)
	}
}
