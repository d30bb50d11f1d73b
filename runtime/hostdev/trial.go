package hostdev

import (
	"sync/atomic"
	"time"
)

// Workers can hinder each other: where all add to the same few words by atomics, the lines
// of the cache that hold them go back and forth between the processors, and two take
// several times as long as one does alone. Whether it is so depends on the data, so it is
// tried: the other workers of a launch leave for a moment and come back, and if the first
// one is faster alone than all are together, twice, it goes on alone, in the next launches
// of the kernel too.

// verdict is the result of a kernel's last trial.
type verdict struct {
	launches atomic.Int64 // for how many more it holds
	alone    atomic.Bool
	kept     atomic.Int64 // the launches that it was for
}

const (
	leastVerdict = 8 // launches
	mostVerdict  = 128

	// A window of a trial has so many shares and lasts at least so long. The fastest
	// share of it counts: the others may have been interrupted by other processes.
	windowShares = 4
	windowTime   = 200 * time.Microsecond

	trialWins = 2 // windows alone that are faster than both of those around it

	leastRest = 5 * windowTime // the rest of a launch, about, when the others leave
)

// trial is the state of one in a launch.
type trial struct {
	on     bool
	shares int
	time   time.Duration
	pace   time.Duration // of a group, in the fastest share of this window
	before time.Duration // that of the last window together
	alone  time.Duration // that of the last window alone; 0: there was none
	wins   int
}

// begin decides by the verdict whether the launch begins alone, or with a trial.
func (c *crew) begin() {
	v := &c.code.verdict
	switch {
	case c.members == 1:
	case v.launches.Add(-1) < 0:
		c.trial.on = true
	default:
		c.leave.Store(v.alone.Load())
	}
}

// observe counts a share of the first worker for a trial, in which so many others were
// at work when it began. It tells whether the others are to come back.
func (c *crew) observe(others, groups int64, took time.Duration) bool {
	t := &c.trial
	want := c.members - 1
	if c.leave.Load() {
		want = 0
	}
	if !t.on || others != want || c.active.Load() != want {
		return false
	}
	pace := max(1, took/time.Duration(groups))
	if t.shares == 0 || pace < t.pace {
		t.pace = pace
	}
	t.shares++
	t.time += took
	if t.shares < windowShares || t.time < windowTime {
		return false
	}
	apart := c.leave.Load()
	c.endWindow(t.pace)
	t.shares, t.time = 0, 0
	return apart && !c.leave.Load()
}

// endWindow begins the other kind of window, or ends the trial.
func (c *crew) endWindow(pace time.Duration) {
	t := &c.trial
	workers := time.Duration(c.members)
	switch {
	case c.leave.Load():
		t.alone = pace
		if t.alone*workers >= t.before {
			c.decide(false)
		} else {
			c.leave.Store(false)
		}
	case t.alone != 0 && t.alone*workers >= pace:
		c.decide(false)
	case t.alone != 0 && t.wins+1 == trialWins:
		c.decide(true)
	case time.Duration(c.total-c.next.Load())*pace/workers < leastRest:
		c.decide(false)
	default:
		if t.alone != 0 {
			t.wins++
		}
		t.before = pace
		c.leave.Store(true)
	}
}

// decide ends the trial. A verdict that an earlier one gave too holds for longer.
func (c *crew) decide(alone bool) {
	v := &c.code.verdict
	kept := int64(leastVerdict)
	if v.alone.Swap(alone) == alone {
		kept = min(max(2*v.kept.Load(), leastVerdict), mostVerdict)
	}
	v.kept.Store(kept)
	v.launches.Store(kept)
	c.trial.on = false
	c.leave.Store(alone)
}
