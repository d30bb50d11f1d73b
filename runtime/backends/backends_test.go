package backends

import (
	"testing"

	"offlink/runtime/drivertest"
)

// TestConformance runs the suite on every back end that has a device here.
func TestConformance(t *testing.T) {
	for _, d := range Open(Options{}) {
		t.Run(d.Name(), func(t *testing.T) { drivertest.Test(t, d, drivertest.Options{}) })
		if err := d.Close(); err != nil {
			t.Errorf("%s: Close: %v", d.Name(), err)
		}
	}
}
