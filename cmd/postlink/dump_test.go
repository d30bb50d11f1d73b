package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/cmd/internal/cli"
)

// TestDump compares the listings of modules with recorded ones: bitcode of
// two versions of LLVM, and text.
func TestDump(t *testing.T) {
	for _, input := range []string{
		"../../ir/bitcode/testdata/spec14.bc",
		"../../ir/bitcode/testdata/spec19.bc",
		"testdata/dump/text.ll",
	} {
		for _, option := range []string{"", "--json"} {
			args := []string{"dump", input}
			if option != "" {
				args = append(args, option)
			}
			var out, errs bytes.Buffer
			if code := run(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 {
				t.Fatalf("%v: exit code %d: %s", args, code, &errs)
			}
			want := filepath.Join("testdata/dump", filepath.Base(input)+option+".want")
			if *update {
				if err := os.WriteFile(want, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			recorded, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(recorded), out.String()); diff != "" {
				t.Errorf("%v (-want +got):\n%s", args, diff)
			}
		}
	}
}

// Input other than a module is refused with the place of the fault.
func TestDumpRefuses(t *testing.T) {
	for content, want := range map[string]string{
		"BC\xc0\xde": "holds no module",
		"BC\xc0\xde\xff\xff garbage of more than eight bytes": "bit ",
		"define void": ":1:",
	} {
		var errs bytes.Buffer
		code := run([]string{"dump", "-"}, cli.Streams{In: strings.NewReader(content), Out: &bytes.Buffer{}, Err: &errs})
		if code != 1 || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: exit code %d, %q; want 1 and %q", content, code, &errs, want)
		}
	}
}
