package abort_test

import (
	"errors"
	"testing"

	"offlink/abort"
)

func TestCatch(t *testing.T) {
	fault := errors.New("fault")
	if err := abort.Catch(func() { abort.With(fault); t.Error("went on") }); err != fault {
		t.Errorf("%v", err)
	}
	if err := abort.Catch(func() {}); err != nil {
		t.Errorf("%v", err)
	}
	inner := abort.Catch(func() {
		if err := abort.Catch(func() { abort.With(fault) }); err != fault {
			t.Errorf("inner: %v", err)
		}
	})
	if inner != nil {
		t.Errorf("outer: %v", inner)
	}
}

// A fault of the program is not an error of its input.
func TestOtherPanicsGoOn(t *testing.T) {
	defer func() {
		if r := recover(); r != "bug" {
			t.Errorf("recovered %v", r)
		}
	}()
	err := abort.Catch(func() { panic("bug") })
	t.Errorf("caught: %v", err)
}
