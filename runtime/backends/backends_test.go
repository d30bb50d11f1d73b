package backends

import (
	"testing"

	"offlink/runtime/drivertest"
)

// TestConformance runs the suite on every back end that has a device here.
func TestConformance(t *testing.T) {
	// Drivers of OpenCL are tested in processes of their own (runtime/opencl).
	for _, d := range Open(Options{Getenv: environment("ONEAPI_DEVICE_SELECTOR=host:*;cuda:*")}) {
		t.Run(d.Name(), func(t *testing.T) { drivertest.Test(t, d, drivertest.Options{}) })
		if err := d.Close(); err != nil {
			t.Errorf("%s: Close: %v", d.Name(), err)
		}
	}
}
