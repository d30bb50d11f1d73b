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

// The first pass does not know the types of operands, so a body can ask for the
// type of a result that there is none of.
func TestTypesOfHostileBodies(t *testing.T) {
	for _, c := range []struct{ name, instruction, want string }{
		{"address of a label", "getelementptr i8, label %e, i64 0", "x.ll:3:3: function f: getelementptr: the type of an address is not known"},
		{"address of a number", "getelementptr i8, i32 %n, i64 0", "x.ll:3:3: function f: getelementptr: getelementptr on a value that is not a pointer"},
		{"shuffle of numbers", "shufflevector i32 %n, i32 %n, <1 x i32> zeroinitializer", "x.ll:3:3: function f: shufflevector: shufflevector of a value that is not a vector"},
		{"mask of addresses", "shufflevector <1 x i32> %v, <1 x i32> %v, <1 x ptr> <ptr @f>", "x.ll:3:3: function f: shufflevector: the mask of a shufflevector is not a constant vector"},
		{"mask that is computed", "shufflevector <1 x i32> %v, <1 x i32> %v, <1 x i32> %v", "x.ll:3:3: function f: shufflevector: the mask of a shufflevector is not a constant vector"},
		{"element of a number", "extractvalue i32 %n, 0", "x.ll:3:3: function f: extractvalue: index 0 into a type that has no such element"},
		{"member that a struct lacks", "extractvalue {i32, i8} zeroinitializer, 2", "x.ll:3:3: function f: extractvalue: index 2 into a type that has no such element"},
	} {
		m, err := irtext.Parse("x.ll", []byte("define void @f(i32 %n, <1 x i32> %v) {\ne:\n  %r = "+c.instruction+"\n  ret void\n}\n"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		err = m.Source.(ir.BodySource).NewBodyReader().ReadBody(0, new(ir.Body))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
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

// A module is one of typed pointers even if only a body has any: the address that an alloca gives
// has the type that its uses state.
func TestTypedPointersOfBodies(t *testing.T) {
	m, err := irtext.Parse("typed.ll", []byte(`define i32 @f() {
  %slot = alloca i32
  %bytes = bitcast i32* %slot to i8*
  store i8 1, i8* %bytes
  %value = load i32, i32* %slot
  ret i32 %value
}
`))
	if err != nil {
		t.Fatal(err)
	}
	if n := readAll(t, m); n != 5 {
		t.Errorf("%d instructions, want 5", n)
	}
}
