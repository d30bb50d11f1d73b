package parallel_test

import (
	"fmt"

	"offlink/parallel"
)

// Each goroutine has a buffer of its own, which it uses for all its numbers.
func ExampleForEach() {
	squares := make([]string, 5)
	err := parallel.ForEach(len(squares), 2, func() func(i int) error {
		var buffer []byte
		return func(i int) error {
			buffer = fmt.Append(buffer[:0], i*i)
			squares[i] = string(buffer)
			return nil
		}
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}
