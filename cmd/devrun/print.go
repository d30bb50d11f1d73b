package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// shown is the number of values of a buffer that are printed: a terminal's screen, not a
// million numbers. JSON and --out have all.
const shown = 64

// printBuffer prints "arg0: 1 2 3", cut after 64 values.
func printBuffer(w io.Writer, id bufferID, s *spec) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%v:", id)
	n := len(s.data) / s.elem.size
	for i := range min(n, shown) {
		b.WriteString(" " + formatValue(s.elem.decodeValue(s.data[i*s.elem.size:])))
	}
	if n > shown {
		fmt.Fprintf(&b, " ... (%d values; --out %s=FILE writes all)", n, id.outName())
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}

// formatValue prints floating-point numbers in the fewest digits that identify them.
func formatValue(v any) string {
	switch v := v.(type) {
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// launchReport is the output of launch --json.
type launchReport struct {
	Kernel  string         `json:"kernel"`
	Device  string         `json:"device"`
	Images  []string       `json:"images"` // that of the kernel first
	Global  []int          `json:"global"`
	Local   []int          `json:"local,omitempty"`
	Buffers []bufferReport `json:"buffers"`
}

// bufferReport is a buffer that was an argument, or one of --buffer.
type bufferReport struct {
	Arg    *int   `json:"arg,omitempty"`
	Buffer *int   `json:"buffer,omitempty"`
	Type   string `json:"type"`
	Values []any  `json:"values"`
}

// jsonValues returns the values, those that JSON has no number for as text.
func jsonValues(s *spec) []any {
	values := make([]any, 0, len(s.data)/s.elem.size)
	for at := 0; at < len(s.data); at += s.elem.size {
		v := s.elem.decodeValue(s.data[at:])
		if f, ok := asFloat(v); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = formatValue(v)
		}
		values = append(values, v)
	}
	return values
}

func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float32:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
