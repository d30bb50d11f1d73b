package opencl

import (
	"errors"
	"testing"

	"offlink/runtime/driver"
)

// TestUnalignedFillFails: where a step of a fill fails, the event of the step before is
// released.
func TestUnalignedFillFails(t *testing.T) {
	f := buildFake(t)
	refused := errors.New("refused")
	copies, refuse := 0, 0
	d := onlyDevice(t, f.open(Options{Fail: func(call string) error {
		if call == "clEnqueueMemcpyINTEL" {
			if copies++; copies == refuse {
				return refused
			}
		}
		return nil
	}}))
	q, err1 := d.NewQueue(driver.QueueOptions{})
	m, err2 := d.Alloc(driver.DeviceMemory, 8*fillBlock)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	before := f.number("device_live")
	for refuse = 1; ; refuse++ {
		copies = 0
		err := q.Fill(m, 1, 6*fillBlock, []byte{1, 2}, driver.Sync{})
		if finished := q.Finish(); finished != nil {
			t.Fatal(finished)
		}
		if live := f.number("device_live"); live != before {
			t.Errorf("step %d failed (%v): %d objects; %d before", refuse, err, live, before)
		}
		if err == nil {
			break
		}
	}
	if refuse < 4 {
		t.Errorf("the fill has %d steps", refuse-1)
	}
	if err := errors.Join(m.Close(), q.Close()); err != nil {
		t.Error(err)
	}
}
