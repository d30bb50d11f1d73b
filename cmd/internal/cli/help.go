package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// Help is the help of a program. All three have one layout: summary, usage,
// commands, options.
type Help struct {
	Program string
	Summary string   // a sentence; more paragraphs may follow it
	Usage   []string // command lines, without the program's name
	// Commands are listed with their arguments.
	Commands []*cobra.Command
	// Options prints the options, each in a line of two columns; nil for none.
	Options func(io.Writer)
}

// Print prints the help.
func (h *Help) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\nUsage:\n", h.Summary)
	for _, line := range h.Usage {
		fmt.Fprintf(w, "  %s %s\n", h.Program, line)
	}
	if len(h.Commands) > 0 {
		fmt.Fprintf(w, "\nCommands:\n")
		width := 0
		for _, c := range h.Commands {
			width = max(width, len(commandLine(c)))
		}
		for _, c := range h.Commands {
			name := commandLine(c)
			for _, line := range wrapWords(c.Short, helpWidth-width-4) {
				fmt.Fprintf(w, "  %-*s  %s\n", width, name, line)
				name = ""
			}
		}
		fmt.Fprintf(w, "\n'%s COMMAND --help' says more about a command.\n", h.Program)
	}
	if h.Options != nil {
		fmt.Fprintf(w, "\nOptions:\n")
		h.Options(w)
	}
}

func commandLine(c *cobra.Command) string {
	use := c.Use
	if len(use) > helpColumn-4 { // with all its options: the name will do
		use = c.Name()
	}
	return use
}

// helpColumn is where the second column of options begins.
const helpColumn = 34

// helpWidth is the width of option lists. It is fixed, as the same command
// prints the same bytes on every terminal.
const helpWidth = 100

// printCommand gives the help of cobra's commands that layout. Flags are those of the
// command and of the ones above it. Cobra's templates could do it, but a program with them
// holds every method of every type that it uses, as a template may name any.
func printCommand(w io.Writer, c *cobra.Command) {
	if about := cmp.Or(c.Long, c.Short); about != "" {
		fmt.Fprintf(w, "%s\n\n", trimRight(about))
	}
	fmt.Fprintf(w, "Usage:\n  %s", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(w, "\n\nExamples:\n%s", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\n\nCommands:")
		for _, inner := range c.Commands() {
			if inner.IsAvailableCommand() {
				fmt.Fprintf(w, "\n  %-*s  %s", inner.NamePadding(), inner.Name(), inner.Short)
			}
		}
		fmt.Fprintf(w, "\n\n'%s COMMAND --help' says more about a command.", c.CommandPath())
	}
	if c.HasAvailableFlags() {
		fmt.Fprintf(w, "\n\nOptions:\n%s", trimRight(c.Flags().FlagUsagesWrapped(helpWidth)))
	}
	fmt.Fprintln(w)
}

func trimRight(text string) string { return strings.TrimRightFunc(text, unicode.IsSpace) }

// Style gives a command tree, once it is complete, the programs' layout of help
// and wording of errors.
func Style(root *cobra.Command) {
	// Streams.Report reports a failure to write.
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		c.InheritedFlags() // which also makes those of the commands above its own
		printCommand(c.OutOrStdout(), c)
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		c.InheritedFlags()
		printCommand(c.OutOrStderr(), c)
		return nil
	})
	root.SetFlagErrorFunc(FlagError)
	styleUsage(root)
}

// styleUsage has usage lines say [options] where options may stand, and the options that
// cobra adds described as in the other programs.
func styleUsage(c *cobra.Command) {
	c.InitDefaultHelpFlag()
	for name, usage := range map[string]string{"help": "print this text", "version": "print the version"} {
		if f := c.Flags().Lookup(name); f != nil {
			f.Usage = usage
		}
	}
	c.DisableFlagsInUseLine = true
	if name, rest, ok := strings.Cut(c.Use, " "); ok && !strings.Contains(rest, "--") && c.HasParent() {
		c.Use = name + " [options] " + rest
	}
	for _, inner := range c.Commands() {
		styleUsage(inner)
	}
}
