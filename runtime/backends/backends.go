// Package backends is the only list of back ends.
package backends

import (
	"io"

	"offlink/runtime/cuda"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// Options configure the back ends; the zero value is right for
// programs.
type Options struct {
	// Output takes the output of kernels; standard output if nil.
	Output io.Writer
}

// Open opens the back ends, in order of preference: those of installed drivers
// that have a device, then the embedded device. The caller must close them.
func Open(o Options) []driver.Driver {
	var drivers []driver.Driver
	if d, err := cuda.New(cuda.Options{}); err == nil { // else there is no such driver, or no GPU
		drivers = append(drivers, d)
	}
	return append(drivers, hostdev.New(hostdev.Options{Output: o.Output}))
}
