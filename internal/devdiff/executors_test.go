package main

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestSameNumbers(t *testing.T) {
	floats := func(bits ...uint32) (data []byte) {
		for _, b := range bits {
			data = binary.LittleEndian.AppendUint32(data, b)
		}
		return data
	}
	double := func(bits uint64) []byte { return binary.LittleEndian.AppendUint64(nil, bits) }
	for _, test := range []struct {
		name string
		a, b []byte
		same bool
	}{
		{"equal", floats(1, 2), floats(1, 2), true},
		{"signs of zero", floats(0, 0), floats(0, 1<<31), false},
		{"a NaN of each sign", floats(1, 0x7fc00000), floats(1, 0xffc00000), true},
		{"a NaN and another number", floats(0x7fc00000, 1), floats(0xffc00000, 2), false},
		{"a NaN and an infinity", floats(0x7fc00000), floats(0x7f800000), false},
		{"doubles", double(math.Float64bits(math.NaN())), double(math.Float64bits(math.NaN()) | 1<<63), true},
		{"a double and an infinity", double(math.Float64bits(math.NaN())), double(math.Float64bits(math.Inf(1))), false},
		{"bytes", []byte{1, 2, 3}, []byte{1, 2, 4}, false},
	} {
		if got := sameNumbers(test.a, test.b); got != test.same {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
