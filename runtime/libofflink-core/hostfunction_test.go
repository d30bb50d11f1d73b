package main

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"offlink/runtime"
	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// barrierDriver is the embedded device with queues whose second barrier takes its time, or
// fails.
type barrierDriver struct {
	driver.Driver
	queued atomic.Int32 // barriers
	fails  error
}

func (d *barrierDriver) Devices() ([]driver.Device, error) {
	list, err := d.Driver.Devices()
	for i, dev := range list {
		list[i] = &barrierDevice{dev, dev.(driver.EventMaker), d}
	}
	return list, err
}

type barrierDevice struct {
	driver.Device
	driver.EventMaker
	driver *barrierDriver
}

func (d *barrierDevice) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	q, err := d.Device.NewQueue(opts)
	return &barrierQueue{q, d.driver}, err
}

type barrierQueue struct {
	driver.Queue
	driver *barrierDriver
}

func (q *barrierQueue) Barrier(s driver.Sync) error {
	if q.driver.queued.Load() == 1 {
		time.Sleep(20 * time.Millisecond)
		if q.driver.fails != nil {
			return q.driver.fails
		}
	}
	err := q.Queue.Barrier(s)
	q.driver.queued.Add(1)
	return err
}

func newBarrierSession(t *testing.T, d *barrierDriver) (s *session, queue uint64) {
	t.Helper()
	d.Driver = hostdev.New(hostdev.Options{})
	s = newSession(func(*cache.Cache, func(string)) []runtime.Backend { return []runtime.Backend{fakeBackend(d)} })
	t.Cleanup(s.closeAll)
	device, _, err := s.openDevice("")
	if err != nil {
		t.Fatal(err)
	}
	if queue, err = s.createQueue(device, driver.QueueOptions{}); err != nil {
		t.Fatal(err)
	}
	return s, queue
}

// TestHostFunctionBegins: a function of the host cannot begin, and so its event cannot be
// closed, before the barrier is queued that waits for it.
func TestHostFunctionBegins(t *testing.T) {
	d := &barrierDriver{}
	s, queue := newBarrierSession(t, d)
	saw := make(chan int32, 1)
	for _, block := range []bool{false, true} {
		d.queued.Store(0)
		done, err := s.enqueueHost(queue, commandSync{event: true, block: block}, func(ends uint64) {
			saw <- d.queued.Load()
			if err := s.completeEvent(ends, statusOK); err != nil {
				t.Error(err)
			}
			s.closeHandle(ends)
		})
		if err == nil {
			err = s.waitEvent(done, true, -1)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := <-saw; n != 2 {
			t.Errorf("the function began after %d barriers; want 2", n)
		}
	}
}

// TestHostFunctionRefused: after an error of the call the function is not called, so that the
// program may free its data.
func TestHostFunctionRefused(t *testing.T) {
	d := &barrierDriver{fails: errors.New("no barrier")}
	s, queue := newBarrierSession(t, d)
	called := make(chan struct{}, 1)
	_, err := s.enqueueHost(queue, commandSync{}, func(uint64) { called <- struct{}{} })
	if !errors.Is(err, d.fails) {
		t.Fatalf("%v; want %v", err, d.fails)
	}
	select {
	case <-called:
		t.Error("the function was called after an error")
	case <-time.After(50 * time.Millisecond):
	}
}
