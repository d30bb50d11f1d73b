package driver

import (
	"errors"
	"slices"
	"testing"
)

// commands are submitted commands of a test, by whether they work.
type commands []bool

func (c commands) working(i int) Working {
	return func() (bool, error) { return c[i], nil }
}

// TestDeferredFrees: each memory goes when its own commands have ended, once.
func TestDeferredFrees(t *testing.T) {
	var d DeferredFrees
	var freed []string
	free := func(name string) func() error {
		return func() error { freed = append(freed, name); return nil }
	}
	work := commands{true, true}
	both := []Working{work.working(0), work.working(1)}
	if err := errors.Join(
		d.FreeAfter(both, free("both")),
		d.FreeAfter([]Working{work.working(1)}, free("second")),
		d.FreeAfter(nil, free("none")),
	); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		work commands
		want []string
		left int
	}{
		{commands{true, true}, []string{"none"}, 2},
		{commands{false, true}, []string{"none"}, 2},
		{commands{true, false}, []string{"none", "both", "second"}, 0}, // an ended command is not asked again
		{commands{false, false}, []string{"none", "both", "second"}, 0},
	} {
		copy(work, step.work)
		if left := d.CollectEnded(); left != step.left || !slices.Equal(freed, step.want) {
			t.Errorf("step %d: %v are freed and %d left; want %v and %d", i, freed, left, step.want, step.left)
		}
	}
}

// TestDeferredFailures: a device that cannot tell keeps nothing, and every failure is
// told once.
func TestDeferredFailures(t *testing.T) {
	var d DeferredFrees
	lost, refused := errors.New("the device is lost"), errors.New("it is not memory")
	working := true
	if err := d.FreeAfter([]Working{func() (bool, error) { return working, nil }}, func() error { return refused }); err != nil {
		t.Error(err)
	}
	working = false
	d.CollectEnded()
	freed := false
	err := d.FreeAfter([]Working{func() (bool, error) { return false, lost }}, func() error { freed = true; return nil })
	if !errors.Is(err, lost) || !errors.Is(err, refused) || !freed {
		t.Errorf("freed: %v, with %v; want both failures", freed, err)
	}
	if err := d.FreeAfter(nil, func() error { return nil }); err != nil {
		t.Errorf("told twice: %v", err)
	}
	working = true
	if err := d.FreeAfter([]Working{func() (bool, error) { return working, nil }}, func() error { return refused }); err != nil {
		t.Error(err)
	}
	working = false
	d.CollectEnded()
	if err := d.Failure(); !errors.Is(err, refused) || d.Failure() != nil {
		t.Errorf("at the end: %v; want the failure, once", err)
	}
}
