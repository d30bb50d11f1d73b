package irtext_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"offlink/internal/irgen"
	"offlink/ir"
	"offlink/ir/irtext"
)

// FuzzParse holds the reader and writer to this: an input is refused with an
// error, or its output, whole or in partitions, is read again with the
// same values.
func FuzzParse(f *testing.F) {
	for _, in := range goldenInputs(f) {
		f.Add(in.data)
	}
	paths, _ := filepath.Glob("testdata/whole/*.ll")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(specModule))
	f.Add([]byte(slotModule(storeAndLoad)))
	f.Add(generated(f, irgen.Config{Kernels: 2, Debug: true}))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := irtext.Parse("in.ll", data)
		if err != nil {
			return
		}
		decodeAll(m)
		checkAgain(t, whole(m))
		if len(m.Values) < 100 {
			checkAgain(t, randomPartition(m, uint64(len(data))))
		}
	})
}

// decodeAll decodes all lazy parts; errors are allowed.
func decodeAll(m *ir.Module) {
	all := make(map[ir.ValueID]bool)
	for i := range m.Values {
		all[ir.ValueID(i)] = true
	}
	for i := range m.Values {
		m.Initializer(ir.ValueID(i))
		if calls, err := ir.FindCalls(m, ir.ValueID(i), all); err == nil && len(calls) > 0 {
			ir.RefsWithoutCalls(m, ir.ValueID(i), []int{calls[0].Number})
		}
		m.Source.ElementRefs(ir.ValueID(i), []int{0, 1})
	}
	for i := range m.Nodes.Len() {
		m.Source.Operands(ir.NodeID(i))
	}
}

func checkAgain(t *testing.T, s *ir.Partition) {
	var out bytes.Buffer
	if err := s.Module.Source.NewWriter().WritePartition(&out, s); err != nil {
		t.Fatalf("WritePartition() = %v", err)
	}
	again, err := irtext.Parse("out.ll", out.Bytes())
	if err != nil {
		t.Fatalf("the output does not read again: %v\n%s", err, out.Bytes())
	}
	for _, id := range append(s.Declarations, s.Definitions...) {
		v := &s.Module.Values[id]
		if v.Name == "" || s.Edits[id] != nil && s.Edits[id].KeepElements != nil {
			continue
		}
		if other, ok := again.Lookup(v.Name); !ok || again.Values[other].Kind != v.Kind {
			t.Fatalf("@%s is missing in the output:\n%s", v.Name, out.Bytes())
		}
	}
}
