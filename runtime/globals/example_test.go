package globals_test

import (
	"errors"
	"fmt"

	"offlink/runtime/globals"
)

// A device global is known by an id that host and device code share; the host registers
// the address of its own object.
func ExampleDatabase() {
	var known globals.Database
	known.AddHost(0x1000, "offset")
	variable, err := known.ByHost(0x1000)
	fmt.Println(variable.ID, err)
	_, err = known.ByHost(0x2000)
	fmt.Println(err != nil && !errors.Is(err, globals.ErrCopyTo))
	// Output:
	// offset <nil>
	// true
}
