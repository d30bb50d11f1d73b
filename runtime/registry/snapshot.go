package registry

import (
	"maps"
	"slices"

	"offlink/props"
)

// Snapshot is the content of a registry at one time. It is immutable.
type Snapshot struct {
	// Images are all images in order of registration.
	Images []*Image

	kernels map[string][]*Image
	exports map[string][]*Image
	// unlisted are the images without a table of exported symbols.
	unlisted []*Image
}

func newSnapshot(all []*Registration) *Snapshot {
	s := &Snapshot{kernels: make(map[string][]*Image), exports: make(map[string][]*Image)}
	for _, reg := range all {
		s.Images = append(s.Images, reg.Images...)
	}
	for _, img := range s.Images {
		s.add(img)
	}
	return s
}

func (s *Snapshot) add(img *Image) {
	for _, name := range img.Kernels() {
		s.kernels[name] = append(s.kernels[name], img)
	}
	exported := img.Properties.Get(props.SetExportedSymbols)
	for _, name := range exported.Names() {
		s.exports[name] = append(s.exports[name], img)
	}
	if exported == nil {
		s.unlisted = append(s.unlisted, img)
	}
}

// KernelNames returns the names of all kernels, sorted.
func (s *Snapshot) KernelNames() []string {
	return slices.Sorted(maps.Keys(s.kernels))
}

// Kernel returns the images that have the kernel, in order of registration:
// those of the owner if it has any, else those of all owners. So two
// libraries can each have a kernel of one name.
func (s *Snapshot) Kernel(owner Owner, name string) []*Image {
	all := s.kernels[name]
	var own []*Image
	for _, img := range all {
		if img.Owner == owner {
			own = append(own, img)
		}
	}
	if own != nil {
		return own
	}
	return all
}

// Exporters returns the images whose table of exported symbols lists the
// symbol, in order of registration.
func (s *Snapshot) Exporters(symbol string) []*Image { return s.exports[symbol] }

// Unlisted returns the images that have no table of exported symbols: only
// their code tells what they export.
func (s *Snapshot) Unlisted() []*Image { return s.unlisted }
