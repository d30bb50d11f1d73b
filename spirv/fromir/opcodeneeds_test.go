package fromir

import (
	"strings"
	"testing"

	"offlink/spirv"
)

// TestNeedRows holds that every instruction of the table is one of the grammar, and
// stands in one row: a misspelt name would give its needs to none.
func TestNeedRows(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range needRows {
		for name := range strings.FieldsSeq(row.names) {
			whole := row.opcodeName(name)
			if spirv.OpcodeByName(whole) == spirv.OpNop {
				t.Errorf("the grammar does not have %s", whole)
			}
			if seen[whole] {
				t.Errorf("%s stands in two rows", whole)
			}
			seen[whole] = true
		}
	}
}
