// Package docs holds the README to the output of the programs.
package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"

	"github.com/google/go-cmp/cmp"
)

// step is one command of the README's tour and its output.
type step struct{ command, output string }

// tour returns the commands of the indented blocks that begin with "$ ". A
// command goes on after a backslash at the end of a line.
func tour(text string) []step {
	var steps []step
	continued, printing := false, false
	for line := range strings.Lines(text) {
		line, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch last := len(steps) - 1; {
		case !indented:
			continued, printing = false, false
		case isCommand:
			steps = append(steps, step{command: command})
			printing = true
			continued = strings.HasSuffix(line, `\`)
		case !printing: // a block that is not run
		case continued:
			steps[last].command += "\n" + line
			continued = strings.HasSuffix(line, `\`)
		default:
			steps[last].output += line + "\n"
		}
	}
	return steps
}

// TestTour runs the README's tour in one shell session's folders and compares
// the output of each command. It needs the programs and libraries in bin.
func TestTour(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, need := range []string{"bin/postlink", "bin/libofflink-core.so"} {
		if _, err := os.Stat(filepath.Join(root, need)); err != nil {
			testtool.Missing(t, fmt.Errorf("%w: make build first", err))
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	steps := tour(string(readme))
	if len(steps) < 10 {
		t.Fatalf("the README has %d commands with output; did its form change?", len(steps))
	}
	dir := root
	for _, s := range steps {
		if folder, ok := strings.CutPrefix(s.command, "cd "); ok {
			folder, _, _ = strings.Cut(folder, " && ")
			dir = filepath.Join(dir, folder)
			s.command = "mkdir -p build"
		}
		checkStep(t, root, dir, s)
	}
}

// checkStep runs a command in a folder and compares its output with the page.
func checkStep(t *testing.T, root, dir string, s step) {
	t.Helper()
	cmd := exec.Command("bash", "-c", s.command)
	cmd.Dir = dir
	// Without MAKELEVEL a make of the tour is not one inside "make test".
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"), "MAKELEVEL=", "MAKEFLAGS=", "MFLAGS=")
	got, _ := cmd.CombinedOutput() // one step of the tour fails on purpose
	if diff := cmp.Diff(s.output, string(got)); diff != "" {
		t.Errorf("$ %s (-page +now):\n%s", s.command, diff)
	}
}

// kernelPages are the pages whose first block of C is a file of kernels that the commands
// after it name.
var kernelPages = map[string]string{"checked-mode.md": "k.cl", "devrun.md": "gather.cl"}

// TestKernelPages runs the commands about the file of kernels that a page shows.
func TestKernelPages(t *testing.T) {
	testtool.Need(t, "clang-19")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "bin/devrun")); err != nil {
		testtool.Missing(t, fmt.Errorf("%w: make build first", err))
	}
	for page, source := range kernelPages {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, "docs", page))
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(text), "```c\n")
			code, rest, _ := strings.Cut(rest, "```\n")
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, source), []byte(code), 0o666); err != nil {
				t.Fatal(err)
			}
			count := 0
			for _, s := range tour(rest) {
				if strings.Contains(s.command, strings.TrimSuffix(source, ".cl")+".") {
					count++
					checkStep(t, root, dir, s)
				}
			}
			if count != 2 {
				t.Errorf("%d commands; want one that compiles %s and one that launches it", count, source)
			}
		})
	}
}
