package hostdev

import (
	"testing"

	"offlink/runtime/driver"
)

// testLinearIDs runs the last work-group of a launch of 2^34 work-items, whose numbers
// take more than 32 bits.
func testLinearIDs(t *testing.T, p *testProgram) {
	k, err := p.program.Kernel("linear_ids")
	if err != nil {
		t.Fatal(err)
	}
	out := p.buffer(make([]uint64, 16))
	r := driver.Range{Global: []int{1 << 20, 1 << 14}, Local: []int{8, 2}}
	c, err := p.device.(*Device).newLaunch(k.(*kernel), r, []driver.Arg{out})
	if err != nil {
		t.Fatal(err)
	}
	runLastGroup(t, &c.launch)
	var want []uint64
	for y := uint64(1<<14 - 2); y < 1<<14; y++ {
		for x := uint64(1<<20 - 8); x < 1<<20; x++ {
			want = append(want, y<<20+x)
		}
	}
	check(t, p, "linear ids", out, want)
}

// runLastGroup runs the last work-group of a launch, as the device would run all.
func runLastGroup(t *testing.T, l *launch) {
	t.Helper()
	last := l.total() - 1
	if o := l.device.options; o.Interpret || o.Check {
		if o.Check {
			l.checker = newChecker(l)
			l.checker.findArguments(l.arguments)
		}
		if fault := newGroup(l).run(last); fault != nil {
			t.Fatal(fault)
		}
		return
	}
	code, err := l.k.nativeCode(l.k.rowsOf(l.r.local))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := l.device.engine()
	if err != nil {
		t.Fatal(err)
	}
	w, ok := l.newWorker(engine, code)
	if !ok {
		t.Fatal("the launch is interpreted")
	}
	w.shareBudget()
	l.crew.launch, l.crew.engine, l.crew.code, l.crew.total = l, engine, code, l.total()
	l.crew.next.Store(last)
	l.crew.run(w)
	if err := l.outcome(); err != nil {
		t.Fatal(err)
	}
}
