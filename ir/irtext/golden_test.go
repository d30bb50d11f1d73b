package irtext_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"offlink/ir"
	"offlink/ir/irtext"
)

// input is a module of the test data.
type input struct {
	name string
	data []byte
}

// goldenInputs returns the modules that the golden files were made from.
func goldenInputs(t testing.TB) (inputs []input) {
	t.Helper()
	archives, err := filepath.Glob("../../testdata/postlink/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if !strings.Contains(f.Name, "/") && strings.HasSuffix(f.Name, ".ll") {
				inputs = append(inputs, input{filepath.Base(path) + "/" + f.Name, f.Data})
			}
		}
	}
	return inputs
}

// syclInputs returns the modules that DPC++ made.
func syclInputs(t testing.TB) (inputs []input) {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/sycl/*/*/*.ll")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, input{strings.TrimPrefix(path, "../../testdata/"), data})
	}
	return inputs
}

// whole returns the partition that has all of a module.
func whole(m *ir.Module) *ir.Partition {
	s := &ir.Partition{Module: m}
	for i := range m.Values {
		if m.Values[i].Declaration {
			s.Declarations = append(s.Declarations, ir.ValueID(i))
		} else {
			s.Definitions = append(s.Definitions, ir.ValueID(i))
		}
	}
	return s
}

func write(t *testing.T, s *ir.Partition) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.Module.Source.NewWriter().WritePartition(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWholeModules(t *testing.T) {
	for _, in := range append(goldenInputs(t), syclInputs(t)...) {
		t.Run(in.name, func(t *testing.T) {
			m, err := irtext.Parse(in.name, in.data)
			if strings.Contains(in.name, "/bad") {
				if _, ok := errors.AsType[*irtext.Error](err); !ok {
					t.Fatalf("Parse() = %v; want an error with its place", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			out := write(t, whole(m))
			sameModule(t, "19", lower19(in.data), lower19(out))
			if strings.HasPrefix(in.name, "sycl/") {
				sameModule(t, "22", in.data, out)
			}
		})
	}
}

// The modules of testdata/whole say in their first line which versions of
// LLVM read them. The output for the whole module is the same to each of
// these, and it reads again.
func TestHandWritten(t *testing.T) {
	paths, err := filepath.Glob("testdata/whole/*.ll")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m, err := irtext.Parse(path, data)
			if err != nil {
				t.Fatal(err)
			}
			out := write(t, whole(m))
			again, err := irtext.Parse("again.ll", out)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if second := write(t, whole(again)); !bytes.Equal(out, second) {
				t.Errorf("written again, the module differs:\n%s", cmp.Diff(string(out), string(second)))
			}
			line, _, _ := strings.Cut(string(data), "\n")
			for _, version := range strings.Fields(strings.TrimPrefix(line, "; accepted by")) {
				if version != "none" {
					sameModule(t, version, data, out)
				}
			}
		})
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// Keywords that are not known hide nothing.
func TestUnknownKeywords(t *testing.T) {
	data, err := os.ReadFile("testdata/whole/future.ll")
	if err != nil {
		t.Fatal(err)
	}
	m, err := irtext.Parse("future.ll", data)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := m.Lookup("n")
	k, _ := m.Lookup("k")
	if v := m.Values[n]; v.Linkage != ir.Internal || !v.Constant {
		t.Errorf("@n is %v, constant %t", v.Linkage, v.Constant)
	}
	if v := &m.Values[k]; v.Linkage != ir.Internal || m.CallingConv(v) != "spir_kernel" {
		t.Errorf("@k is %v %q", v.Linkage, m.CallingConv(v))
	}
	s := whole(m)
	*s.Edit(k) = ir.Edit{SetLinkage: true, Linkage: ir.WeakAny, Add: []ir.Attribute{{Key: "x"}}}
	if want := `define newword weak spir_kernel newattr(5) void @k() "x" {`; !strings.Contains(string(write(t, s)), want) {
		t.Errorf("the output lacks %s", want)
	}
}
