package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

const (
	maxResponseDepth = 16
	maxResponseBytes = 64 << 20
)

// ExpandResponseFiles replaces each @file argument by the arguments in that
// file, which [SplitWords] finds, files in files included. The file is UTF-8, or
// UTF-16 with a byte order mark. An @file that does not exist, or is a
// directory, stays as it is, as in the reference tools.
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
		text, err := responseText(data)
		if err != nil {
			return nil, fmt.Errorf("@%s: %w", name, err)
		}
		inner, err := expandResponse(SplitWords(text), depth-1, left)
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// responseText returns the contents of a response file as UTF-8 without a byte
// order mark: programs of Windows write such marks, and UTF-16.
func responseText(data []byte) (string, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return strings.TrimPrefix(string(data), "\ufeff"), nil
	}
	if len(data)%2 != 0 {
		return "", errors.New("the file begins as UTF-16, and has an odd number of bytes")
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return string(utf16.Decode(units)), nil
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
// quotes group, a backslash takes the next character, between quotes too. That
// is the rule of LLVM's and GNU's tools, which a shell's single quotes do not
// follow.
func SplitWords(text string) []string {
	var words []string
	var word strings.Builder
	started := false
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
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
