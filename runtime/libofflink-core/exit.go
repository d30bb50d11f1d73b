package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"offlink/runtime"
	"offlink/runtime/driver"
)

// The end comes in two parts. Drivers end when the exit of the process reaches the handlers
// that their libraries have registered (endDrivers), as a call after those crashes. The rest
// ends after the destructors of the program (closeAll).

// driverGrowth notes the steps in which a driver loads libraries, each of which may
// register exit handlers: when it is opened, when it builds, when it runs.
type driverGrowth struct {
	steps atomic.Uint32 // the steps that were taken
	news  atomic.Bool   // a step was taken since takeDriverGrowth
}

const (
	driverOpened = 1 << iota
	driverBuilt
	driverRan
)

// noteStep notes a step of a device. A step of one driver counts for all drivers: nearly
// every process uses only one.
func (g *driverGrowth) noteStep(d *runtime.Device, step uint32) {
	if g.steps.Load()&step == 0 && !runsOnCaller(d) {
		g.steps.Or(step)
		g.news.Store(true)
	}
}

// takeDriverGrowth reports whether there was a step since the last call.
func (s *session) takeDriverGrowth() bool {
	return s.growth.news.Load() && s.growth.news.Swap(false)
}

// endedObject stands for an object of a driver that has ended.
type endedObject struct{ device *runtime.Device }

// endedError says that a device is used whose driver has ended.
type endedError struct{ device *runtime.Device }

func (e *endedError) Error() string {
	return fmt.Sprintf("%v: %v; use it in main, or in a function of atexit that is registered after it was opened", e.device, runtime.ErrDriverEnded)
}

// Unwrap returns runtime.ErrDriverEnded.
func (e *endedError) Unwrap() error { return runtime.ErrDriverEnded }

// drainLimit is how long the exit waits for the commands of drivers. A kernel that does not
// end must not keep the process from ending.
const drainLimit = 500 * time.Millisecond

// endDrivers ends all drivers but the embedded device. Uses of the handles that C holds are
// errors from then on. Memory that C has by address stays, as the program may read it. idle
// says that no other call is under way: then it waits for commands and closes the drivers.
func (s *session) endDrivers(idle bool) {
	if !s.runtime.HasDrivers() {
		return
	}
	if idle && !s.drainQueues() {
		s.abandonEvents()
		s.drainQueues()
	}
	idle = endDirectCalls() && idle // before the drivers are closed
	if idle {
		s.direct.closeLanes()
	}
	s.handles.endObjects(func(d *runtime.Device) bool { return !runsOnCaller(d) })
	s.queues.dropQueues(idle, func(d *runtime.Device) bool { return !runsOnCaller(d) })
	s.dropAllocations()
	_, _ = s.runtime.EndDrivers(idle)
}

// buildLimit is how long the exit waits for drivers that are being opened or are building.
// That comes to an end by itself, but crashes if their exit handlers run meanwhile.
const buildLimit = 10 * time.Second

// drainQueues waits for the commands of drivers' queues. It reports whether they ended.
func (s *session) drainQueues() bool {
	ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	for _, v := range s.handles.listValues() {
		q, ok := v.(*queue)
		if !ok || runsOnCaller(q.device) {
			continue
		}
		var all driver.Event
		if q.Barrier(driver.Sync{Done: &all}) == nil && all != nil {
			_ = all.Wait(ctx) // the process ends in any case
			_ = all.Close()
		}
	}
	return ctx.Err() == nil
}

// abandonEvents ends the events of drivers that the program has left without an end. Intel's
// exit handler waits for the commands that wait for them.
func (s *session) abandonEvents() {
	for _, v := range s.handles.listValues() {
		if e, ok := v.(*event); ok && !runsOnCaller(e.device) {
			e.abandon(errEventLeft)
		}
	}
}

// dropAllocations forgets memory of drivers, which stays with the program.
func (s *session) dropAllocations() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for address, a := range s.allocations {
		if !runsOnCaller(a.device) {
			delete(s.allocations, address)
		}
	}
}

// deviceOf is the device of anything that C holds, nil for things without one.
func deviceOf(held any) *runtime.Device {
	switch v := held.(type) {
	case *runtime.Device:
		return v
	case *buffer:
		return v.device
	case *kernel:
		return v.device
	case *queue:
		return v.device
	case *event:
		return v.device
	}
	return nil
}
