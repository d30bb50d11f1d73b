package hostdev

import (
	"os"
	"runtime/debug"
)

// collectionPercent is how far memory grows beyond the part in use before Go's
// garbage collector begins, in percent of that part.
const collectionPercent = 400

// CollectLater has Go's garbage collector begin later. It is for programs and
// libraries that have a Go runtime to themselves, as the setting is of the whole
// process; a program that imports this package decides itself.
//
// Compiling a kernel leaves some megabytes of garbage. A process that keeps little
// would collect at each 4 MB, several times a kernel: a third of the time of a first
// launch. GOGC and GOMEMLIMIT in the environment win.
func CollectLater() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(collectionPercent)
	}
}
