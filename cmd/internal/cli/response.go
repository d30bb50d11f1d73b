package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxResponseDepth = 16
	maxResponseBytes = 64 << 20
)

// ExpandResponseFiles replaces each @file argument by the arguments in that
// file, split as a shell would (quotes and backslashes), files in files
// included. An @file that does not exist, or is a directory, stays as it is, as
// in the reference tools.
func ExpandResponseFiles(args []string) ([]string, error) {
	left := maxResponseBytes
	return expandResponse(args, maxResponseDepth, &left)
}

func expandResponse(args []string, depth int, left *int) ([]string, error) {
	var out []string
	for _, arg := range args {
		name, isFile := strings.CutPrefix(arg, "@")
		if !isFile || name == "" {
			out = append(out, arg)
			continue
		}
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			out = append(out, arg)
			continue
		}
		if isNamedPipe(name) {
			return nil, fmt.Errorf("%s is a FIFO, which may never have a writer: name a file, or a pipe that is open", arg)
		}
		if depth == 0 {
			return nil, fmt.Errorf("%s: response files are nested too deeply: does one name itself?", name)
		}
		data, err := ReadFile(name, int64(*left))
		if err != nil {
			return nil, fmt.Errorf("@%w", err)
		}
		*left -= len(data)
		inner, err := expandResponse(SplitWords(string(data)), depth-1, left)
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// isNamedPipe reports whether a name is that of a FIFO: opening one waits until
// somebody writes to it. A pipe that is open already, as a shell's @<(command)
// is, has no name in the end.
func isNamedPipe(name string) bool {
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// SplitWords splits text into words: white space separates, single and double
// quotes group, a backslash outside single quotes takes the next character.
func SplitWords(text string) []string {
	var words []string
	var word strings.Builder
	started := false
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			started = true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
		case c == '"' || c == '\'':
			quote, started = c, true
		case strings.IndexByte(" \t\r\n\v\f", c) >= 0:
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			word.WriteByte(c)
			started = true
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words
}
