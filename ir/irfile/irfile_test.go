package irfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/ir/irfile"
)

const module = "define void @f() {\n  ret void\n}\n"

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.ll")
	if err := os.WriteFile(path, []byte(module), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := irfile.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Format != irfile.Text || len(f.Module.Values) != 1 || string(f.Data) != module {
		t.Errorf("Open() = %v, %d values, %q", f.Format, len(f.Module.Values), f.Data)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenStdin(t *testing.T) {
	f, err := irfile.Open(irfile.Stdin, strings.NewReader(module))
	if err != nil {
		t.Fatal(err)
	}
	if f.Module.Path != "<stdin>" || len(f.Module.Values) != 1 {
		t.Errorf("Open(-) = path %q, %d values", f.Module.Path, len(f.Module.Values))
	}
}

func TestOpenEmpty(t *testing.T) {
	f, err := irfile.Open(os.DevNull, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Module.Values) != 0 {
		t.Errorf("an empty file has %d values", len(f.Module.Values))
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.ll")
	if err := os.WriteFile(bad, []byte("define void @f() {\n  rot void\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	sparse := filepath.Join(dir, "sparse.ll")
	if err := os.WriteFile(sparse, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 5<<30); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, want string }{
		{bad, "bad.ll:2:3: unknown instruction 'rot'"},
		{dir, "is a directory"},
		{filepath.Join(dir, "none.ll"), "no such file"},
		{sparse, "which is the limit"},
	}
	for _, test := range tests {
		_, err := irfile.Open(test.path, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%s) = %v; want an error with %q", filepath.Base(test.path), err, test.want)
		}
	}
}

func TestSniff(t *testing.T) {
	for data, want := range map[string]irfile.Format{
		"":                           irfile.Text,
		"; ModuleID":                 irfile.Text,
		"BC\xc0\xde\x35\x14\x00\x00": irfile.Bitcode,
	} {
		if got := irfile.Sniff([]byte(data)); got != want {
			t.Errorf("Sniff(%q) = %v; want %v", data, got, want)
		}
	}
	if !bytes.HasPrefix([]byte(irfile.Bitcode.Extension()), []byte(".bc")) {
		t.Errorf("Extension() = %q", irfile.Bitcode.Extension())
	}
}
