// Package backends is the only list of back ends.
package backends

import (
	"io"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// Options configure the back ends; the zero value is right for
// programs.
type Options struct {
	// Output takes the output of kernels; standard output if nil.
	Output io.Writer
}

// Open opens the back ends, in order of preference. The caller must
// close them.
func Open(o Options) []driver.Driver {
	return []driver.Driver{hostdev.New(hostdev.Options{Output: o.Output})}
}
