package registry

import "slices"

// Snapshot is the content of a registry at one time. It is immutable.
type Snapshot struct {
	// Images are all images in order of registration.
	Images []*Image

	kernels    names
	exports    names
	virtuals   names
	natives    names
	hasNatives bool // native images were registered, and may be gone again
	// unlisted are the images without a table of exported symbols.
	unlisted []*Image
}

// KernelNames returns the names of all kernels, sorted, without service kernels.
func (s *Snapshot) KernelNames() []string {
	return slices.DeleteFunc(s.kernels.sortedNames(), IsServiceKernel)
}

// ExportNames returns the names of all symbols that a table of an image lists,
// sorted.
func (s *Snapshot) ExportNames() []string { return s.exports.sortedNames() }

// Kernel returns the images that have the kernel, in order of registration:
// those of the owner if it has any, else those of all owners. So two
// libraries can each have a kernel of one name.
func (s *Snapshot) Kernel(owner Owner, name string) []*Image {
	all := s.kernels.imagesNamed(name)
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
func (s *Snapshot) Exporters(symbol string) []*Image { return s.exports.imagesNamed(symbol) }

// VirtualFunctions returns the images that define or call functions of a set of
// virtual functions, in order of registration.
func (s *Snapshot) VirtualFunctions(set string) []*Image { return s.virtuals.imagesNamed(set) }

// HasNatives reports whether there is any native code of the embedded device.
func (s *Snapshot) HasNatives() bool { return s.hasNatives }

// Natives returns the native code of the embedded device that was made of SPIR-V
// code with that SHA-256, in order of registration.
func (s *Snapshot) Natives(digest string) []*Image { return s.natives.imagesNamed(digest) }

// Unlisted returns the images that have no table of exported symbols: only their code has
// their exports.
func (s *Snapshot) Unlisted() []*Image { return s.unlisted }
