// Package backends is the only list of back ends.
package backends

import (
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// Open opens the back ends, in order of preference. Whoever it gives them to
// closes them.
func Open() []driver.Driver {
	return []driver.Driver{hostdev.New(hostdev.Options{})}
}
