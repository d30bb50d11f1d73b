package irtext_test

import (
	"os"
	"path/filepath"
	"testing"

	"offlink/ir"
	"offlink/ir/irtext"
)

// readAll decodes everything that a module's bodies and initialisers hold.
func readAll(t *testing.T, m *ir.Module) (instructions int) {
	t.Helper()
	r := m.Source.(ir.BodySource).NewBodyReader()
	var body ir.Body
	for i := range m.Values {
		id, v := ir.ValueID(i), &m.Values[i]
		if _, err := r.ReadHeader(id); err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		switch {
		case v.Declaration:
		case v.Kind == ir.Function:
			if err := r.ReadBody(id, &body); err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
			checkBody(t, v.Name, &body)
			instructions += len(body.Instructions)
		default:
			if _, err := r.ReadInitializer(id, new(ir.ConstantPool)); err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
		}
	}
	return instructions
}

// checkBody checks that the operands are there and that every block ends in a
// terminator.
func checkBody(t *testing.T, name string, b *ir.Body) {
	t.Helper()
	limits := map[ir.ValueKind]int{
		ir.ValueArgument: len(b.ArgumentTypes), ir.ValueInstruction: len(b.Instructions), ir.ValueConstant: len(b.Constants.Nodes),
		ir.ValueBlock: len(b.Blocks), ir.ValueMetadata: len(b.Metadata), ir.ValueGlobal: 1 << 30,
	}
	for i := range b.Instructions {
		in := &b.Instructions[i]
		for _, o := range in.Operands {
			if limit, known := limits[o.Kind]; (!known || int(o.Index) >= limit) && o.Kind != ir.ValueNone {
				t.Fatalf("%s: instruction %d (%v): operand %+v", name, i, in.Op, o)
			}
		}
	}
	for i := range b.Blocks {
		if !b.Terminator(i).Op.IsTerminator() {
			t.Fatalf("%s: block %d ends in %v", name, i, b.Terminator(i).Op)
		}
	}
}

func TestBodiesOfCorpus(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/whole/*.ll", "../../testdata/sycl/*/*/ir.ll"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	decoded := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := irtext.Parse(path, data)
		if err != nil {
			continue // inputs of tests of errors
		}
		decoded += readAll(t, m)
	}
	if decoded < 1000 {
		t.Errorf("decoded %d instructions of %d files", decoded, len(files))
	}
}
