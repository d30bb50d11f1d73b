package resolve

import (
	"slices"
	"sync"

	"offlink/runtime/registry"
	"offlink/spirv"
	"offlink/wrapper/devimg"
)

// exportIndex finds the images whose code may export a name. DPC++ writes a table of exported
// symbols only for images that have some, so that in a large library most images are without
// one, and to parse each of them for each import would take minutes. The zero index is ready,
// and it is safe for concurrent use.
type exportIndex struct {
	mu    sync.Mutex
	known map[*registry.Image]codeNames
	// Only functions are in tables: for a function the images without a table are asked, for a
	// variable all of them.
	functions, variables nameTable
}

// codeNames are the names that an image's code exports. They are not known of code that is not
// SPIR-V or is damaged: such an image may export any name.
type codeNames struct {
	names []string
	known bool
}

// nameTable has the names of a list of images. Images are numbers in the list.
type nameTable struct {
	images  []*registry.Image
	named   map[string][]int
	unknown []int
}

// candidateImages returns the images of the list that may export a name, in the order of the list.
// The list is one of a snapshot: table is the one for such lists.
func (x *exportIndex) candidateImages(table *nameTable, list []*registry.Image, name string) []*registry.Image {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.updateTable(table, list)
	numbers := slices.Concat(table.named[name], table.unknown)
	slices.Sort(numbers)
	images := make([]*registry.Image, len(numbers))
	for i, n := range numbers {
		images[i] = list[n]
	}
	return images
}

// updateTable brings the table to the list, which is mostly the one before, or that with more
// images at its end.
func (x *exportIndex) updateTable(t *nameTable, list []*registry.Image) {
	if !hasPrefix(list, t.images) {
		*t = nameTable{}
	}
	if t.named == nil {
		t.named = make(map[string][]int)
	}
	for n := len(t.images); n < len(list); n++ {
		names := x.namesOf(list[n])
		if !names.known {
			t.unknown = append(t.unknown, n)
		}
		for _, name := range names.names {
			t.named[name] = append(t.named[name], n)
		}
	}
	t.images = list
}

// hasPrefix reports whether a list begins with another. The lists of snapshots share their
// memory as long as images are only added.
func hasPrefix(list, prefix []*registry.Image) bool {
	switch {
	case len(prefix) == 0:
		return true
	case len(prefix) > len(list):
		return false
	}
	return &list[0] == &prefix[0] || slices.Equal(list[:len(prefix)], prefix)
}

// mayExport reports whether the code of an image may export a name.
func (x *exportIndex) mayExport(img *registry.Image, name string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	names := x.namesOf(img)
	return !names.known || slices.Contains(names.names, name)
}

// namesOf reads the names of an image once.
func (x *exportIndex) namesOf(img *registry.Image) codeNames {
	names, ok := x.known[img]
	if ok {
		return names
	}
	names = readCodeNames(img)
	if x.known == nil {
		x.known = make(map[*registry.Image]codeNames)
	}
	x.known[img] = names
	return names
}

func readCodeNames(img *registry.Image) codeNames {
	if img.Format != devimg.FormatSPIRV {
		return codeNames{}
	}
	code, err := devimg.ReadCode(img.Code)
	if err != nil {
		return codeNames{}
	}
	names, err := spirv.ExportNames(code)
	slices.Sort(names)
	return codeNames{slices.Compact(names), err == nil}
}

func (x *exportIndex) forgetImages(images []*registry.Image) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, img := range images {
		delete(x.known, img)
	}
	x.functions, x.variables = nameTable{}, nameTable{}
}
