package resolve

import (
	"fmt"
	"slices"

	"offlink/runtime/registry"
	"offlink/spirv"
	"offlink/wrapper/devimg"
)

// Images that were split from one module can each have a copy of a variable, of an exported
// function, or of a function that is not exported to others. Linked as they are, they would
// define it twice. So each image of a link is trimmed of the definitions that an earlier
// one has.

// definition is where a name is defined first in a link.
type definition struct {
	image  int
	public bool // others may use it: see linkage.exports
	weak   bool // gives way to any other
}

// symbolTrims returns the definitions to take out of each SPIR-V image, or a ConflictError.
// Images of other formats are left as they are: the driver's linker reports duplicates.
func (w *linkSearch) symbolTrims() ([]spirv.Trim, error) {
	trims := make([]spirv.Trim, len(w.images))
	for i, l := range w.linkages {
		trims[i].Strong = len(l.weak) > 0
	}
	if len(w.linkages) == 1 {
		return trims, nil
	}
	count := 0
	for _, l := range w.linkages {
		count += len(l.defined) + len(l.kernels)
	}
	symbols, kernels := make(map[string]definition, count), make(map[string]bool, count)
	for i, l := range w.linkages {
		for _, name := range l.defined {
			if err := w.trimSymbol(trims, symbols, i, name); err != nil {
				return nil, err
			}
		}
		for _, name := range l.kernels {
			if kernels[name] {
				trims[i].Kernels = append(trims[i].Kernels, name)
			}
			kernels[name] = true
		}
	}
	return trims, nil
}

// trimSymbol decides about one export of image i. Of two definitions, one
// that is not public is hidden; of two public ones, a weak one gives way, else the later if
// they are equal.
func (w *linkSearch) trimSymbol(trims []spirv.Trim, first map[string]definition, i int, name string) error {
	own := definition{i, w.linkages[i].exports[name], w.linkages[i].weak[name]}
	have, known := first[name]
	switch {
	case !known:
		first[name] = own
	case !own.public:
		trims[i].Hide = append(trims[i].Hide, name)
	case !have.public:
		trims[have.image].Hide = append(trims[have.image].Hide, name)
		first[name] = own
	case have.weak && !own.weak:
		trims[have.image].Import = append(trims[have.image].Import, name)
		first[name] = own
	case own.weak, spirv.SameDefinition(w.linkages[have.image].module, w.linkages[i].module, name):
		trims[i].Import = append(trims[i].Import, name)
	default:
		return &ConflictError{name, w.request.Kernel, [2]*registry.Image{w.images[have.image], w.images[i]}}
	}
	return nil
}

// Drops reports whether the code of image i is without the kernel, as an image
// before it has one of that name.
func (l *Link) Drops(i int, kernel string) bool { return slices.Contains(l.trims[i].Kernels, kernel) }

// TrimKey returns a key for the code that image i has in this link, as trims differ between
// links. It is "" for untrimmed code.
func (l *Link) TrimKey(i int) string {
	t := l.trims[i]
	key := ""
	if len(t.Import)+len(t.Hide)+len(t.Kernels) > 0 {
		key = fmt.Sprintf("%q", []([]string){t.Import, t.Hide, t.Kernels})
	}
	if t.Strong {
		key += "strong"
	}
	return key
}

// Code returns the code of image i as it is to be linked with the others.
func (l *Link) Code(i int) ([]byte, error) {
	code, err := devimg.ReadCode(l.Images[i].Code)
	if err == nil && !l.trims[i].IsZero() {
		code, err = trimCode(code, l.trims[i])
	}
	if err != nil {
		return nil, &ImageError{l.Images[i], err}
	}
	return code, nil
}

func trimCode(code []byte, t spirv.Trim) ([]byte, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, fmt.Errorf("not valid SPIR-V: %w", err)
	}
	if m, err = m.Trim(t); err != nil {
		return nil, err
	}
	return m.Bytes(), nil
}

// Duplicate is a function that two images define differently, where a link
// takes the first: an application cannot rely on which one it gets.
type Duplicate struct {
	Symbol string
	Images [2]*registry.Image // the one that is taken, and the other
}

func (d Duplicate) String() string {
	return fmt.Sprintf("%s is defined differently by %v, which is taken, and by %v", d.Symbol, d.Images[0], d.Images[1])
}

// Duplicates returns the symbols that the images of a link import and that another image of
// the snapshot, which would serve as well, defines differently. They are in the order of
// the link.
func (r *Resolver) Duplicates(s *registry.Snapshot, l *Link) []Duplicate {
	var list []Duplicate
	seen := make(map[string]bool)
	for _, img := range l.Images {
		linkage, err := r.linkages.linkageOf(img)
		if err != nil {
			continue
		}
		for _, symbol := range linkage.imports {
			if !seen[symbol.name] && !symbol.variable {
				seen[symbol.name] = true
				list = append(list, r.otherDefinitions(s, l, symbol.name)...)
			}
		}
	}
	return list
}

// otherDefinitions are the images outside of the link that define a symbol differently
// from the image inside that defines it. Where images list the symbol, those without a table
// are not asked, as their code would have to be read.
func (r *Resolver) otherDefinitions(s *registry.Snapshot, l *Link, name string) (list []Duplicate) {
	candidates := s.Exporters(name)
	if len(candidates) == 0 {
		candidates = r.unlistedCandidates(s, symbol{name: name})
	}
	if len(candidates) < 2 {
		return nil
	}
	at := slices.IndexFunc(l.Images, func(img *registry.Image) bool { return r.definingModule(img, name) != nil })
	if at < 0 {
		return nil
	}
	taken := l.Images[at]
	own := r.definingModule(taken, name)
	for _, img := range candidates {
		if img == taken || !linkTogether(img, taken) || Alternatives(img, taken) {
			continue
		}
		if other := r.definingModule(img, name); other != nil && !r.mayDiffer(taken, img, name) && !spirv.SameDefinition(own, other, name) {
			list = append(list, Duplicate{name, [2]*registry.Image{taken, img}})
		}
	}
	return list
}

// mayDiffer reports whether one of two images says that its definition gives way to others,
// which may then differ from it.
func (r *Resolver) mayDiffer(a, b *registry.Image, name string) bool {
	for _, img := range []*registry.Image{a, b} {
		if l, err := r.linkages.linkageOf(img); err == nil && l.weak[name] {
			return true
		}
	}
	return false
}

// definingModule returns the module of an image that defines the symbol for others,
// else nil.
func (r *Resolver) definingModule(img *registry.Image, name string) *spirv.Module {
	if !r.index.mayExport(img, name) {
		return nil
	}
	if l, err := r.linkages.linkageOf(img); err == nil && l.exports[name] {
		return l.module
	}
	return nil
}
