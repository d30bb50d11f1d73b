package downgrade

import (
	"testing"

	"offlink/ir/llvmschema"
)

// The table of fields in text and the schema of records agree on the versions
// of the fields that have one name in both.
func TestFieldsAgreeWithSchema(t *testing.T) {
	versions := map[string]int{}
	for _, n := range llvmschema.Nodes {
		for _, f := range n.Fields {
			versions[n.Kind+"."+f.Name] = f.Since
		}
	}
	for _, f := range nodeFields {
		if since, ok := versions[f.node+"."+f.field]; ok && since != f.since {
			t.Errorf("%s of %s: LLVM %d here, %d in the schema", f.field, f.node, f.since, since)
		}
	}
}
