package main

import (
	"slices"
	"testing"
)

func TestSplitOptions(t *testing.T) {
	for _, test := range []struct {
		options string
		want    []string // nil for an error
	}{
		{` -D  A=1	-w `, []string{"-D", "A=1", "-w"}},
		{`-D"A= 3" -I "a b"/c`, []string{"-DA= 3", "-I", "a b/c"}},
		{`-DA='x "y" \z' ""`, []string{`-DA=x "y" \z`, ""}},
		{`-DA=\"text\" -DB=a\ b -DC=\(4\)`, []string{`-DA="text"`, "-DB=a b", "-DC=(4)"}},
		{`-DA="\"t\\\n"`, []string{`-DA="t\\n`}},
		{`-DA="`, nil},
		{`-DA='`, nil},
		{`-DA=\`, nil},
	} {
		got, err := splitOptions(test.options)
		if (err != nil) != (test.want == nil) || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, %v; want %q", test.options, got, err, test.want)
		}
	}
}
