package container

import (
	"slices"
	"sync"
)

// maxOpenCodes is how many codes are in the middle of being inflated at a time:
// each has a window of up to 8 MiB. A comparison reads two, and those that end
// early would leave them open.
const maxOpenCodes = 2

// openCodes are the codes that are in the middle of being inflated, the one
// that was read last at the end.
var openCodes struct {
	mu   sync.Mutex
	list []*inflatedCode
}

// noteOpen makes c, whose lock the caller holds, the code that was read last,
// and closes the one that was not read for longest where there are too many.
// That one is inflated from its beginning if it is read again.
func noteOpen(c *inflatedCode) {
	openCodes.mu.Lock()
	forgetLocked(c)
	openCodes.list = append(openCodes.list, c)
	var oldest *inflatedCode
	if len(openCodes.list) > maxOpenCodes {
		oldest = openCodes.list[0]
		openCodes.list = openCodes.list[1:]
	}
	openCodes.mu.Unlock()
	if oldest != nil && oldest.mu.TryLock() { // one that is being read closes itself at its end
		if oldest.source != nil {
			oldest.source.Close()
			oldest.source = nil
		}
		oldest.mu.Unlock()
	}
}

// noteClosed takes a code off the list.
func noteClosed(c *inflatedCode) {
	openCodes.mu.Lock()
	defer openCodes.mu.Unlock()
	forgetLocked(c)
}

func forgetLocked(c *inflatedCode) {
	openCodes.list = slices.DeleteFunc(openCodes.list, func(o *inflatedCode) bool { return o == c })
}
