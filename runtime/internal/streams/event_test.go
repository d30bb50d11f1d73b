package streams

import "testing"

// stubNative is a driver of which the test stops a question about a mark.
type stubNative struct {
	Native
	asked, answer chan bool
	destroyed     chan Mark
}

func (n *stubNative) Within(calls func() error) error { return calls() }

func (n *stubNative) IsMarkDone(Mark) (bool, error) {
	n.asked <- true
	return <-n.answer, nil
}

func (n *stubNative) DestroyMark(m Mark) error {
	n.destroyed <- m
	return nil
}

// TestCausesInUse: the mark of an event that a command waited for stays while one goroutine asks
// the driver about it and another one finds the command ended.
func TestCausesInUse(t *testing.T) {
	n := &stubNative{asked: make(chan bool), answer: make(chan bool), destroyed: make(chan Mark, 1)}
	d := NewDevice(n, nil)
	cause, e := &event{device: d, state: eventSubmitted, end: 7}, &event{device: d, state: eventSubmitted}
	q := &Queue{device: d}
	q.trackCommand(e, []*event{cause})
	if err := cause.Close(); err != nil { // by its receiver
		t.Fatal(err)
	}
	result := make(chan error)
	go func() { result <- q.endTracked(e, nil) }()
	<-n.asked
	e.advanceState(eventOver, nil)
	if len(n.destroyed) != 0 {
		t.Error("the mark was released while the driver looked at it")
	}
	n.answer <- true
	if err := <-result; err != nil {
		t.Error(err)
	}
	if m := <-n.destroyed; m != 7 {
		t.Errorf("mark %d was released", m)
	}
}
