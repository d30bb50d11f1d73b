package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlagSetKeepsOrder(t *testing.T) {
	var got []string
	note := func(what string) func(string) error {
		return func(v string) error { got = append(got, what+v); return nil }
	}
	s := &FlagSet{Program: "x", Input: note("in:"), Flags: []Flag{
		{Name: "target", Value: "T", Set: note("target:")},
		{Name: "S", Set: note("S:")},
	}}
	args := []string{"-target=a", "one", "--target", "b", "-S", "--S=false", "-", "--", "-S"}
	if err := s.Parse(args); err != nil {
		t.Fatal(err)
	}
	want := []string{"target:a", "in:one", "target:b", "S:true", "S:false", "in:-", "in:-S"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFlagSetRefuses(t *testing.T) {
	s := &FlagSet{Program: "x", Flags: []Flag{
		{Name: "o", Value: "F", Set: func(string) error { return nil }},
		{Name: "S", Set: func(string) error { return nil }},
	}}
	for _, args := range [][]string{{"-nope"}, {"-o"}, {"-S=maybe"}} {
		var usage *UsageError
		if err := s.Parse(args); !errors.As(err, &usage) {
			t.Errorf("Parse(%q) = %v; want a UsageError", args, err)
		}
	}
}

func TestExpandResponseFiles(t *testing.T) {
	dir := t.TempDir()
	inner, outer, ring := filepath.Join(dir, "i"), filepath.Join(dir, "o"), filepath.Join(dir, "r")
	write(t, inner, `'c d' e\ f`)
	write(t, outer, "-a \"b\"\n@"+inner+" ''")
	write(t, ring, "@"+ring)
	got, err := ExpandResponseFiles([]string{"x", "@" + outer, "@missing"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x", "-a", "b", "c d", "e f", "", "@missing"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := ExpandResponseFiles([]string{"@" + ring}); err == nil {
		t.Error("a file that names itself was accepted")
	}
}

// TestResponseFileText: the encodings of response files, and backslashes between quotes, which
// LLVM's tools take away in both kinds.
func TestResponseFileText(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "r")
	for _, test := range []struct {
		text string
		want []string
	}{
		{"\ufeff-a b", []string{"-a", "b"}},
		{"\xff\xfe-\x00a\x00 \x00\xe9\x00", []string{"-a", "\u00e9"}},
		{"\xfe\xff\x00-\x00a\x00\r\x00\n\x00b", []string{"-a", "b"}},
		{`'a\b' "c\"d" e\\f \`, []string{"ab", `c"d`, `e\f`, `\`}},
	} {
		write(t, name, test.text)
		got, err := ExpandResponseFiles([]string{"@" + name})
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", test.text, err, diff)
		}
	}
	write(t, name, "\xff\xfe-")
	if _, err := ExpandResponseFiles([]string{"@" + name}); err == nil {
		t.Error("half a number of UTF-16 was accepted")
	}
}

func TestOutputsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	var o Outputs
	if err := o.WriteLast(filepath.Join(dir, "table"), []byte("t")); err != nil {
		t.Fatal(err)
	}
	if err := o.WriteFile(filepath.Join(dir, "a"), []byte("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("a has its name before Commit")
	}
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	o.Abort()
	if got := names(t, dir); !cmp.Equal(got, []string{"a", "table"}) {
		t.Errorf("after Commit: %q", got)
	}
}

func TestOutputsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	var o Outputs
	target := filepath.Join(dir, "folder")
	for _, path := range []string{filepath.Join(dir, "a"), target} {
		if err := o.WriteFile(path, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(target, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); err == nil {
		t.Error("a file was renamed over a folder")
	}
	if got := names(t, dir); !cmp.Equal(got, []string{"folder"}) {
		t.Errorf("after a failed Commit: %q", got)
	}
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{nil, 0, ""},
		{errors.New("broken"), 1, "tool: broken\n"},
		{Usagef("what is %s", "this"), 2, "tool: what is this\n"},
		{&ExitError{Code: 1}, 1, ""},
	} {
		var b bytes.Buffer
		code := Streams{Err: &b}.Report("tool", c.err)
		if code != c.code || b.String() != c.text {
			t.Errorf("Report(%v) = %d, %q; want %d, %q", c.err, code, b.String(), c.code, c.text)
		}
	}
}

// The program says what to do about an error of a package that does not know its options.
func TestReportRemedy(t *testing.T) {
	full := errors.New("full")
	var b bytes.Buffer
	s := Streams{Err: &b, Remedy: func(err error) string {
		if errors.Is(err, full) {
			return "use -more"
		}
		return ""
	}}
	s.Report("tool", fmt.Errorf("x: %w", full))
	s.Report("tool", errors.New("broken"))
	if want := "tool: x: full: use -more\ntool: broken\n"; b.String() != want {
		t.Errorf("said %q, want %q", b.String(), want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
