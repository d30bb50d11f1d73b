package trace_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
	"offlink/runtime/trace"
)

// tracedDriver is the embedded device with traced queues.
type tracedDriver struct {
	*hostdev.Driver
	recorder *trace.Recorder
}

func (d *tracedDriver) Devices() ([]driver.Device, error) {
	list, err := d.Driver.Devices()
	for i, device := range list {
		list[i] = &tracedDevice{device.(*hostdev.Device), d.recorder}
	}
	return list, err
}

type tracedDevice struct {
	*hostdev.Device
	recorder *trace.Recorder
}

func (d *tracedDevice) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	q, err := d.Device.NewQueue(opts)
	if err != nil {
		return nil, err
	}
	return trace.Queue(d.recorder, q, "host:0"), nil
}

// TestConformance: a traced queue passes the suite, with each optional interface.
func TestConformance(t *testing.T) {
	var out bytes.Buffer
	start := time.Now()
	recorder := trace.New(&out, 1, "app", func() time.Duration { return time.Since(start) })
	drivertest.Test(t, &tracedDriver{hostdev.New(hostdev.Options{Output: io.Discard}), recorder}, drivertest.Options{})
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"write image", "read image", "copy image", "copy image to memory", "copy memory to image", "fill image"} {
		if !strings.Contains(out.String(), `"name":"`+name+`"`) {
			t.Errorf("no command %q", name)
		}
	}
}

// TestOptionalInterfaces: a traced queue has the interfaces of the queue and no other, but
// for Idler.
func TestOptionalInterfaces(t *testing.T) {
	type plain struct{ driver.Queue }
	recorder := trace.New(io.Discard, 1, "app", func() time.Duration { return 0 })
	for _, q := range []driver.Queue{
		plain{},
		struct {
			plain
			driver.Aborter
		}{},
		struct {
			plain
			driver.NativeHandle
		}{},
		struct {
			plain
			driver.Aborter
			driver.NativeHandle
		}{},
		struct {
			plain
			driver.ImageQueue
		}{},
		struct {
			plain
			driver.ImageQueue
			driver.Aborter
		}{},
		struct {
			plain
			driver.ImageQueue
			driver.NativeHandle
		}{},
		struct {
			plain
			driver.ImageQueue
			driver.Aborter
			driver.NativeHandle
		}{},
	} {
		traced := trace.Queue(recorder, q, "")
		if got, want := interfacesOf(traced), interfacesOf(q); got != want {
			t.Errorf("%T: aborts, native, images: %v, traced %v", q, want, got)
		}
		if idler, ok := traced.(driver.Idler); !ok || idler.Idle() {
			t.Errorf("%T: a queue that does not tell whether it is idle counts as idle", q)
		}
	}
}

func interfacesOf(q driver.Queue) (list [3]bool) {
	_, list[0] = q.(driver.Aborter)
	_, list[1] = q.(driver.NativeHandle)
	_, list[2] = q.(driver.ImageQueue)
	return list
}
