package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/split"
)

// inspection is shared by plan and why: a module and the options of its split.
type inspection struct {
	options
	dependencies string
	json         bool
}

// addFlags adds the options that decide about the content of images, with the
// names of the drop-in command line.
func (i *inspection) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&i.split.OnlyKernels, "emit-only-kernels-as-entry-points", false, "exported functions are not entry points")
	f.BoolVar(&i.split.SeparateESIMD, "split-esimd", false, "put ESIMD and other code into separate images")
	f.StringVar(&i.dependencies, "device-image-dependencies", "none", "functions that images leave to others: `WHICH` is none, externals or all")
	f.IntVarP(&i.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "examine `N` images at the same time")
	f.BoolVar(&i.json, "json", false, "print JSON")
}

// parseWords sets the options that are spelled as words, and checks --jobs.
func (i *inspection) parseWords() (err error) {
	if i.split.Dependencies, err = split.ParseDependencies(i.dependencies); err != nil {
		return cli.Usagef("%w", err)
	}
	if i.jobs < 1 {
		return cli.Usagef("--jobs %d: want at least 1", i.jobs)
	}
	return nil
}

// exactArgs is cobra.ExactArgs with the exit code of bad usage.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return cli.Usagef("%s wants %s, got %s; see '%s %s --help'", c.Name(), strings.Join(names, " "), countArguments(args), program, c.Name())
		}
		return nil
	}
}

func countArguments(args []string) string {
	switch len(args) {
	case 0:
		return "nothing"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", len(args))
}
