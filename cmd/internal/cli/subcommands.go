package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Subcommands are the commands that a program has in addition to the command
// line of the tool that it stands in for.
type Subcommands struct {
	Program string
	Short   string // one line for the help
	New     []func(Streams) *cobra.Command
}

// HelpArgs replaces "help" and "help COMMAND" by the options that ask for the same. A file
// called help stays an input.
func (s *Subcommands) HelpArgs(args []string) []string {
	if len(args) == 0 || len(args) > 2 || args[0] != "help" {
		return args
	}
	if _, err := os.Lstat(args[0]); err == nil {
		return args
	}
	if len(args) == 2 && s.Named(args[1:]) {
		return []string{args[1], "--help"}
	}
	return []string{"--help"}
}

// Named reports whether the first argument is the name of a subcommand.
func (s *Subcommands) Named(args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, newCommand := range s.New {
		if newCommand(Streams{}).Name() == args[0] {
			return true
		}
	}
	return false
}

// Commands returns the subcommands, for the program's help.
func (s *Subcommands) Commands() []*cobra.Command {
	var list []*cobra.Command
	for _, newCommand := range s.New {
		list = append(list, newCommand(Streams{}))
	}
	return list
}

// Misspelt returns an error where the first of the arguments is meant to be a
// subcommand: a word that is near to one, and not a file.
func (s *Subcommands) Misspelt(args []string) error {
	if len(args) < 2 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "@") {
		return nil
	}
	return MisspeltCommand(args[0], s.Commands())
}

// MisspeltCommand returns an error where a word is near to the name of a
// command, and not a file.
func MisspeltCommand(word string, commands []*cobra.Command) error {
	if _, err := os.Lstat(word); err == nil {
		return nil
	}
	if hint := DidYouMean(word, commandNames(commands)); hint != "" {
		return Usagef("there is no command and no file '%s'%s", word, hint)
	}
	return nil
}

// NeedCommand is the error of a command line that ends before the name of a
// subcommand, or has an unknown one.
func NeedCommand(c *cobra.Command, args []string) error {
	names := commandNames(c.Commands())
	if len(args) > 0 {
		return Usagef("there is no command '%s %s'%s; see '%s --help'", c.CommandPath(), args[0], DidYouMean(args[0], names), c.CommandPath())
	}
	return Usagef("name one of %s; see '%s --help'", strings.Join(names, ", "), c.CommandPath())
}

func commandNames(commands []*cobra.Command) (names []string) {
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// Run runs the subcommand that the first argument names, and returns the exit code.
func (s *Subcommands) Run(args []string, streams Streams) int {
	root := s.root(streams)
	root.SetArgs(DoubleDashes(root, args))
	return streams.Report(s.Program, root.Execute())
}

func (s *Subcommands) root(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use: s.Program, Short: s.Short,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.CompletionOptions.DisableDefaultCmd = true
	for _, newCommand := range s.New {
		root.AddCommand(newCommand(streams))
	}
	Style(root)
	return root
}

// DoubleDashes writes the long options of the subcommand that args name with
// two dashes where they have one, as all our command lines take them.
func DoubleDashes(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil {
		return args
	}
	doubled := make([]string, len(args))
	for i, arg := range args {
		doubled[i] = arg
		if arg == "--" {
			copy(doubled[i:], args[i:])
			break
		}
		name, ok := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if ok && len(name) > 1 && isLongFlag(c.Flags(), name) {
			doubled[i] = "-" + arg
		}
	}
	return doubled
}

func isLongFlag(flags *pflag.FlagSet, name string) bool {
	return name == "help" || flags.Lookup(name) != nil
}
