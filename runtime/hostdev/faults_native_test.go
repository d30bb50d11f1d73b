package hostdev

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"offlink/runtime/driver"
)

// TestNativeFaults runs the launches of TestFaults as native code: each is stopped as
// elsewhere, the process lives, and the next launch on the same queue works.
func TestNativeFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("-short runs no C compiler")
	}
	p := buildModules(t, nativeOptions(t, 8), driver.BuildOptions{}, readModules(t, "golden/faults.spv")...)
	for _, c := range faultCases {
		err := p.tryLaunch(c.kernel, c.r, c.args(p)...)
		want := c.want
		if c.compiled != "" {
			want = c.compiled
		}
		var fault *Fault
		if !errors.As(err, &fault) || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%s: error\n%v\nwant a match of\n%s", c.name, err, want)
		}
		out := p.buffer(make([]int32, 8))
		p.launch("store_beyond", items(8), out)
		check(t, p, "after "+c.name, out, slices.Repeat([]int32{1}, 8))
	}
	testDefined(t, p)
}

func TestNativeBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("-short runs no C compiler")
	}
	o := nativeOptions(t, 8)
	o.Steps = 1 << 20
	p := buildModules(t, o, driver.BuildOptions{}, readModules(t, "golden/faults.spv")...)
	out := p.buffer(make([]int32, 2))
	if err := p.tryLaunch("endless", items(64), out); !errors.Is(err, ErrBudget) {
		t.Fatalf("error = %v; want that the budget was used up", err)
	}
	p.launch("null_store", items(1), out)
}
