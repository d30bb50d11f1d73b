package hostdev

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// Memory grows beyond the part in use by so many percent of that part before Go's garbage
// collector begins: by the first where little is in use, and by the second, Go's own, where that
// is more than slack bytes.
const (
	mostCollectionPercent  = 400
	leastCollectionPercent = 100
	collectionSlack        = 256 << 20
)

// CollectLater has Go's garbage collector begin later. It is for programs and
// libraries that have a Go runtime to themselves, as the setting is of the whole
// process; a program that imports this package decides itself.
//
// Compiling a kernel leaves some megabytes of garbage. A process that keeps little
// would collect at each 4 MB, several times a kernel: a third of the time of a first
// launch. A process that keeps thousands of kernels collects as other programs do: it would
// have several times the memory that it needs. GOGC and GOMEMLIMIT in the environment win.
func CollectLater() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		startCollectingLater()
	}
}

var startCollectingLater = sync.OnceFunc(func() {
	debug.SetGCPercent(mostCollectionPercent)
	adjustAfterCollection(mostCollectionPercent)
})

// adjustAfterCollection sets the percentage after each collection. An object that nothing refers
// to is found by the next one, and its finalizer then makes another.
func adjustAfterCollection(present int) {
	next := &struct{ _ [16]byte }{}
	runtime.SetFinalizer(next, func(any) {
		// runtime/metrics has the live bytes, but makes its table when a program starts.
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		percent := percentFor(now.NextGC * 100 / uint64(100+present))
		if percent != present {
			debug.SetGCPercent(percent)
		}
		adjustAfterCollection(percent)
	})
}

// percentFor is the percentage where so many bytes are in use.
func percentFor(live uint64) int {
	percent := uint64(collectionSlack) * 100 / max(live, 1)
	return int(min(max(percent, leastCollectionPercent), mostCollectionPercent))
}
