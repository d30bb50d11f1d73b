//go:build !unix

package cli

import "os"

// endingSignals is the interrupt, the only such signal on these systems.
var endingSignals = []os.Signal{os.Interrupt}

// There are no crash signals, and there is no limit of a file's size.

func isCrash(os.Signal) bool { return false }

func crashSignals() []os.Signal { return nil }

func refuseLargeFiles() {}

// dieBy ends the process as an interrupt does.
func dieBy(os.Signal) { leave(130) }
