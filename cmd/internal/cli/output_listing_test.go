package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of many outputs in a folder each that is there keeps its permissions, is refused
// if it must not be written, and is not lost as an input.
func TestOutputsInListedFolder(t *testing.T) {
	dir := t.TempDir()
	secret, input := filepath.Join(dir, "secret"), filepath.Join(dir, "input")
	write(t, secret, "old")
	write(t, input, "module")
	if err := os.Chmod(secret, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var o Outputs
	defer o.Abort()
	o.ProtectInputs(input)
	for i := range 2 * listingFrom {
		if err := o.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d", i)), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if !o.listings.knowsFree(filepath.Join(dir, "none")) {
		t.Error("the folder is not listed")
	}
	for _, name := range []string{"secret", "SECRET", "link", "caf\u00e9", "secre~1", "secret.", "..", "."} {
		if o.listings.knowsFree(filepath.Join(dir) + "/" + name) {
			t.Errorf("%s: known to be free", name)
		}
	}
	if err := o.WriteFile(input, nil); err == nil || !strings.Contains(err.Error(), "is the input") {
		t.Errorf("an input: %v", err)
	}
	if err := o.WriteFile(filepath.Join(dir, "file40"), nil); err == nil || !strings.Contains(err.Error(), "two outputs") {
		t.Errorf("a name of an output: %v", err)
	}
	for _, name := range []string{"secret", "link"} {
		if err := o.WriteFile(filepath.Join(dir, name), []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, secret, "new")
	wantContent(t, filepath.Join(dir, "elsewhere"), "new")
	wantContent(t, filepath.Join(dir, "file63"), "x")
	if info, err := os.Stat(secret); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A folder with a name of which a file system may have other spellings is asked.
func TestListingOfOddNames(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "caf\u00e9"), "")
	var l folderListings
	for range 2 * listingFrom {
		if l.knowsFree(filepath.Join(dir, "none")) {
			t.Fatal("known to be free")
		}
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
}
