package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLineEnds runs the cases of testdata/postlink that read text with the three line
// ends that LLVM takes, also where they end a comment: outputs differ in them
// alone.
func TestLineEnds(t *testing.T) {
	for _, archive := range goldenArchives(t) {
		t.Run(archive.name, func(t *testing.T) {
			for _, c := range goldenCases(archive.Archive) {
				if c.want["prep"] != nil || string(c.want["exit"].Data) != "0\n" {
					continue // another form, or a message with a place
				}
				want := c.withLineEnds("\n").outputs(t)
				for _, end := range []string{"\r\n", "\r"} {
					got := c.withLineEnds(end).outputs(t)
					for name := range want {
						if !bytes.Equal(got[name], want[name]) {
							t.Errorf("%s with %q: %s:\n%s\nwant\n%s", c.name, end, name, got[name], want[name])
						}
					}
				}
			}
		})
	}
}

// withLineEnds returns the case with a comment at the end of each line of its
// inputs that ends in a brace or bracket, and with other line ends.
func (c *goldenCase) withLineEnds(end string) *goldenCase {
	made := *c
	made.inputs = map[string][]byte{}
	for name, data := range c.inputs {
		for _, last := range []string{"{", "}", "]"} {
			data = bytes.ReplaceAll(data, []byte(last+"\n"), []byte(last+" ; a comment: call void @none() }\n"))
		}
		made.inputs[name] = bytes.ReplaceAll(data, []byte("\n"), []byte(end))
	}
	return &made
}

// outputs runs the case in this process and returns its files, with line feeds and
// without empty lines.
func (c *goldenCase) outputs(t *testing.T) map[string][]byte {
	o := c.execute(t, runHere)
	for _, path := range o.modules {
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(readFile(t, path)))
		lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
		o.files[filepath.Base(path)] = []byte(strings.Join(lines, "\n"))
	}
	return o.files
}
