package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"unicode"

	"offlink/filemap"
)

// Message returns the text of an error for users. Every program words the errors
// of the standard library inside it in the same way, as "FILE: no such file or
// directory" and "'12x' is not a number".
func Message(err error) string {
	text := err.Error()
	for e := range errorTree(err) {
		if plain := rewordedError(e); plain != "" {
			text = strings.Replace(text, e.Error(), plain, 1)
		}
	}
	return escapeControls(text)
}

// escapeControls spells control characters out: names in hostile files could move a
// terminal's cursor or rename its window.
func escapeControls(text string) string {
	isOdd := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if !strings.ContainsFunc(text, isOdd) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isOdd(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// errorTree returns err and the errors that it wraps, from the outside to the
// inside.
func errorTree(err error) func(yield func(error) bool) {
	return func(yield func(error) bool) { walkErrors(err, yield) }
}

func walkErrors(err error, yield func(error) bool) bool {
	if err == nil {
		return true
	}
	if !yield(err) {
		return false
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return walkErrors(e.Unwrap(), yield)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if !walkErrors(inner, yield) {
				return false
			}
		}
	}
	return true
}

// rewordedError returns our words for an error of the standard library, or an
// empty string for any other.
func rewordedError(err error) string {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Path + ": " + e.Err.Error()
	case *os.LinkError:
		return e.New + ": " + e.Err.Error()
	case *os.SyscallError:
		return e.Err.Error()
	case *exec.Error:
		return e.Name + ": " + bareLookError(e.Err)
	case *strconv.NumError:
		return numberError(e)
	}
	return ""
}

func bareLookError(err error) string {
	if errors.Is(err, exec.ErrNotFound) {
		return "no such program in PATH"
	}
	return bareError(err).Error()
}

func numberError(e *strconv.NumError) string {
	switch {
	case e.Func == "ParseBool":
		return fmt.Sprintf("'%s' is neither true nor false", e.Num)
	case errors.Is(e.Err, strconv.ErrRange):
		return fmt.Sprintf("'%s' is out of range", e.Num)
	}
	return fmt.Sprintf("'%s' is not a number", e.Num)
}

// ReadFile reads a whole file of at most limit bytes, which need not be a
// regular one. Its errors name the file.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := filemap.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, bareError(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, tooLarge(name, limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, bareError(err))
	case int64(len(data)) > limit:
		return nil, tooLarge(name, limit)
	case info != nil && info.Mode().IsRegular():
		err = filemap.VersionOf(info).CheckUnchanged(f, name)
	}
	return data, err
}

func tooLarge(name string, limit int64) error {
	return fmt.Errorf("%s: it has more than %d bytes, which is the limit", name, limit)
}
