package resolve

import (
	"maps"
	"slices"

	"offlink/runtime/registry"
	"offlink/spirv"
)

// Import is a symbol that an image imports, and the image that a link takes
// for it.
type Import struct {
	Symbol   string
	Variable bool
	// Exporter is nil where no image serves.
	Exporter *registry.Image
	// Refusals are the images that define or list the symbol and do not serve. It is
	// only set if no image serves.
	Refusals []Refusal
	// Linking is the extension that the device lacks for linking the two, else
	// "".
	Linking string
}

// Imports resolves each import of an image by itself, as Link does for the
// images of a kernel: for checks without a launch. The request's kernel
// and owner do not matter.
func (r *Resolver) Imports(s *registry.Snapshot, img *registry.Image, q Request) ([]Import, error) {
	w := &linkSearch{resolver: r, snapshot: s, request: q, exported: make(map[string]bool)}
	if err := w.addImage(img, ""); err != nil {
		return nil, err
	}
	var list []Import
	for _, symbol := range w.linkages[0].imports {
		if w.exported[symbol.name] || w.isNative(symbol) {
			continue
		}
		found := Import{Symbol: symbol.name, Variable: symbol.variable, Exporter: w.findExporter(symbol)}
		if found.Exporter == nil {
			found.Refusals = w.refusedNamesakes(symbol)
		} else if e, ok := w.checkLinking(symbol, img, found.Exporter).(*LinkingError); ok {
			found.Linking = e.Extension
		}
		list = append(list, found)
	}
	return list, nil
}

// Taken returns, for each symbol that an image of a link imports, the image of the link that
// defines it. That need not be the one of Imports, as an image may be there for another symbol.
// Symbols that the device provides are left out.
func (r *Resolver) Taken(l *Link) map[string]*registry.Image {
	taken := make(map[string]*registry.Image)
	if len(l.Images) == 1 {
		return taken // it imports nothing
	}
	for _, img := range l.Images {
		linkage, err := r.linkages.linkageOf(img)
		if err != nil {
			continue
		}
		for _, s := range linkage.imports {
			if _, known := taken[s.name]; known {
				continue
			}
			for _, exporter := range l.Images {
				if exports, _ := r.exportsSymbol(exporter, s.name); exports {
					taken[s.name] = exporter
					break
				}
			}
		}
	}
	return taken
}

// refusedNamesakes are the refusals of the images that have the symbol.
func (w *linkSearch) refusedNamesakes(s symbol) (list []Refusal) {
	for _, img := range w.resolver.candidateImages(w.snapshot, s) {
		exports, _ := w.resolver.exportsSymbol(img, s.name)
		listed, _ := img.Exports(s.name)
		if exports || listed {
			list = append(list, Refusal{img, w.refusalReason(img, s)})
		}
	}
	return list
}

// Exports returns the symbols that the code of an image defines for others,
// sorted.
func (r *Resolver) Exports(img *registry.Image) ([]string, error) {
	l, err := r.linkages.linkageOf(img)
	if err != nil {
		return nil, &ImageError{img, err}
	}
	return slices.Sorted(maps.Keys(l.exports)), nil
}

// SameDefinition reports whether two images define a symbol in the same way, or one of them by a
// weak definition, which may differ. known is false if their code cannot be compared: it is not
// SPIR-V, or cannot be read.
func (r *Resolver) SameDefinition(a, b *registry.Image, symbol string) (same, known bool) {
	first, second := r.definingModule(a, symbol), r.definingModule(b, symbol)
	if first == nil || second == nil {
		return false, false
	}
	return r.mayDiffer(a, b, symbol) || spirv.SameDefinition(first, second, symbol), true
}

// SameKernel is SameDefinition for a kernel.
func (r *Resolver) SameKernel(a, b *registry.Image, kernel string) (same, known bool) {
	first, err := r.linkages.linkageOf(a)
	if err != nil || first.module == nil {
		return false, false
	}
	second, err := r.linkages.linkageOf(b)
	if err != nil || second.module == nil {
		return false, false
	}
	return spirv.SameKernel(first.module, second.module, kernel), true
}
