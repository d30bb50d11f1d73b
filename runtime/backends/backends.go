// Package backends is the only list of back ends.
package backends

import (
	"io"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// Options are what the back ends are told; the zero value is right for
// programs.
type Options struct {
	// Output takes what kernels print; standard output if nil.
	Output io.Writer
}

// Open opens the back ends, in order of preference. Whoever it gives them to
// closes them.
func Open(o Options) []driver.Driver {
	return []driver.Driver{hostdev.New(hostdev.Options{Output: o.Output})}
}
