package resolve

import (
	"fmt"

	"offlink/runtime/registry"
	"offlink/spirv"
	"offlink/wrapper/devimg"
)

// Images that were split from one module can each have a copy of a variable,
// of a marked function, or of a function that is nobody else's. Linked as they
// are, they would define it twice. So each image of a link is trimmed of what
// an earlier one defines.

// definition is where a name is defined first in a link.
type definition struct {
	image  int
	public bool // others may use it: see linkage.exports
}

// trims returns what to take out of each SPIR-V image, or a ConflictError.
// Images of other formats are left as they are: there the driver tells.
func (w *walk) trims() ([]spirv.Trim, error) {
	trims := make([]spirv.Trim, len(w.images))
	symbols, kernels := make(map[string]definition), make(map[string]bool)
	for i, l := range w.linkages {
		if l.module == nil {
			continue
		}
		for _, s := range l.module.Exports() {
			if s.Linkage == spirv.LinkageLinkOnceODR {
				continue // linkers keep one of these themselves
			}
			if err := w.trimSymbol(trims, symbols, i, s.Name); err != nil {
				return nil, err
			}
		}
		for _, e := range l.module.EntryPoints() {
			if kernels[e.Name] {
				trims[i].Kernels = append(trims[i].Kernels, e.Name)
			}
			kernels[e.Name] = true
		}
	}
	return trims, nil
}

// trimSymbol decides about one export of image i. Of two definitions, one
// that is not public is hidden; of two public ones, the later gives way if
// they are equal.
func (w *walk) trimSymbol(trims []spirv.Trim, first map[string]definition, i int, name string) error {
	own := definition{i, w.linkages[i].exports[name]}
	have, known := first[name]
	switch {
	case !known:
		first[name] = own
	case !own.public:
		trims[i].Hide = append(trims[i].Hide, name)
	case !have.public:
		trims[have.image].Hide = append(trims[have.image].Hide, name)
		first[name] = own
	case spirv.SameDefinition(w.linkages[have.image].module, w.linkages[i].module, name):
		trims[i].Import = append(trims[i].Import, name)
	default:
		return &ConflictError{name, w.request.Kernel, [2]*registry.Image{w.images[have.image], w.images[i]}}
	}
	return nil
}

// Code returns the code of image i as it is to be linked with the others.
func (l *Link) Code(i int) ([]byte, error) {
	code, err := devimg.ReadCode(l.Images[i].Code)
	if err == nil && !l.trims[i].IsZero() {
		code, err = trimmed(code, l.trims[i])
	}
	if err != nil {
		return nil, &ImageError{l.Images[i], err}
	}
	return code, nil
}

func trimmed(code []byte, t spirv.Trim) ([]byte, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, fmt.Errorf("not valid SPIR-V: %w", err)
	}
	if m, err = m.Trim(t); err != nil {
		return nil, err
	}
	return m.Bytes(), nil
}
