package runtime

import (
	"testing"

	"offlink/props"
)

// TestValueSizes: a value may have the padding that its type ends with, which not every
// front end describes, and no more.
func TestValueSizes(t *testing.T) {
	number := props.Uint32s(0, 0, 4)
	pair := props.Uint32s(0, 0, 8, 1, 8, 1)
	const padding = ^uint32(0) // the number of padding
	described := props.Uint32s(0, 0, 8, 1, 8, 1, padding, 9, 7)
	for _, c := range []struct {
		name  string
		value props.Value
		size  int
		ok    bool
	}{
		{"a number", number, 4, true},
		{"a longer number", number, 8, false},
		{"two parts", pair, 9, true},
		{"two parts with padding", pair, 16, true},
		{"two parts in 64 bytes, to which they may be aligned", pair, 64, true},
		{"two parts and 15 bytes", pair, 24, false},
		{"two parts and 11 bytes", pair, 20, false},
		{"described padding", described, 16, true},
		{"more than the described padding", described, 32, false},
	} {
		if err := checkValueSize(c.value, c.size); (err == nil) != c.ok {
			t.Errorf("%s: %d bytes: %v; want success: %v", c.name, c.size, err, c.ok)
		}
	}
}
