package hostdev

import (
	"errors"
	"fmt"
	"testing"

	"offlink/runtime/driver"
)

// TestFailureBefore: in an in-order queue the commands after one that failed fail too, each
// with the reason that it was not run, up to Finish.
func TestFailureBefore(t *testing.T) {
	p := buildProgram(t, "golden/throughput.spv")
	gate, err := p.device.(driver.EventMaker).NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.device.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	cause := errors.New("the host gave up")
	gate.Complete(cause)
	if err := q.Barrier(driver.Sync{After: []driver.Event{gate}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := q.Barrier(driver.Sync{Block: true})
		if want := "a command before it in its queue failed: the host gave up"; fmt.Sprint(err) != want || !errors.Is(err, cause) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if err := q.Finish(); fmt.Sprint(err) != "an event that it waits for failed: the host gave up" {
		t.Errorf("Finish: %v", err)
	}
	if err := q.Barrier(driver.Sync{Block: true}); err != nil {
		t.Errorf("after Finish: %v", err)
	}
}
