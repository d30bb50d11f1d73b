package parallel

import (
	"fmt"
	"sync/atomic"
	"testing"
)

func TestForEach(t *testing.T) {
	for _, jobs := range []int{1, 2, 7, 100} {
		var workers, sum atomic.Int64
		err := ForEach(50, jobs, func() func(int) error {
			workers.Add(1)
			return func(i int) error {
				sum.Add(int64(i))
				return nil
			}
		})
		if err != nil || sum.Load() != 50*49/2 || workers.Load() > int64(min(jobs, 50)) {
			t.Errorf("%d jobs: sum %d, %d workers, %v", jobs, sum.Load(), workers.Load(), err)
		}
	}
}

// The error of the lowest number is returned whatever the number of jobs.
func TestForEachError(t *testing.T) {
	for _, jobs := range []int{1, 2, 8} {
		for range 50 {
			err := ForEach(40, jobs, func() func(int) error {
				return func(i int) error {
					if i%10 == 7 {
						return fmt.Errorf("number %d", i)
					}
					return nil
				}
			})
			if err == nil || err.Error() != "number 7" {
				t.Fatalf("%d jobs: %v", jobs, err)
			}
		}
	}
}
