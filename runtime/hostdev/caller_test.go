package hostdev

import (
	"errors"
	"testing"

	"offlink/runtime/driver"
)

// TestYield: a blocking launch on an idle queue calls Yield again and again on
// the caller's goroutine, which may even end the launch.
func TestYield(t *testing.T) {
	for _, interpret := range []bool{false, true} {
		p := faultsProgram(t, Options{Interpret: interpret})
		k, err := p.program.Kernel("endless")
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		errEnough := errors.New("enough")
		yields := 0
		yield := func() {
			if yields++; yields == 3 {
				p.queue.(driver.Aborter).Abort(errEnough)
			}
		}
		out := p.buffer(make([]int32, 2))
		err = p.queue.Launch(k, groups(64, 4), []driver.Arg{out}, driver.Sync{Block: true, Yield: yield})
		if !errors.Is(err, errEnough) || yields < 3 {
			t.Errorf("interpreted %t: %d yields, %v", interpret, yields, err)
		}
	}
}
