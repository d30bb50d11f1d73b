package threads

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestEveryFunctionRunsOnce starts functions from several goroutines, at once and after
// pauses in which the threads fall asleep.
func TestEveryFunctionRunsOnce(t *testing.T) {
	var ran atomic.Int64
	var all sync.WaitGroup
	const callers, rounds, each = 4, 50, 3
	for range callers {
		all.Go(func() {
			for round := range rounds {
				var wait sync.WaitGroup
				for range each {
					wait.Add(1)
					Go(func() { ran.Add(1); wait.Done() })
				}
				wait.Wait()
				if round%10 == 0 {
					time.Sleep(3 * spinTime)
				}
			}
		})
	}
	all.Wait()
	if ran.Load() != callers*rounds*each {
		t.Errorf("%d functions ran, of %d", ran.Load(), callers*rounds*each)
	}
}

// TestFunctionsRunAtTheSameTime: each waits for the other.
func TestFunctionsRunAtTheSameTime(t *testing.T) {
	var met, both sync.WaitGroup
	met.Add(2)
	for range 2 {
		both.Add(1)
		Go(func() {
			met.Done()
			met.Wait()
			both.Done()
		})
	}
	both.Wait()
}

// TestFewThreadsStay: those of a burst end.
func TestFewThreadsStay(t *testing.T) {
	before := runtime.NumGoroutine()
	var wait sync.WaitGroup
	for range 100 {
		wait.Add(1)
		Go(wait.Done)
	}
	wait.Wait()
	limit := before + runtime.GOMAXPROCS(0)
	for range 1000 {
		if runtime.NumGoroutine() <= limit {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines; %d before, and %d processors", runtime.NumGoroutine(), before, runtime.GOMAXPROCS(0))
}
