package half_test

import (
	"fmt"

	"offlink/runtime/hostdev/internal/half"
)

// 2049 has one bit more than a half keeps.
func ExampleFromFloat() {
	for _, mode := range []half.Rounding{half.Even, half.Zero, half.Up, half.Down} {
		h := half.FromFloat(-2049, mode)
		fmt.Printf("%#04x %v\n", h, half.ToFloat(h))
	}
	// Output:
	// 0xe800 -2048
	// 0xe800 -2048
	// 0xe800 -2048
	// 0xe801 -2050
}
