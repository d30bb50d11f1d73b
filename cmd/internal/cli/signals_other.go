//go:build !unix

package cli

import "os"

// endingSignals is the interrupt, the only such signal on these systems.
var endingSignals = []os.Signal{os.Interrupt}

// crashSignals is empty, and there is no limit of a file's size.
var crashSignals []os.Signal

func refuseLargeFiles() {}

// dieBy ends the process as an interrupt does.
func dieBy(os.Signal) { leave(130) }
