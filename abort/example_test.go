package abort_test

import (
	"errors"
	"fmt"

	"offlink/abort"
)

// digits reads a list such as (1(23)4) and stops at the first byte that it does not
// know, however deep in the recursion that is.
func digits(text string, at int) (sum, end int) {
	for at++; text[at] != ')'; at++ {
		switch c := text[at]; {
		case c == '(':
			var inner int
			inner, at = digits(text, at)
			sum += inner
		case c >= '0' && c <= '9':
			sum += int(c - '0')
		default:
			abort.With(errors.New("unknown byte " + string(c)))
		}
	}
	return sum, at
}

func ExampleCatch() {
	for _, text := range []string{"(1(23)4)", "(1(2x)4)"} {
		var sum int
		err := abort.Catch(func() { sum, _ = digits(text, 0) })
		fmt.Println(sum, err)
	}
	// Output:
	// 10 <nil>
	// 0 unknown byte x
}
