package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxShown is the number of matching names that an error lists.
const maxShown = 8

// FindName returns the index of the name that a user means: its symbol, as a
// compiler mangled it or as its author wrote it, with its parameters or
// without, or a part that no other name has. The first of these rules that
// matches exactly one name counts. kind names the things in errors: "kernel".
func FindName(wanted, kind string, names []string) (int, error) {
	for _, fits := range nameRules {
		var found []int
		for i, name := range names {
			if fits(name, wanted) && (len(found) == 0 || names[found[0]] != name) {
				found = append(found, i)
			}
		}
		found = withoutWrappers(found, func(i int) string { return names[i] })
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return -1, fmt.Errorf("'%s' is part of several names: %s; name one %s", wanted, listNames(names, found), kind)
	}
	readable := make([]string, len(names))
	for i, name := range names {
		readable[i] = ReadableName(name)
	}
	return -1, fmt.Errorf("there is no %s %s%s", kind, wanted, DidYouMean(wanted, append(readable, names...)))
}

// nameRules are the ways in which a name is found, in their order.
var nameRules = []func(name, wanted string) bool{
	func(name, wanted string) bool { return name == wanted },
	func(name, wanted string) bool {
		return ReadableName(name) == wanted || demangle.Filter(name) == wanted
	},
	func(name, wanted string) bool {
		return strings.TrimPrefix(demangle.Filter(name, demangle.NoParams), typeName) == wanted
	},
	func(name, wanted string) bool {
		return wanted != "" && (strings.Contains(name, wanted) || strings.Contains(ReadableName(name), wanted))
	},
}

// wrapperName is the class template by which SYCL wraps a kernel whose range it
// rounds up. Both are kernels of the program, and the wrapper has the name of
// the other in its own.
const wrapperName = "__pf_kernel_wrapper"

// WithoutWrappers leaves out the wrappers of kernels, unless there is nothing
// else.
func WithoutWrappers(kernels []string) []string {
	return withoutWrappers(kernels, func(k string) string { return k })
}

func withoutWrappers[T any](kernels []T, name func(T) string) []T {
	plain := slices.DeleteFunc(slices.Clone(kernels), func(k T) bool { return strings.Contains(name(k), wrapperName) })
	if len(plain) == 0 {
		return kernels
	}
	return plain
}

// typeName begins the demangled symbols of kernels that SYCL compilers name
// after types.
const typeName = "typeinfo name for "

// ReadableName is a symbol as its author wrote it. SYCL compilers name kernels
// after types, with the symbol of the type's name in C++.
func ReadableName(symbol string) string {
	return strings.TrimPrefix(demangle.Filter(symbol), typeName)
}

// listNames lists the first of the names with those indices.
func listNames(names []string, which []int) string {
	var shown []string
	for _, i := range which[:min(len(which), maxShown)] {
		shown = append(shown, ReadableName(names[i]))
	}
	text := strings.Join(shown, ", ")
	if len(which) > maxShown {
		text += fmt.Sprintf(" and %d more", len(which)-maxShown)
	}
	return text
}
