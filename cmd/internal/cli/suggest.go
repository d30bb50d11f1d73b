package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"offlink/lazyregexp"
)

// DidYouMean returns "; did you mean 'X'?" for the candidate that is nearest to a
// misspelt word, or an empty string if none is near.
func DidYouMean(word string, candidates []string) string {
	if best := Nearest(word, candidates); best != "" {
		return fmt.Sprintf("; did you mean '%s'?", best)
	}
	return ""
}

// Nearest returns the candidate with the fewest typing errors between it and
// the word, the first of several, or an empty string if all have too many: more
// than one in three letters. Leading dashes do not count.
func Nearest(word string, candidates []string) string {
	bare := strings.TrimLeft(word, "-")
	best, fewest := "", len(bare)/3+1
	for _, c := range candidates {
		if n := typingErrors(bare, strings.TrimLeft(c, "-"), fewest); n < fewest {
			best, fewest = c, n
		}
	}
	return best
}

// maxWord bounds the words that are compared.
const maxWord = 64

// typingErrors counts the letters that are wrong, missing, too many, or in
// place of their neighbour (the optimal string alignment distance). Words that
// differ by limit or more in length are not compared.
func typingErrors(a, b string, limit int) int {
	if len(a) > maxWord || len(b) > maxWord || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var rows [3][maxWord + 1]int // of the last, the previous and this letter of a
	for j := range len(b) + 1 {
		rows[1][j] = j
	}
	for i := range len(a) {
		rows[2][0] = i + 1
		for j := range len(b) {
			same := rows[1][j]
			if a[i] != b[j] {
				same++
			}
			rows[2][j+1] = min(same, rows[1][j+1]+1, rows[2][j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				rows[2][j+1] = min(rows[2][j+1], rows[0][j-1]+1)
			}
		}
		rows[0], rows[1] = rows[1], rows[2]
	}
	return rows[1][len(b)]
}

var unknownFlag = lazyregexp.New(`^unknown (?:flag: |shorthand flag: '.' in )(--?[^ =]+)`)

// FlagError words an error of a cobra command's options: bad usage, with the
// option that was perhaps meant. It is for cobra's SetFlagErrorFunc.
func FlagError(c *cobra.Command, err error) error {
	hint := ""
	if m := unknownFlag().FindStringSubmatch(err.Error()); m != nil {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		hint = DidYouMean(m[1], names)
		err = fmt.Errorf("unknown option %s", m[1])
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = valueError(invalid)
	}
	return Usagef("%w%s; see '%s --help'", err, hint, c.CommandPath())
}

func valueError(e *pflag.InvalidValueError) error {
	flag := e.GetFlag()
	if flag.Value.Type() == "duration" {
		return fmt.Errorf("--%s: '%s' is not a duration: write 10s, 2m, 1h30m", flag.Name, e.GetValue())
	}
	return fmt.Errorf("--%s: %w", flag.Name, e.Unwrap())
}
