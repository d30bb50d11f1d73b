package cli

import (
	"fmt"
	"io"
	"strings"
)

// Flag is one option of a reference tool's command line. Names are given
// without dashes; "-name" and "--name" are the same.
type Flag struct {
	Name  string
	Usage string
	// Value names the value in the usage text, "" for a boolean. A value is
	// given as -name=value or as the next argument.
	Value string
	// Optional marks a value that can only be given as -name=value. Without one it is
	// empty.
	Optional bool
	// Hidden flags are accepted but not listed.
	Hidden bool
	// Set is called for each occurrence, in the order of the command line.
	// A boolean gets "true" or "false".
	Set func(value string) error
}

// FlagSet is a reference tool's command line: options and inputs in any order, which matters
// if options are sticky. cobra cannot express it, as its long names take two dashes.
type FlagSet struct {
	Program string
	Flags   []Flag
	// Input is called for each argument other than an option, "-" included, in
	// the order of the command line.
	Input func(arg string) error
}

// UsageError is a command line that could not be understood.
type UsageError struct {
	Program string
	Msg     string
}

func (e *UsageError) Error() string {
	return fmt.Sprintf("%s; see '%s --help'", e.Msg, e.Program)
}

// Parse reads the arguments and calls Set and Input in their order. Its
// errors are those of the callbacks, or of type *UsageError.
func (s *FlagSet) Parse(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			return s.addInputs(args)
		}
		if len(arg) < 2 || arg[0] != '-' {
			if err := s.Input(arg); err != nil {
				return err
			}
			continue
		}
		used, err := s.parseOption(arg, args)
		if err != nil {
			return err
		}
		args = args[used:]
	}
	return nil
}

// addInputs takes all arguments after "--" for inputs.
func (s *FlagSet) addInputs(args []string) error {
	for _, arg := range args {
		if err := s.Input(arg); err != nil {
			return err
		}
	}
	return nil
}

// parseOption handles one option and returns how many of the following arguments
// it used.
func (s *FlagSet) parseOption(arg string, rest []string) (int, error) {
	name, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	f := s.findFlag(name)
	switch {
	case f == nil:
		return 0, s.usagef("unknown command line argument '%s'%s", arg, s.didYouMean(name))
	case f.Value == "":
		on, ok := parseBool(value, hasValue)
		if !ok {
			return 0, s.usagef("'%s' is not a value for the boolean option -%s: use true or false", value, name)
		}
		return 0, f.Set(on)
	case hasValue || f.Optional:
		return 0, f.Set(value)
	case len(rest) == 0:
		return 0, s.usagef("option -%s needs a value", name)
	}
	return 1, f.Set(rest[0])
}

func (s *FlagSet) findFlag(name string) *Flag {
	for i := range s.Flags {
		if s.Flags[i].Name == name {
			return &s.Flags[i]
		}
	}
	return nil
}

// didYouMean suggests the option that an unknown one is near to.
func (s *FlagSet) didYouMean(name string) string {
	var names []string
	for _, f := range s.Flags {
		if !f.Hidden {
			names = append(names, "-"+f.Name)
		}
	}
	return DidYouMean(name, names)
}

func (s *FlagSet) usagef(format string, args ...any) error {
	return &UsageError{s.Program, fmt.Sprintf(format, args...)}
}

// parseBool reads a boolean as LLVM's command lines spell it.
func parseBool(value string, given bool) (string, bool) {
	if !given {
		return "true", true
	}
	switch value {
	case "", "true", "TRUE", "True", "1":
		return "true", true
	case "false", "FALSE", "False", "0":
		return "false", true
	}
	return "", false
}

// PrintFlags lists the options that are not hidden.
func (s *FlagSet) PrintFlags(w io.Writer) {
	for _, f := range s.Flags {
		if f.Hidden {
			continue
		}
		name := "-" + f.Name
		if f.Value != "" {
			name += "=" + f.Value
		}
		if len(name) > helpColumn-4 {
			fmt.Fprintf(w, "  %s\n", name)
			name = ""
		}
		for _, line := range wrapWords(f.Usage, helpWidth-helpColumn) {
			fmt.Fprintf(w, "  %-*s%s\n", helpColumn-2, name, line)
			name = ""
		}
	}
}

// wrapWords cuts a text into lines of at most width bytes, at blanks. A longer
// word stays whole.
func wrapWords(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// SetString returns a Set function that stores the last value.
func SetString(p *string) func(string) error {
	return func(v string) error { *p = v; return nil }
}

// SetBool returns a Set function that stores the last value.
func SetBool(p *bool) func(string) error {
	return func(v string) error { *p = v == "true"; return nil }
}
