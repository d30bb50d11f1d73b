package irtext

import (
	"cmp"
	"slices"
)

// patch replaces a piece of the input on its way into the output. Offsets are those of the input,
// so that patches of different origins can be sorted together.
type patch struct {
	start, end int
	text       string
}

// collectPatches parses a piece of the input with run and makes the patches
// for the names in it: new numbers of unnamed globals.
func (w *writer) collectPatches(run func()) {
	w.globals = w.globals[:0]
	w.parser.globals = &w.globals
	run()
	w.parser.globals = nil
	for _, use := range w.globals {
		if use.numbered {
			w.patches = append(w.patches, patch{int(use.start), int(use.end), formatNumber(w.numbers[use.value])})
		}
	}
	w.sortPatches()
}

// sortPatches puts the patches into the order of the text, the longest first of
// those that begin at one place.
func (w *writer) sortPatches() {
	slices.SortFunc(w.patches, func(a, b patch) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
}

// copyPatched copies a piece of the input with the patches that lie in it. A binary search finds
// the first, since headers and bodies are copied in many pieces with one list.
func (w *writer) copyPatched(start, end int) {
	first, _ := slices.BinarySearchFunc(w.patches, start, func(p patch, pos int) int { return cmp.Compare(p.start, pos) })
	for _, p := range w.patches[first:] {
		if p.end > end {
			break
		}
		w.buf = append(w.buf, w.text.data[start:p.start]...)
		w.appendString(p.text)
		start = p.end
	}
	w.buf = append(w.buf, w.text.data[start:end]...)
}
