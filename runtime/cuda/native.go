package cuda

import (
	"time"

	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// native is the device for its queues and events.
type native struct{ device *Device }

func (n native) Within(calls func() error) error       { return n.device.withContext(calls) }
func (n native) WithinStream(calls func() error) error { return n.device.withStream(calls) }

// NewStream is called with the context set.
func (n native) NewStream() (streams.Stream, error) {
	s, err := n.device.library.NewStream()
	if err == nil {
		n.device.probeContext(s)
	}
	return streams.Stream(s), err
}

func (n native) DestroyStream(s streams.Stream) error {
	return n.device.releaseInContext(func() error { return n.device.library.DestroyStream(libcuda.Stream(s)) })
}

func (n native) Synchronize(s streams.Stream) error {
	return n.device.library.Synchronize(libcuda.Stream(s))
}

func (n native) IsStreamDone(s streams.Stream) (bool, error) {
	return isDone(n.device.library.QueryStream(libcuda.Stream(s)))
}

// isDone takes the driver's word for work that goes on out of the errors.
func isDone(err error) (bool, error) {
	if libcuda.IsNotReady(err) {
		return false, nil
	}
	return err == nil, err
}

func (n native) StreamWait(s streams.Stream, m streams.Mark) error {
	return n.device.library.StreamWait(libcuda.Stream(s), libcuda.Event(m))
}

func (n native) NewMark(timed bool) (streams.Mark, error) {
	e, err := n.device.library.NewEvent(timed)
	return streams.Mark(e), err
}

func (n native) DestroyMark(m streams.Mark) error {
	return n.device.releaseInContext(func() error { return n.device.library.DestroyEvent(libcuda.Event(m)) })
}

func (n native) Record(m streams.Mark, s streams.Stream) error {
	return n.device.library.Record(libcuda.Event(m), libcuda.Stream(s))
}

func (n native) IsMarkDone(m streams.Mark) (bool, error) {
	return isDone(n.device.library.QueryEvent(libcuda.Event(m)))
}

func (n native) WaitMark(m streams.Mark) error { return n.device.library.WaitEvent(libcuda.Event(m)) }

func (n native) Elapsed(from, to streams.Mark) (time.Duration, error) {
	return n.device.library.Elapsed(libcuda.Event(from), libcuda.Event(to))
}
