package hostdev

import (
	"testing"
	"time"
)

// crewFor is a crew of members workers that have no threads.
func crewFor(members, total int64) *crew {
	d := &Device{epoch: time.Now()}
	l := &launch{device: d}
	l.crew = crew{launch: l, code: new(nativeKernel), total: total, members: members}
	return &l.crew
}

// TestShares takes all groups of launches whose groups take the same time.
func TestShares(t *testing.T) {
	for _, pace := range []time.Duration{10, time.Microsecond, 30 * time.Microsecond, time.Second} {
		c := crewFor(2, 10000)
		var size share
		next, calls := int64(0), 0
		for {
			first, end := c.take(&size)
			if first >= end {
				break
			}
			if first != next {
				t.Fatalf("pace %v: groups from %d on, after %d", pace, first, next)
			}
			took := time.Duration(end-first) * pace
			if end-first > 1 && took > longShare {
				t.Errorf("pace %v: a share of %d groups takes %v", pace, end-first, took)
			}
			size.measure(end-first, took)
			next, calls = end, calls+1
		}
		if next != c.total {
			t.Errorf("pace %v: %d groups, of %d", pace, next, c.total)
		}
		// The calls of a launch cost less than a hundredth of it, some first ones aside.
		if most := 5 + int(time.Duration(c.total)*pace/shortShare) + 1; calls > most {
			t.Errorf("pace %v: %d calls, of at most %d", pace, calls, most)
		}
	}
}

// windows feeds a trial with shares until it is decided, as if the others came and went
// at once. A group takes together ns where all are at work, and alone ns else.
func windows(t *testing.T, c *crew, together, alone func(share int) time.Duration) (result bool) {
	t.Helper()
	for n := range 100 {
		if !c.trial.on {
			return c.leave.Load()
		}
		others, pace := c.members-1, together(n)
		if c.leave.Load() {
			others, pace = 0, alone(n)
		}
		c.active.Store(others)
		c.observe(others, 10, 10*pace)
	}
	t.Fatal("the trial has no end")
	return false
}

func steady(pace time.Duration) func(int) time.Duration {
	return func(int) time.Duration { return pace }
}

func TestTrial(t *testing.T) {
	rising := func(n int) time.Duration { return time.Duration(n+1) * 10 * time.Microsecond }
	falling := func(n int) time.Duration { return time.Millisecond / time.Duration(n+1) }
	interrupted := func(n int) time.Duration {
		if n%3 == 0 {
			return 10 * time.Microsecond
		}
		return time.Millisecond
	}
	for _, test := range []struct {
		name            string
		together, alone func(int) time.Duration
		want            bool
	}{
		{"they hinder each other", steady(90 * time.Microsecond), steady(10 * time.Microsecond), true},
		{"they do not", steady(11 * time.Microsecond), steady(10 * time.Microsecond), false},
		{"as fast together as alone", steady(20 * time.Microsecond), steady(10 * time.Microsecond), false},
		{"later groups take longer", rising, rising, false},
		{"later groups are shorter", falling, falling, false},
		{"other processes have the processor now and then", interrupted, steady(10 * time.Microsecond), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := crewFor(2, 1<<40)
			c.begin()
			if got := windows(t, c, test.together, test.alone); got != test.want {
				t.Errorf("alone: %v", got)
			}
		})
	}
}

// TestVerdictHolds: after a trial, launches begin alone, and then there is another one.
func TestVerdictHolds(t *testing.T) {
	code := new(nativeKernel)
	begin := func() *crew {
		c := crewFor(2, 1<<40)
		c.code = code
		c.begin()
		return c
	}
	slow, quick := steady(90*time.Microsecond), steady(10*time.Microsecond)
	for _, kept := range []int{leastVerdict, leastVerdict * 2, leastVerdict * 4} {
		c := begin()
		if !c.trial.on {
			t.Fatal("no trial")
		}
		windows(t, c, slow, quick)
		for n := range kept {
			if c := begin(); c.trial.on || !c.leave.Load() {
				t.Fatalf("launch %d of %d after the trial: trial %v, alone %v", n, kept, c.trial.on, c.leave.Load())
			}
		}
	}
	c := begin()
	windows(t, c, slow, slow)
	if c := begin(); c.trial.on || c.leave.Load() {
		t.Error("a launch after the trial is alone")
	}
}

// TestShortLaunchHasNoTrial: with little left, a window alone would cost more than it finds.
func TestShortLaunchHasNoTrial(t *testing.T) {
	c := crewFor(2, 60)
	c.begin()
	c.next.Store(40)
	if windows(t, c, steady(90*time.Microsecond), steady(10*time.Microsecond)) {
		t.Error("the others left")
	}
}
