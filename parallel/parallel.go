// Package parallel calls a function for many numbers from several goroutines.
// Unlike with errgroup, each goroutine keeps state of its own between calls, and
// the error that is returned does not depend on the number of goroutines.
package parallel

import (
	"sync"
	"sync/atomic"
)

// ForEach calls work(0) to work(n-1) from up to jobs goroutines, each with a
// function of its own that newWorker makes on that goroutine. After an error
// no further numbers are begun. Of several errors it returns that of the
// lowest number: numbers are taken in ascending order, so that all below one
// that failed were begun, and the result does not depend on jobs.
func ForEach(n, jobs int, newWorker func() func(i int) error) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	var mu sync.Mutex
	failed, failure := n, error(nil)
	for range min(jobs, n) {
		wait.Go(func() {
			work := newWorker()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				err := work(i)
				if err == nil {
					continue
				}
				mu.Lock()
				if i < failed {
					failed, failure = i, err
				}
				mu.Unlock()
				next.Store(int64(n))
				return
			}
		})
	}
	wait.Wait()
	return failure
}
