package spirv

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const twiceSource = `
static __constant int table[4] = {1, 2, 3, 4};
int other(int i);
struct pair { int a; float b; };
int twice(int i) {
  struct pair p = {i, 2.0f};
  for (int n = 0; n < i; n++)
    p.a += table[n & 3] * other(n);
  return p.a + (int)p.b;
}
`

func TestSameDefinition(t *testing.T) {
	base := compileText(t, twiceSource)
	for _, c := range []struct {
		name, text string
		options    []string
		want       bool
	}{
		{"itself", twiceSource, nil, true},
		{"more around it", "float before(float x) { return x * 3; }\n" + twiceSource + "__kernel void k(__global int *p) { *p = twice(1); }", nil, true},
		{"with debug lines", twiceSource, []string{"-g"}, true},
		{"another constant", replaced(t, "2.0f", "3.0f"), nil, false},
		{"another instruction", replaced(t, "p.a +=", "p.a -="), nil, false},
		{"another table", replaced(t, "3, 4}", "3, 5}"), nil, false},
		{"another callee", replaced(t, "other", "another"), nil, false},
		{"another type", replaced(t, "float b", "double b"), nil, false},
		{"no definition", "int twice(int i); int f(int i) { return twice(i); }", nil, false},
	} {
		m := compileText(t, c.text, c.options...)
		if got := SameDefinition(base, m, "twice"); got != c.want {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
		if got := SameDefinition(m, base, "twice"); got != c.want {
			t.Errorf("%s, the other way: %v; want %v", c.name, got, c.want)
		}
	}
}

func replaced(t *testing.T, old, new string) string {
	t.Helper()
	text := bytes.ReplaceAll([]byte(twiceSource), []byte(old), []byte(new))
	if string(text) == twiceSource {
		t.Fatalf("%q is not in the source", old)
	}
	return string(text)
}

func TestSameVariable(t *testing.T) {
	define := func(text string) *Module { return compileText(t, "__constant int v[2] = {"+text+"};") }
	one := define("1, 2")
	if !SameDefinition(one, define("1, 2"), "v") {
		t.Error("equal variables differ")
	}
	if SameDefinition(one, define("1, 3"), "v") {
		t.Error("variables with other values are equal")
	}
}

func TestTrim(t *testing.T) {
	m := compileText(t, twiceSource+`
__constant int limit = 7;
int hidden(int i) { return i + limit; }
__kernel void k(__global int *p) { *p = twice(hidden(*p)); }
__kernel void gone(__global int *p) { *p = 0; }
`)
	before := m.Bytes()
	got, err := m.Trim(Trim{Import: []string{"twice", "limit", "nobody"}, Hide: []string{"hidden"}, Kernels: []string{"gone"}})
	if err != nil {
		t.Fatal(err)
	}
	checkLinked(t, got)
	if !bytes.Equal(before, m.Bytes()) {
		t.Error("the module itself was changed")
	}
	if diff := cmp.Diff([]string{"limit", "other", "twice"}, symbolNames(got.Imports())); diff != "" {
		t.Errorf("imports: %s", diff)
	}
	if diff := cmp.Diff([]string{"k", "gone"}, symbolNames(got.Exports())); diff != "" {
		t.Errorf("exports: %s", diff)
	}
	if e := got.EntryPoints(); len(e) != 1 || e[0].Name != "k" {
		t.Errorf("entry points: %v", e)
	}
	if text := dumpText(t, got); bytes.Contains([]byte(text), []byte(`OpFMul`)) {
		t.Error("the body of twice is still there")
	}
}

// TestTrimUnnamesKernels: the function of a removed kernel loses its name.
func TestTrimUnnamesKernels(t *testing.T) {
	m := compileText(t, "__kernel void k(__global int *p) { *p = 1; }\n__kernel void gone(__global int *p) { *p = 0; }")
	for _, e := range m.EntryPoints() { // the translator leaves them without names
		name := &Instruction{Op: OpName, Words: appendString([]uint32{uint32(e.Function)}, e.Name)}
		m.sections[sectionDebug] = append(m.sections[sectionDebug], name)
	}
	got, err := m.Trim(Trim{Kernels: []string{"gone"}})
	if err != nil {
		t.Fatal(err)
	}
	checkLinked(t, got)
	for _, e := range m.EntryPoints() {
		if named := got.Name(e.Function) == e.Name; named != (e.Name == "k") {
			t.Errorf("the function of the kernel %s has a name: %v", e.Name, named) // drivers may link by it
		}
	}
}

// TestTrimmedLinks links a trimmed module with the module that defines the
// trimmed symbol.
func TestTrimmedLinks(t *testing.T) {
	withCopy := compileText(t, "int f(int i) { return i + 1; } __kernel void k(__global int *p) { *p = f(*p); }")
	lib := compileText(t, "int f(int i) { return i + 1; }")
	if _, err := Link([]Input{{"a", withCopy}, {"b", lib}}, LinkOptions{}); err == nil {
		t.Fatal("two definitions were linked")
	}
	trimmed, err := withCopy.Trim(Trim{Import: []string{"f"}})
	if err != nil {
		t.Fatal(err)
	}
	linked, err := Link([]Input{{"a", trimmed}, {"b", lib}}, LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkLinked(t, linked)
}

func symbolNames(list []Symbol) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}
