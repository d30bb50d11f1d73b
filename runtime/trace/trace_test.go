package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clock is a clock that goes on by a microsecond each time.
func clock() func() time.Duration {
	var now time.Duration
	return func() time.Duration {
		now += time.Microsecond
		return now
	}
}

func TestSpans(t *testing.T) {
	var b bytes.Buffer
	r := New(&b, 7, "app", clock())
	program := r.Start("program", "k", Arg{"device", "host:0"})
	resolve := FromContext(NewContext(context.Background(), program)).Start("resolve", "k")
	other := r.Start("copy", "write") // at the same time: in another lane
	resolve.End(errors.New("no <image>"))
	other.End(nil, Arg{"bytes", 8})
	program.End(nil)
	r.Start("launch", "k").End(nil) // the first lane is free again
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	want := `[
{"name":"process_name","ph":"M","ts":0,"pid":7,"tid":0,"args":{"name":"app"}},
{"name":"k","cat":"resolve","ph":"X","ts":2,"dur":2,"pid":7,"tid":1,"args":{"error":"no \u003cimage\u003e"}},
{"name":"write","cat":"copy","ph":"X","ts":3,"dur":2,"pid":7,"tid":2,"args":{"bytes":8}},
{"name":"k","cat":"program","ph":"X","ts":1,"dur":5,"pid":7,"tid":1,"args":{"device":"host:0"}},
{"name":"k","cat":"launch","ph":"X","ts":7,"dur":1,"pid":7,"tid":1}
]
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestNil: without a recorder there is nothing to record.
func TestNil(t *testing.T) {
	var r *Recorder
	s := r.Start("a", "b")
	s.Start("c", "d").End(nil)
	s.End(nil)
	if err := r.Close(); err != nil || FromContext(NewContext(context.Background(), nil)) != nil {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(100, func() { r.Start("a", "b").End(nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestUnfinished: a file whose process was killed lacks its end alone.
func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	r, err := Create(filepath.Join(dir, "t%p.json"), "app")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Start("a", "b").End(nil)
	names, err := filepath.Glob(filepath.Join(dir, "t*.json"))
	if err != nil || len(names) != 1 || strings.Contains(names[0], "%") {
		t.Fatalf("%q, %v", names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil || !json.Valid(append(text, "\n]"...)) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestConcurrent(t *testing.T) {
	var b bytes.Buffer
	r := New(&b, 1, "app", clock())
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { r.Start("a", "b").End(nil) })
	}
	group.Wait()
	if err := r.Close(); err != nil || !json.Valid(b.Bytes()) || strings.Count(b.String(), `"X"`) != 50 {
		t.Errorf("%v\n%s", err, b.String())
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestFullDisk(t *testing.T) {
	r := New(failing{}, 1, "app", clock())
	r.Start("a", "b").End(nil)
	if err := r.Close(); err == nil || r.Close() != nil {
		t.Errorf("Close = %v", err)
	}
}
