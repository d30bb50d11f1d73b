//go:build linux

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func TestMessage(t *testing.T) {
	_, missing := os.ReadFile("nowhere")
	_, number := strconv.Atoi("12x")
	_, large := strconv.ParseInt("99999999999999999999", 10, 64)
	_, boolean := strconv.ParseBool("maybe")
	for _, c := range []struct {
		err  error
		want string
	}{
		{missing, "nowhere: no such file or directory"},
		{fmt.Errorf("image 3: %w", missing), "image 3: nowhere: no such file or directory"},
		{errors.Join(errors.New("first"), missing), "first\nnowhere: no such file or directory"},
		{os.Rename("nowhere", "there"), "there: no such file or directory"},
		{fmt.Errorf("-j: %w", number), "-j: '12x' is not a number"},
		{large, "'99999999999999999999' is out of range"},
		{boolean, "'maybe' is neither true nor false"},
		{Usagef("%w", number), "'12x' is not a number"},
		{errors.New("plain"), "plain"},
	} {
		if got := Message(c.err); got != c.want {
			t.Errorf("%v: %q; want %q", c.err, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	options := []string{"-split", "-split-esimd", "-symbols", "-spec-const", "-o", "-S", "-json"}
	for word, want := range map[string]string{
		"-spilt": "-split", "--splt": "-split", "split-esmid": "-split-esimd", "-symbol": "-symbols", "jsno": "-json", "sybmols": "-symbols",
		"-x": "", "-nonsense": "", "": "", strings.Repeat("x", 1000): "",
	} {
		if got := Nearest(word, options); got != want {
			t.Errorf("Nearest(%q) = %q; want %q", word, got, want)
		}
	}
}

func TestTypingErrors(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"ab", "abc", 1}, {"abc", "axc", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3}} {
		if got := typingErrors(c.a, c.b, 10); got != c.want {
			t.Errorf("%q, %q: %d; want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestFindName(t *testing.T) {
	names := []string{"_ZTS6VecAdd", "_ZTSN2ns6VecMulE", "_Z4blurPf", "blur", "_Z4fillIiEvT_", "_Z4blurPf"}
	for wanted, want := range map[string]int{
		"_ZTS6VecAdd": 0, "VecAdd": 0, "typeinfo name for VecAdd": 0, "ns::VecMul": 1, "Mul": 1, "blur(float*)": 2, "blur": 3, "_Z4blurPf": 2,
		"fill<int>": 4, "void fill<int>(int)": 4,
	} {
		if got, err := FindName(wanted, "kernel", names); got != want || err != nil {
			t.Errorf("%s: %d, %v; want %d", wanted, got, err, want)
		}
	}
	for wanted, want := range map[string]string{
		"Vec":     "'Vec' is part of several names: VecAdd, ns::VecMul; name one kernel",
		"VecDad":  "there is no kernel VecDad; did you mean 'VecAdd'?",
		"nothing": "there is no kernel nothing", "": "there is no kernel ",
	} {
		if _, err := FindName(wanted, "kernel", names); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", wanted, err, want)
		}
	}
}

func TestReadFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "12345")
	if data, err := ReadFile(path, 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadFile(path, 4); err == nil || err.Error() != path+": it has more than 4 bytes, which is the limit" {
		t.Errorf("%v", err)
	}
	if _, err := ReadFile(path+"x", 4); err == nil || err.Error() != path+"x: no such file or directory" {
		t.Errorf("%v", err)
	}
}

func TestResponseFileIsBounded(t *testing.T) {
	endless := filepath.Join(t.TempDir(), "zero")
	makeNode(t, endless, 1, 5)
	if _, err := ExpandResponseFiles([]string{"@" + endless}); err == nil || !strings.Contains(err.Error(), "which is the limit") {
		t.Errorf("%v", err)
	}
}

func TestCommandErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"--jsno": "unknown option --jsno; did you mean '--json'?; see 'x --help'", "-jsno=3": "unknown option -jsno; did you mean '--json'?; see 'x --help'", "--zzz": "unknown option --zzz; see 'x --help'",
		"--n=4k": "--n: '4k' is not a number; see 'x --help'", "--d=5": "--d: '5' is not a duration: write 10s, 2m, 1h30m; see 'x --help'",
	} {
		c := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
		c.Flags().Bool("json", false, "")
		c.Flags().Int("n", 1, "")
		c.Flags().Duration("d", time.Second, "")
		Style(c)
		c.SetArgs([]string{arg})
		err := c.Execute()
		var b bytes.Buffer
		if code := (Streams{Err: &b}).Report("x", err); code != ExitUsage || b.String() != "x: "+want+"\n" {
			t.Errorf("%s: %d, %q; want %q", arg, code, b.String(), want)
		}
	}
}

func TestMisspeltSubcommand(t *testing.T) {
	s := Subcommands{Program: "x", New: []func(Streams) *cobra.Command{func(Streams) *cobra.Command { return &cobra.Command{Use: "plan FILE"} }}}
	if err := s.Misspelt([]string{"paln", "f"}); err == nil || err.Error() != "there is no command and no file 'paln'; did you mean 'plan'?" {
		t.Errorf("%v", err)
	}
	for _, args := range [][]string{nil, {"paln"}, {"-plan", "x"}, {"in.ll", "x"}} {
		if err := s.Misspelt(args); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}
