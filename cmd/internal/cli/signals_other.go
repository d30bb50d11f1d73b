//go:build !unix

package cli

import "os"

// endingSignals is the interrupt, which is all that there is.
var endingSignals = []os.Signal{os.Interrupt}

// dieBy ends the process as an interrupt does.
func dieBy(os.Signal) { os.Exit(130) }
