package hostdev

import (
	"errors"
	"testing"
	"time"

	"offlink/runtime/driver"
)

// TestAbortAnywhere stops launches in nested loops: those that count, that work-items leave
// at different times, with barriers, with functions that the host has, with copies of the
// group, and in functions that are called.
func TestAbortAnywhere(t *testing.T) {
	l := levels[len(levels)-1]
	code := translate(t, bitcode(t, "testdata/kernels/endless.cl", l), l)
	test := func(t *testing.T, o Options) {
		p := buildModules(t, o, driver.BuildOptions{}, module("endless.cl", code))
		for _, name := range []string{"nested", "uneven", "meeting", "functions", "copies", "calls"} {
			args := []driver.Arg{p.buffer(make([]int32, 16)), byValueOf(int32(1))}
			if name == "meeting" || name == "copies" {
				args = append(args, driver.Arg{LocalSize: 64})
			}
			p.launch(name, groups(16, 16), args...) // which ends; its code is there now
			args[1] = byValueOf(int32(1 << 30))
			stopLaunch(t, p, name, args)
		}
	}
	inEveryExecutor(t, test)
}

// stopLaunch launches a kernel, stops it while it runs, and wants the cause, a work-item,
// and an end soon after. A queue that was stopped takes no more commands.
func stopLaunch(t *testing.T, p *testProgram, name string, args []driver.Arg) {
	t.Helper()
	q, err := p.device.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	k, err := p.program.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	var running driver.Event
	if err := q.Launch(k, groups(16, 16), args, driver.Sync{Done: &running}); err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	enough, stopped := errors.New("enough"), make(chan time.Time, 1)
	go func() {
		for running.Status() < driver.Running {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		stopped <- time.Now()
		q.(driver.Aborter).Abort(enough)
	}()
	var fault *Fault
	if err := q.Finish(); !errors.Is(err, enough) || !errors.As(err, &fault) || fault.Kernel != name || fault.Global[0] > 15 {
		t.Errorf("%s: Finish of an aborted queue: %v; want the cause and a work-item of the launch", name, err)
	}
	if late := time.Since(<-stopped); late > 5*time.Second {
		t.Errorf("%s: it ended %v after it was stopped", name, late)
	}
}
