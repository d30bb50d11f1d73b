package piplugin

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
)

// set sets a number of the plugin's.
func (c counters) set(name string, value int) {
	c.t.Helper()
	binary.NativeEndian.PutUint32(c.bytes(name, 4), uint32(int32(value)))
}

// openFaulty opens the plugin of testdata with a queue and a memory of 16 bytes. At the
// end of the test nothing is left of the objects that it gave out.
func openFaulty(t *testing.T, options ...string) (c counters, d *Device, q driver.Queue, m driver.Memory) {
	t.Helper()
	path := buildPlugin(t, append(newest, options...)...)
	c = countersOf(t, path)
	opened, err := Open(Options{Libraries: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	d = onlyDevice(t, opened)
	q, err1 := d.NewQueue(driver.QueueOptions{})
	m, err2 := d.Alloc(driver.DeviceMemory, 16)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(m.Close(), q.Close(), opened.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
		// An event that a goroutine waits for as well goes when that one has seen its end.
		for end := time.Now().Add(time.Minute); c.number("device_live") != 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		for _, counter := range []string{"device_live", "device_misuses"} {
			if n := c.number(counter); n != 0 {
				t.Errorf("%s is %d", counter, n)
			}
		}
	})
	return c, d, q, m
}

const outOfResources = -5

// TestFailedCommand: a command that fails on the device, where only its own event
// tells, is an error of the call that waits, of its event and of Finish.
func TestFailedCommand(t *testing.T) {
	for name, options := range map[string][]string{"addresses": nil, "buffers": {"-DNO_USM"}} {
		t.Run(name, func(t *testing.T) {
			c, _, q, m := openFaulty(t, options...)
			data := make([]byte, 16)
			var done driver.Event
			for what, command := range map[string]func() error{
				"a blocking read":   func() error { return q.Read(m, 0, data, driver.Sync{Block: true}) },
				"a read":            func() error { return errors.Join(q.Read(m, 0, data, driver.Sync{}), q.Finish()) },
				"a write":           func() error { return errors.Join(q.Write(m, 0, data, driver.Sync{}), q.Finish()) },
				"a blocking fill":   func() error { return q.Fill(m, 0, 16, []byte{1}, driver.Sync{Block: true}) },
				"an event":          func() error { return q.Copy(m, 0, m, 8, 8, driver.Sync{Done: &done}) },
				"a long pattern":    func() error { return errors.Join(q.Fill(m, 0, 16, []byte{1, 2}, driver.Sync{}), q.Finish()) },
				"a blocking marker": func() error { return q.Write(m, 0, data[:1], driver.Sync{Block: true}) },
			} {
				c.set("plugin_next_status", outOfResources)
				err := command()
				if done != nil {
					err = errors.Join(err, done.Wait(t.Context()))
					if q.Finish() == nil {
						t.Errorf("Finish after %s tells no failure", what)
					}
					if done.Status() != driver.Failed {
						t.Errorf("%s is %v", what, done.Status())
					}
					_ = done.Close()
					done = nil
				}
				if !errors.Is(err, driver.ErrOutOfResources) || !strings.Contains(err.Error(), "PI_ERROR_OUT_OF_RESOURCES") {
					t.Errorf("%s: %v", what, err)
				}
				if err := errors.Join(q.Finish(), q.Read(m, 0, data, driver.Sync{Block: true}), q.Finish()); err != nil {
					t.Errorf("the queue after %s: %v", what, err)
				}
			}
		})
	}
}

// TestUntoldFailures: a command that nobody wants an event of is told by Finish and by
// the next wait, and those after it in an in-order queue fail up to Finish.
func TestUntoldFailures(t *testing.T) {
	c, d, _, m := openFaulty(t)
	code := drivertest.SPIRV(drivertest.Code{Kernels: []string{"endless"}}) // which does nothing in the plugin
	p, err := driver.Build(t.Context(), d, []driver.Module{{Name: "m", Image: driver.Image{Format: "spirv"}, Code: code}}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	k, err := p.Kernel("endless")
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	launch := func(q driver.Queue, s driver.Sync) error {
		return q.Launch(k, driver.Range{Global: []int{4}}, nil, s)
	}
	read := func(q driver.Queue, s driver.Sync) error { return q.Read(m, 0, make([]byte, 8), s) }
	for name, command := range map[string]func(q driver.Queue, s driver.Sync) error{
		"launch": launch,
		"copy":   func(q driver.Queue, s driver.Sync) error { return q.Copy(m, 0, m, 8, 8, s) },
		"fill":   func(q driver.Queue, s driver.Sync) error { return q.Fill(m, 0, 16, []byte{1}, s) },
	} {
		for _, outOfOrder := range []bool{false, true} {
			q, err := d.NewQueue(driver.QueueOptions{OutOfOrder: outOfOrder})
			if err != nil {
				t.Fatal(err)
			}
			fail := func() {
				t.Helper()
				c.set("plugin_next_status", outOfResources)
				if err := command(q, driver.Sync{}); err != nil {
					t.Fatal(err)
				}
			}
			check := func(what string, err error) {
				t.Helper()
				if !errors.Is(err, driver.ErrOutOfResources) {
					t.Errorf("%s, out of order %v, %s: %v; want the failure", name, outOfOrder, what, err)
				}
			}
			fail()
			check("Finish", q.Finish())
			fail()
			for range 200 { // the failure is found among many
				_ = command(q, driver.Sync{})
			}
			check("Finish after many", q.Finish())
			if !outOfOrder {
				for wait, blocking := range map[string]func(driver.Queue, driver.Sync) error{"read": read, "launch": launch} {
					fail()
					check("a "+wait+" that waits", blocking(q, driver.Sync{Block: true}))
					check("Finish after both", q.Finish())
				}
			}
			if err := errors.Join(launch(q, driver.Sync{Block: true}), read(q, driver.Sync{}), q.Finish(), q.Close()); err != nil {
				t.Errorf("%s: the queue after it: %v", name, err)
			}
		}
	}
}

// TestDroppedCommand: a command that waits for one which failed on the device fails
// with its cause and does not run, also where the plugin tells success of it.
func TestDroppedCommand(t *testing.T) {
	for name, hides := range map[string]int{"told": 0, "hidden": 1} {
		t.Run(name, func(t *testing.T) {
			c, d, q, m := openFaulty(t)
			c.set("plugin_hides_drops", hides)
			other, err := d.NewQueue(driver.QueueOptions{})
			if err != nil {
				t.Fatal(err)
			}
			data := make([]byte, 16)
			var failed, dropped, barrier driver.Event
			c.set("plugin_next_status", outOfResources)
			after := func(e *driver.Event) []driver.Event { return []driver.Event{*e} }
			if err := errors.Join(
				q.Write(m, 0, data, driver.Sync{Done: &failed}),
				other.Fill(m, 0, 16, []byte{7}, driver.Sync{After: after(&failed), Done: &dropped}),
				other.Barrier(driver.Sync{After: after(&dropped), Done: &barrier}),
			); err != nil {
				t.Fatal(err)
			}
			for what, err := range map[string]error{"the first": failed.Wait(t.Context()), "the second": dropped.Wait(t.Context()), "the barrier": barrier.Wait(t.Context()), "Finish": other.Finish()} {
				if err == nil || !strings.Contains(err.Error(), "PI_ERROR_OUT_OF_RESOURCES") {
					t.Errorf("%s: %v; want the cause", what, err)
				}
			}
			if err := q.Finish(); err == nil {
				t.Error("Finish of the first queue tells no failure")
			}
			if err := q.Read(m, 0, data, driver.Sync{Block: true}); err != nil || data[0] != 0 {
				t.Errorf("the memory has %d, %v; the command ran", data[0], err)
			}
			if err := errors.Join(failed.Close(), dropped.Close(), barrier.Close(), other.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLongChain: commands that wait for one another keep no events of those before.
func TestLongChain(t *testing.T) {
	c, _, q, m := openFaulty(t)
	var last driver.Event
	if err := q.Fill(m, 0, 16, []byte{1}, driver.Sync{Done: &last}); err != nil {
		t.Fatal(err)
	}
	const most = 200
	for range 2000 {
		before := last
		if err := errors.Join(q.Fill(m, 0, 16, []byte{1}, driver.Sync{After: []driver.Event{before}, Done: &last}), before.Close()); err != nil {
			t.Fatal(err)
		}
		if n := c.number("device_live"); n > most {
			t.Fatalf("%d objects are alive", n)
		}
	}
	if err := errors.Join(last.Wait(t.Context()), last.Close(), q.Finish()); err != nil {
		t.Error(err)
	}
}

// TestLostDevice: each call after the device was lost is an error with its code, and
// everything can be given back.
func TestLostDevice(t *testing.T) {
	c, d, q, m := openFaulty(t)
	gate, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	var waiting driver.Event
	if err := q.Write(m, 0, make([]byte, 16), driver.Sync{After: []driver.Event{gate}, Done: &waiting}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	waiting.OnDone(func(err error) { ended <- err })
	const deviceNotAvailable = -2
	c.set("plugin_lost_code", deviceNotAvailable)
	gate.Complete(nil)
	_, allocated := d.Alloc(driver.DeviceMemory, 16)
	for what, err := range map[string]error{
		"Alloc": allocated, "a blocking write": q.Write(m, 0, make([]byte, 16), driver.Sync{Block: true}), "Finish": q.Finish(),
		"the event": waiting.Wait(t.Context()), "the callback": <-ended,
	} {
		if err == nil || !strings.Contains(err.Error(), "(-2)") {
			t.Errorf("%s: %v; want the code", what, err)
		}
	}
	if waiting.Status() != driver.Failed {
		t.Errorf("the event is %v", waiting.Status())
	}
	if err := errors.Join(waiting.Close(), gate.Close()); err != nil {
		t.Error(err)
	}
	c.set("plugin_lost_code", 0)
}

func buildModule(t *testing.T, d *Device) error {
	t.Helper()
	m := driver.Module{Name: "m", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: drivertest.SPIRV(drivertest.Code{Kernels: []string{"app"}})}
	p, err := driver.Build(t.Context(), d, []driver.Module{m}, driver.BuildOptions{})
	if err == nil {
		_ = p.Close()
	}
	return err
}

// TestBuildLogs: a log is kept whole, a message has a line of it, and of one that is
// too long to be read the length is told.
func TestBuildLogs(t *testing.T) {
	const megabyte = 1 << 20
	for name, b := range map[string]struct{ stage, size, lines int }{
		"compile": {1, 8 * megabyte, 1 << 16}, "link": {2, 8 * megabyte, 1 << 16}, "one line": {1, 8 * megabyte, 1}, "no log": {2, 0, 1}, "too long": {1, 65 * megabyte, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c, d, _, _ := openFaulty(t)
			for variable, value := range map[string]int{"plugin_fail_builds": b.stage, "device_log_size": b.size, "device_log_lines": b.lines} {
				c.set(variable, value)
			}
			err := buildModule(t, d)
			build, ok := errors.AsType[*driver.BuildError](err)
			if !ok {
				t.Fatalf("%v; want a BuildError", err)
			}
			if name == "too long" {
				if !strings.Contains(err.Error(), "68157441 bytes") || !strings.Contains(err.Error(), "PI_ERROR_COMPILE_PROGRAM_FAILURE") {
					t.Errorf("%v", err)
				}
				return
			}
			if len(build.Log) < b.size-1 || b.size > 0 && !strings.HasPrefix(build.Log, "error: the first of many") {
				t.Errorf("the log has %d bytes of %d", len(build.Log), b.size)
			}
			if n := len(err.Error()); n > 2000 {
				t.Errorf("the message has %d bytes", n)
			}
		})
	}
}

// TestOddLists: platforms and devices that are not there, and numbers of them that
// cannot be.
func TestOddLists(t *testing.T) {
	for name, list := range map[string]struct {
		set  map[string]int
		want int    // devices
		err  string // in the error
	}{
		"no platform":        {map[string]int{"plugin_platforms": 0}, 0, "no platform"},
		"no device":          {map[string]int{"plugin_devices": 0}, 0, ""},
		"a null platform":    {map[string]int{"plugin_null_platforms": 1}, 1, "null platform"},
		"null devices":       {map[string]int{"plugin_null_devices": 2}, 1, "null device"},
		"nine of each said":  {map[string]int{"plugin_claimed": 9}, 1, ""},
		"2^32 - 1 of each":   {map[string]int{"plugin_claimed": -1}, 0, "4294967295"},
		"sizes of 2^64 - 1":  {map[string]int{"plugin_wrong_sizes": 1}, 1, ""},
		"every call refused": {map[string]int{"plugin_lost_code": -6}, 0, "PI_ERROR_OUT_OF_HOST_MEMORY"},
	} {
		t.Run(name, func(t *testing.T) {
			path := buildPlugin(t, newest...)
			c := countersOf(t, path)
			for variable, value := range list.set {
				c.set(variable, value)
			}
			devices, err := openPlugin(t, path, Options{}).Devices()
			if len(devices) != list.want || (err == nil) != (list.err == "") || err != nil && !strings.Contains(err.Error(), list.err) {
				t.Errorf("%d devices, %v; want %d, %q", len(devices), err, list.want, list.err)
			}
			c.set("plugin_lost_code", 0)
		})
	}
}

// TestOddName: a name cannot move the cursor of a terminal.
func TestOddName(t *testing.T) {
	path := buildPlugin(t, newest...)
	copy(countersOf(t, path).bytes("plugin_name", 64), "Test\x1b[2Jdevice\r\n\xff\x00")
	if name := onlyDevice(t, openPlugin(t, path, Options{})).Info().Name; name != "Test?[2Jdevice  ?" {
		t.Errorf("the name is %q", name)
	}
}
