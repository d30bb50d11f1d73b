package trace

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"offlink/runtime/driver"
)

// lateQueue is a queue whose commands tell their end some time after they have
// ended, as the threads of drivers do.
type lateQueue struct{ driver.Queue }

func (lateQueue) Finish() error { return nil }

func (lateQueue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	*s.Done = lateEvent{}
	return nil
}

type lateEvent struct{ driver.Event }

func (lateEvent) Close() error { return nil }

func (lateEvent) OnDone(f func(error)) {
	time.AfterFunc(5*time.Millisecond, func() { f(nil) })
}

// TestCallbacksAfterTheEnd: a command that has ended is in the trace, though its
// callback runs after the program has seen the end and closes the trace.
func TestCallbacksAfterTheEnd(t *testing.T) {
	for _, finish := range []bool{true, false} {
		var b bytes.Buffer
		r := New(&b, 1, "app", func() time.Duration { return 0 })
		r.patience = patience{finish: time.Minute, exit: time.Minute} // a busy machine calls back late
		q := Queue(r, lateQueue{}, "host:0")
		var done driver.Event
		for _, s := range []driver.Sync{{}, {Done: &done}} {
			if err := q.Fill(nil, 0, 8, []byte{1}, s); err != nil {
				t.Fatal(err)
			}
		}
		if finish {
			if err := q.Finish(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil || strings.Count(b.String(), `"name":"fill"`) != 2 {
			t.Errorf("finish %v: %v\n%s", finish, err, b.String())
		}
	}
}
