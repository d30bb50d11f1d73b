// Package lazyregexp compiles regular expressions when they are first used: a
// program that starts for each file of a build must not compile those of all its
// packages.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression, and panics if the
// expression is invalid. Several goroutines may call it.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
