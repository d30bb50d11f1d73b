package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime"
	"offlink/runtime/driver"
)

// TestEndDrivers: once drivers have ended, everything that C holds of them is an
// error, none of it reaches the driver, and nothing is closed twice.
func TestEndDrivers(t *testing.T) {
	for _, idle := range []bool{true, false} {
		s, fake, device := newTestSession(t)
		k, _, err1 := s.openKernel(device, 0, runtime.KernelRef{Name: "scale"})
		b, _, err2 := s.createBuffer(device, 8, nil)
		q, err3 := s.createQueue(device, driver.QueueOptions{})
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		args := []argument{{kind: argBuffer, buffer: b}, {kind: argValue, value: []byte{2, 0, 0, 0}}, {kind: argLocal, size: 4}}
		if err := launchWith(s, k, driver.Range{Global: []int{2}}, args); err != nil {
			t.Fatal(err)
		}
		if !s.takeDriverGrowth() || s.takeDriverGrowth() {
			t.Error("the steps of the driver are not told once")
		}
		s.endDrivers(idle)
		s.endDrivers(idle)
		_, _, err4 := s.openKernel(device, 0, runtime.KernelRef{Name: "scale"})
		_, err5 := s.nativeHandle(b)
		_, _, err6 := s.openDevice("")
		for i, err := range []error{
			launchWith(s, k, driver.Range{Global: []int{2}}, args), s.readBuffer(b, 0, make([]byte, 4)), s.finishQueue(q, true), err4, err5, err6,
		} {
			if statusOf(err) != statusRuntime || !errors.Is(err, runtime.ErrDriverEnded) {
				t.Errorf("idle %v, call %d: %v", idle, i, err)
			}
		}
		for _, handle := range []uint64{k, b, q, device} {
			s.closeHandle(handle)
		}
		live := fake.Live()
		s.closeAll()
		if fake.Live() != live || len(fake.ClosedTwice()) > 0 {
			t.Errorf("idle %v: closeAll called the driver: %d things, then %d; closed twice: %v", idle, live, fake.Live(), fake.ClosedTwice())
		}
	}
}

// TestDriverAtExit: Intel's driver, whose code crashes when it is called after its
// own exit handlers, ends with an error before them.
func TestDriverAtExit(t *testing.T) {
	testtool.Need(t, "gcc")
	intel := testtool.Python(t, "lib/libintelocl.so")
	w := newWorkshop(t)
	w.compile(t, "gcc", "testdata/drivers/at_exit.c", "-o", "at_exit", "-L"+w.lib, "-L"+w.dir, "-Wl,--no-as-needed", "app.o", "-lhelpers", "-lofflink")
	for _, c := range []struct{ when, want string }{
		{"main", "main: 2 14"},
		{"main late", "main: 2 14, late: 2 14"},
		{"main early destructor", "main: 2 14, early: ended, destructor: ended"},
		{"early", "early: 2 14"},
		{"destructor", "destructor: 2 14"},
		{"early destructor", "early: 2 14, destructor: ended"},
	} {
		cmd := exec.Command(filepath.Join(w.dir, "at_exit"), strings.Fields(c.when)...)
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+w.lib+":"+w.dir, "OCL_ICD_VENDORS="+intel, "OCL_ICD_FILENAMES=")
		out, err := cmd.CombinedOutput()
		if got := strings.Join(strings.Split(strings.TrimSpace(string(out)), "\n"), ", "); err != nil || got != c.want {
			t.Errorf("%s: %v, %.500s; want %s", c.when, err, got, c.want)
		}
	}
}
