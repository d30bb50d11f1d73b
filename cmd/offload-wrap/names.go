package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"offlink/wrapper"
)

// kernelsOf returns the names of an image's kernels: its entries, or what its
// code has where it has no table of them. Damaged code has none.
func kernelsOf(img *wrapper.Located) []string {
	if len(img.Entries) > 0 || img.HasEntries {
		return img.Entries
	}
	names, err := wrapper.KernelNames(&img.Image)
	if err != nil {
		return nil
	}
	return names
}

// findName returns the one of the names that is meant: as it is, demangled
// with its parameters or without, or by a part that no other has. The error
// lists those between which it cannot decide.
func findName(names []string, wanted string) (string, error) {
	for _, means := range []func(name, demangled string) bool{
		func(name, _ string) bool { return name == wanted },
		func(name, demangled string) bool {
			return demangled == wanted || demangle.Filter(name, demangle.NoParams) == wanted
		},
		func(name, demangled string) bool {
			return strings.Contains(name, wanted) || strings.Contains(demangled, wanted)
		},
	} {
		var found []string
		for _, name := range names {
			if means(name, demangle.Filter(name)) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return "", fmt.Errorf("%q could be any of %d kernels: %s", wanted, len(found), listNames(found))
	}
	if len(names) == 0 {
		return "", fmt.Errorf("there is no kernel %q: no image names a kernel", wanted)
	}
	return "", fmt.Errorf("there is no kernel %q; there are %s", wanted, listNames(names))
}

// listed is how many names a message has.
const listed = 8

// listNames joins the first names of a list, with what they mean.
func listNames(names []string) string {
	var shown []string
	for _, name := range names[:min(len(names), listed)] {
		text := quoteOdd(name)
		if plain := demangle.Filter(name); plain != name {
			text += " (" + plain + ")"
		}
		shown = append(shown, text)
	}
	if more := len(names) - len(shown); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), more)
	}
	return strings.Join(shown, ", ")
}
