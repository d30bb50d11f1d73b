// Bench prints the cost tables of the project: our programs on generated
// input, each beside a floor measured in the same run, so that the ratios hold
// on a noisy machine. "bench NAME..." prints some of them, "bench all" all, as
// "make bench" does; without a name it prints its usage.
//
// The files are written below TMPDIR; where that is memory (/dev/shm), the
// disk's moods stay out of the figures.
//
// A table is a file here with a function in the list below.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// A table measures and prints one cost table. dir is an empty folder for it.
type table struct {
	name  string
	about string // for the usage
	print func(dir string) error
}

func main() {
	if len(os.Args) > 1 {
		if help, ok := helpers[os.Args[1]]; ok {
			exitOn(help(os.Args[2:]))
			return
		}
	}
	if len(os.Args) == 1 {
		printUsage()
		os.Exit(2)
	}
	exitOn(runTables(os.Args[1:]))
}

// allTables stands for every table.
const allTables = "all"

// printUsage lists the tables: measuring all takes many minutes.
func printUsage() {
	fmt.Fprint(os.Stderr, "usage: bench TABLE...\n\nMeasures and prints cost tables (run it in the root of the repository after make build):\n")
	for _, t := range tables {
		fmt.Fprintf(os.Stderr, "  %-12s %s\n", t.name, t.about)
	}
	fmt.Fprintf(os.Stderr, "  %-12s all of them\n", allTables)
}

// helpers are the tasks for which this program starts itself: work that would
// make this process large.
var helpers = map[string]func(args []string) error{
	"-floor":    runFloor,
	"-generate": runGenerate,
	"-kernels":  runKernels,
}

// runHelper starts this program as a helper and returns its output.
func runHelper(args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	out, err := exec.Command(self, args...).Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, e.Stderr)
	}
	return string(out), err
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func runTables(names []string) error {
	for _, name := range names {
		if name != allTables && !slices.ContainsFunc(tables, func(t table) bool { return t.name == name }) {
			return fmt.Errorf("no table %q; bench without arguments lists them", name)
		}
	}
	for _, t := range tables {
		if !slices.Contains(names, t.name) && !slices.Contains(names, allTables) {
			continue
		}
		if err := printIn(t); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

func printIn(t table) error {
	dir, err := os.MkdirTemp("", "offlink-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return t.print(dir)
}
