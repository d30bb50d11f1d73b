// Package trace records the steps of a runtime with their times, as a file that
// Perfetto (ui.perfetto.dev) and Chrome's about:tracing show.
//
// Each step is a span; a step that another one caused lies within it. The
// format is the JSON array of the Trace Event Format, whose readers take a
// file without its end: the trace of a program that was killed can be read.
package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// Variable is the environment variable that names the file of a trace.
const Variable = "OFFLINK_TRACE"

// Recorder writes the events of one process. A nil Recorder records nothing,
// and costs nothing. It is safe for concurrent use.
type Recorder struct {
	process int
	clock   func() time.Duration
	running commands // of all queues
	patience

	mu    sync.Mutex
	out   io.Writer
	close func() error
	lanes []bool // in use
	first bool
	err   error // of the first write that failed
}

// New returns a Recorder that writes to w. Times are those of the clock, whose start does
// not matter.
func New(w io.Writer, process int, name string, clock func() time.Duration) *Recorder {
	r := &Recorder{process: process, clock: clock, out: w, first: true, patience: usualPatience, close: func() error { return nil }}
	r.writeEvent(event{Name: "process_name", Phase: "M", Args: args{{"name", name}}})
	return r
}

// Create returns a Recorder that writes a file; "%p" in its name becomes the
// number of the process. The caller closes it.
func Create(file, name string) (*Recorder, error) {
	file = strings.ReplaceAll(file, "%p", fmt.Sprint(os.Getpid()))
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	r := New(f, os.Getpid(), name, func() time.Duration { return time.Since(start) })
	r.close = f.Close
	return r, nil
}

// patience is how long to wait for the callbacks of commands.
type patience struct {
	// finish is for Finish, which waits for the callbacks of commands that have ended.
	// They come at once. If a driver forgets one, the trace lacks a span, and the
	// program goes on.
	finish time.Duration
	// exit is for Close, which waits for commands that may just have ended: a program
	// may exit right after it has waited for one, and a kernel that still runs must not
	// delay it.
	exit time.Duration
}

var usualPatience = patience{finish: time.Second, exit: 50 * time.Millisecond}

// Close ends the file. It returns the error of the first write that failed. Spans
// that end later are lost.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	waitCommands(r.running.listCommands(), r.patience.exit)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out == nil {
		return nil
	}
	r.putText("\n]\n")
	r.out = nil
	if err := r.close(); r.err == nil {
		r.err = err
	}
	return r.err
}

// Arg is a detail of a span.
type Arg struct {
	Name  string
	Value any
}

// args are details in their order, which maps of Go do not keep.
type args []Arg

// MarshalJSON writes an object.
func (list args) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, a := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(a.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(a.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// event is one record of the format. Times are in microseconds.
type event struct {
	Name     string  `json:"name"`
	Category string  `json:"cat,omitempty"`
	Phase    string  `json:"ph"`
	Time     float64 `json:"ts"`
	Duration float64 `json:"dur,omitempty"`
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	Args     args    `json:"args,omitempty"`
}

// writeEvent appends an event. The caller holds mu, or is alone.
func (r *Recorder) writeEvent(e event) {
	e.Process = r.process
	text, err := json.Marshal(e)
	if err != nil {
		return // no event has a value that JSON lacks
	}
	separator := ",\n"
	if r.first {
		separator, r.first = "[\n", false
	}
	r.putText(separator + string(text))
}

func (r *Recorder) putText(text string) {
	if r.out == nil || r.err != nil {
		return
	}
	_, r.err = io.WriteString(r.out, text)
}

// Span is a step that has begun. A nil Span is one of a nil Recorder.
type Span struct {
	recorder       *Recorder
	category, name string
	start          time.Duration
	args           args
	lane           int
	inside         bool // it is within a span, which has the lane
}

// Start begins a step of a category, which the caller ends. Steps that run at the same
// time, none within another, get different lanes: readers nest spans of one lane.
func (r *Recorder) Start(category, name string, details ...Arg) *Span {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Span{recorder: r, category: category, name: name, start: r.clock(), args: details, lane: r.takeLane()}
}

// takeLane returns the lowest lane that is free.
func (r *Recorder) takeLane() int {
	for i, used := range r.lanes {
		if !used {
			r.lanes[i] = true
			return i
		}
	}
	r.lanes = append(r.lanes, true)
	return len(r.lanes) - 1
}

// Start begins a step within s. The caller ends it before s, and before it begins the next
// step within s.
func (s *Span) Start(category, name string, details ...Arg) *Span {
	if s == nil {
		return nil
	}
	return &Span{recorder: s.recorder, category: category, name: name, start: s.recorder.clock(), args: details, lane: s.lane, inside: true}
}

// End ends the step, with more details. An error that is not nil is one of them.
func (s *Span) End(err error, details ...Arg) {
	if s == nil {
		return
	}
	list := append(s.args, details...)
	if err != nil {
		list = append(list, Arg{"error", err.Error()})
	}
	r := s.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.clock()
	r.writeEvent(event{
		Name: s.name, Category: s.category, Phase: "X", Time: inMicroseconds(s.start), Duration: inMicroseconds(end - s.start),
		Thread: s.lane + 1, Args: list,
	})
	if !s.inside {
		r.lanes[s.lane] = false
	}
}

func inMicroseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

type contextKey struct{}

// NewContext returns a context for the steps that a span causes.
func NewContext(ctx context.Context, s *Span) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, s)
}

// FromContext returns the span of a context, nil if it has none.
func FromContext(ctx context.Context) *Span {
	s, _ := ctx.Value(contextKey{}).(*Span)
	return s
}
