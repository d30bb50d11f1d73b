package filetable

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       Table
	}{
		{"title", "[Code|Symbols]\na.bc|a.sym\n", Table{Columns: []string{"Code", "Symbols"}, Rows: [][]string{{"a.bc", "a.sym"}}}},
		{"no title", "a.bc|a.sym\n|b.sym\n", Table{Columns: []string{"0", "1"}, Rows: [][]string{{"a.bc", "a.sym"}, {"", "b.sym"}}}},
		{"no rows", "[Code]\n", Table{Columns: []string{"Code"}, Rows: nil}},
		{"empty file", "", Table{}},
		{"empty lines and no line end", "\n[Code]\n\n\na\nb", Table{Columns: []string{"Code"}, Rows: [][]string{{"a"}, {"b"}}}},
		{"line ends of Windows", "[Code|X]\r\na|b\r\n\r\n", Table{Columns: []string{"Code", "X"}, Rows: [][]string{{"a", "b"}}}},
		{"brackets in later rows", "[Code]\n[a]\n", Table{Columns: []string{"Code"}, Rows: [][]string{{"[a]"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreUnexported(Table{})); diff != "" {
				t.Errorf("Parse(%q) (-want +got)\n%s", tt.text, diff)
			}
		})
	}
}

func TestLine(t *testing.T) {
	table, err := Parse([]byte("\n[Code]\na\n\nb\n"))
	if err != nil || table.Line(0) != 3 || table.Line(1) != 5 || table.Line(2) != 0 {
		t.Errorf("lines %d, %d, %d, %v; want 3, 5, 0", table.Line(0), table.Line(1), table.Line(2), err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"[Code|X\na|b\n", "1: malformed title line: it has no closing ']'"},
		{"[Code|Code]\n", "1: column already exists Code"},
		{"\n[A|B]\na|b\na\n", "4: row size mismatch at line 4: 1 cells, the table has 2 columns"},
		{"a\nb|c\n", "2: row size mismatch at line 2: 2 cells, the table has 1 columns"},
	} {
		got, err := Parse([]byte(tt.text))
		var e *Error
		if !errors.As(err, &e) || got != nil || err.Error() != tt.want {
			t.Errorf("Parse(%q) = %v, %v; want %s", tt.text, got, err, tt.want)
		}
	}
}

func TestCells(t *testing.T) {
	table := &Table{Columns: []string{ColumnSymbols, ColumnCode}, Rows: [][]string{{"a.sym", "a.bc"}}}
	if got := table.Cell(0, ColumnCode); got != "a.bc" {
		t.Errorf("Code = %q", got)
	}
	if got := table.Cell(0, ColumnManifest); got != "" {
		t.Errorf("Manifest = %q, want none", got)
	}
	if table.Column(ColumnSymbols) != 0 || table.Column(ColumnProperties) != -1 {
		t.Errorf("columns of %q are not found where they are", table.Columns)
	}
}

func TestBytes(t *testing.T) {
	table := &Table{Columns: []string{"Code", "Properties"}, Rows: [][]string{{"a b.bc", ""}, {"", "x.prop"}}}
	got, err := table.Bytes()
	if want := "[Code|Properties]\na b.bc|\n|x.prop\n"; err != nil || string(got) != want {
		t.Errorf("Bytes() = %q, %v; want %q", got, err, want)
	}
	for _, tt := range []struct {
		table Table
		want  string
	}{
		{Table{Columns: []string{"Code"}, Rows: [][]string{{"a|b"}}}, `the file name "a|b" has a '|'`},
		{Table{Columns: []string{"Code"}, Rows: [][]string{{"a\nb"}}}, `the file name "a\nb"`},
		{Table{Columns: []string{"Code"}, Rows: [][]string{{""}}}, "a row of one empty cell"},
		{Table{Columns: []string{"Code"}, Rows: [][]string{{"a", "b"}}}, "a row of 2 cells in a table of 1 columns"},
	} {
		if got, err := tt.table.Bytes(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Bytes of %q = %q, %v; want %s", tt.table.Rows, got, err, tt.want)
		}
	}
}

func TestSymbols(t *testing.T) {
	names := []string{"_Z3foov", "\x01bar", "a b|c"}
	text := FormatSymbols(names)
	if want := "_Z3foov\n\x01bar\na b|c\n"; string(text) != want {
		t.Errorf("FormatSymbols = %q, want %q", text, want)
	}
	if diff := cmp.Diff(names, ParseSymbols(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := ParseSymbols([]byte("\n\na\r\nb")); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("ParseSymbols = %q", got)
	}
}

// A table that was read can be written, unless a row has one empty cell, and is
// then read back as the same.
func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("../testdata/wrapper/inputs/three.table")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("a|b\n|\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := Parse(text)
		if err != nil {
			if table != nil {
				t.Fatal("both a table and an error")
			}
			return
		}
		written, err := table.Bytes()
		if err != nil {
			if !strings.Contains(string(text), "\r") {
				t.Fatalf("what was read cannot be written: %v", err)
			}
			return
		}
		back, err := Parse(written)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if len(table.Columns) > 0 && !cmp.Equal(table, back, cmpopts.IgnoreUnexported(Table{})) {
			t.Fatalf("%q became %q", table.Rows, back.Rows)
		}
	})
}
