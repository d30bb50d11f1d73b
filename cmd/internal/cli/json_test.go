package cli

import (
	"strings"
	"testing"
)

// Strings that differ are different in JSON, whatever bytes they have.
func TestWriteJSONInvalid(t *testing.T) {
	type inner struct {
		Name   string            `json:"name"`
		List   []string          `json:"list"`
		Map    map[string]string `json:"map,omitempty"`
		Any    any               `json:"any,omitempty"`
		hidden string
	}
	n := 3
	value := []*struct {
		inner
		In     inner   `json:"in"`
		Number *int    `json:"number"`
		Array  [1]bool `json:"array"`
		None   []int   `json:"none"`
	}{{inner{"a\xff", []string{"a\xfe", "valid: <é>"}, map[string]string{"k\xc3": "\xe2\x82"}, any("\xff"), "\xff"}, inner{Name: "a\ufffdff"}, &n, [1]bool{true}, nil}}
	var got strings.Builder
	if err := WriteJSON(&got, value); err != nil {
		t.Fatal(err)
	}
	want := `[
  {
    "name": "a` + replacement + `ff",
    "list": [
      "a` + replacement + `fe",
      "valid: <é>"
    ],
    "map": {
      "k` + replacement + `c3": "` + replacement + `e2` + replacement + `82"
    },
    "any": "` + replacement + `ff",
    "in": {
      "name": "a` + replacement + `ef` + replacement + `bf` + replacement + `bdff",
      "list": null
    },
    "number": 3,
    "array": [
      true
    ],
    "none": null
  }
]
`
	if got.String() != want {
		t.Errorf("%s\nwant\n%s", &got, want)
	}
	if value[0].Name != "a\xff" || value[0].hidden != "\xff" {
		t.Error("the value was changed")
	}
}
