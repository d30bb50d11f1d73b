// Package fakelib has the libraries that tests build in the place of a driver's. Such a library
// counts its live objects, notes the calls of the driver's functions and the faults of their
// callers, and asks a hook before each call; it exports the functions fake_live, fake_calls,
// fake_faults and fake_set_hook for that.
package fakelib

import (
	"strings"
	"sync"
	"testing"

	"offlink/runtime/internal/dl"
)

// Library is a library that stands in for a driver's.
type Library struct{ library *dl.Library }

// Open opens a library. It is closed at the end of the test, without a hook: the next test may get
// the same library, since the dynamic loader keeps it while anything uses it.
func Open(t testing.TB, path string) *Library {
	t.Helper()
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l := &Library{library}
	t.Cleanup(func() {
		l.Call(t, "fake_set_hook", 0)
		library.Close()
	})
	return l
}

// Call calls a function of the library. Go memory that an argument points to stays in place.
//
//go:uintptrescapes
func (l *Library) Call(t testing.TB, name string, args ...uintptr) uintptr {
	t.Helper()
	function, err := l.library.Symbol(name)
	if err != nil {
		t.Fatal(err)
	}
	return dl.Call(function, args...)
}

// Live is the number of the driver's objects that were not released.
func (l *Library) Live(t testing.TB) int { return int(int32(l.Call(t, "fake_live"))) }

// Verify fails the test with the faults that the library found.
func (l *Library) Verify(t testing.TB) {
	t.Helper()
	if faults := dl.String(l.Call(t, "fake_faults")); faults != "" {
		t.Errorf("the driver found:\n%s", faults)
	}
}

// Calls returns the names of the driver's functions in the order of their calls.
func (l *Library) Calls(t testing.TB) []string {
	return strings.Fields(dl.String(l.Call(t, "fake_calls")))
}

// hook is the one of all libraries, since a process can make few function pointers for C.
var hook struct {
	once    sync.Once
	pointer uintptr
	fail    func(call string) error
}

// SetHook has the library ask fail before each call. The call fails if the result is an error.
func (l *Library) SetHook(t testing.TB, fail func(call string) error) {
	t.Helper()
	hook.once.Do(func() {
		hook.pointer = dl.NewCallback(func(name uintptr) uintptr {
			if hook.fail(dl.String(name)) != nil {
				return 1
			}
			return 0
		})
	})
	hook.fail = fail
	l.Call(t, "fake_set_hook", hook.pointer)
}
