package main

import (
	"sync"
	"sync/atomic"
)

// forEach calls work(0) to work(n-1) from up to jobs goroutines, each with a
// function of its own. It returns the error of the lowest number, so that
// which one is reported does not depend on jobs.
func forEach(n, jobs int, newWorker func() func(int) error) error {
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
