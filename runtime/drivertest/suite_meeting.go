package drivertest

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"offlink/runtime/driver"
)

// meetingRounds is the number of graphs of testFailuresMeet.
const meetingRounds = 60

// testFailuresMeet: commands in several queues wait for each other and for events of the host,
// which as many threads end at once, with errors and without, while commands are queued and
// run. A command fails if and only if an event that it waits for fails, or a command before it
// in its in-order queue.
func (s *suite) testFailuresMeet(t *testing.T) {
	if gate, _ := s.closingGate(t, true); gate == nil {
		t.Skip("the device makes no events")
	} else {
		closeAtEnd(t, gate)
	}
	for seed := range uint64(meetingRounds) {
		m := &meeting{s: s, r: rand.New(rand.NewPCG(seed, 1))}
		if m.run(t); t.Failed() {
			t.Fatalf("round %d", seed)
		}
	}
}

// meeting is one graph.
type meeting struct {
	s        *suite
	r        *rand.Rand
	queues   []*meetingQueue
	waits    []meetingEvent // gates, then commands
	commands []meetingEvent
	memory   driver.Memory
}

type meetingQueue struct {
	driver.Queue
	inOrder, fails bool
}

type meetingEvent struct {
	driver.Event
	fails bool
}

const (
	meetingGates    = 4
	meetingCommands = 16
	meetingSize     = 64 // of the memory of each command
)

func (m *meeting) run(t *testing.T) {
	for _, outOfOrder := range []bool{false, true, m.r.IntN(2) == 0} {
		q, err := m.s.device.NewQueue(driver.QueueOptions{OutOfOrder: outOfOrder})
		if err != nil {
			t.Fatal(err)
		}
		m.queues = append(m.queues, &meetingQueue{Queue: q, inOrder: !outOfOrder})
	}
	memory, err := m.s.device.Alloc(driver.DeviceMemory, meetingCommands*meetingSize)
	if err != nil {
		t.Fatal(err)
	}
	m.memory = memory
	finish := m.openGates(t)
	for i := range meetingCommands {
		m.queueCommand(t, i)
	}
	finish()
	m.check(t)
	for _, e := range m.waits {
		closeAtEnd(t, e.Event)
	}
	for _, q := range m.queues {
		closeAtEnd(t, q)
	}
	closeAtEnd(t, memory)
}

// openGates makes the events of the host, each with a thread that ends it after a while.
func (m *meeting) openGates(t *testing.T) (finish func()) {
	var threads sync.WaitGroup
	for range meetingGates {
		gate, after := m.s.closingGate(t, true)
		fails, delay := m.r.IntN(2) == 0, time.Duration(m.r.IntN(300))*time.Microsecond
		m.waits = append(m.waits, meetingEvent{after[0], fails})
		var err error
		if fails {
			err = errGaveUp
		}
		threads.Go(func() {
			for end := time.Now().Add(delay); time.Now().Before(end); {
				runtime.Gosched() // timers would end several gates one after another
			}
			gate.Complete(err)
		})
	}
	return threads.Wait
}

var errGaveUp = errors.New("the host gave up")

// queueCommand queues a fill after up to three of the events so far.
func (m *meeting) queueCommand(t *testing.T, i int) {
	q := m.queues[m.r.IntN(len(m.queues))]
	fails := q.inOrder && q.fails
	var after []driver.Event
	for range m.r.IntN(4) {
		e := m.waits[m.r.IntN(len(m.waits))]
		if !slices.Contains(after, e.Event) {
			after = append(after, e.Event)
			fails = fails || e.fails
		}
	}
	e := meetingEvent{fails: fails}
	err := q.Fill(m.memory, int64(i)*meetingSize, meetingSize, []byte{1}, driver.Sync{After: after, Done: &e.Event})
	q.fails = q.fails || fails
	m.commands = append(m.commands, e)
	if err == nil {
		m.waits = append(m.waits, e)
	} else if !fails || !q.inOrder || !errors.Is(err, errGaveUp) { // of a command before it
		t.Fatalf("command %d: %v", i, err)
	}
}

// check compares the outcomes.
func (m *meeting) check(t *testing.T) {
	for i, e := range m.commands {
		if e.Event == nil {
			continue // it was refused
		}
		err := e.Wait(t.Context())
		if (err != nil) != e.fails || e.fails && !errors.Is(err, errGaveUp) {
			t.Errorf("command %d: %v; want a failure: %v", i, err, e.fails)
		}
	}
	for i, q := range m.queues {
		if err := q.Finish(); (err != nil) != q.fails {
			t.Errorf("Finish of queue %d: %v; want a failure: %v", i, err, q.fails)
		}
	}
	data := readMemory(t, m.queues[0], m.memory, 0, meetingCommands*meetingSize)
	for i, e := range m.commands {
		if ran := data[i*meetingSize] != 0; ran == e.fails {
			t.Errorf("command %d ran: %v; want %v", i, ran, !e.fails)
		}
	}
}
