package filemap

import (
	"sync"
	"time"
)

// KeepReleasing calls [Release] for the mappings every millisecond until it is
// stopped, for readers that go through a large one and cannot do it themselves.
// The mappings must stay until then; bytes that are written to them stay, too.
func KeepReleasing(mappings ...[]byte) (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				releaseAll(mappings)
			}
		}
	})
	return func() {
		close(done)
		ended.Wait()
		releaseAll(mappings)
	}
}

func releaseAll(mappings [][]byte) {
	for _, data := range mappings {
		Release(data)
	}
}
