package wrapper

import (
	"slices"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// FatBinary is a fat binary of CUDA: several images for the same source, of which the driver
// or the runtime chooses one for the device. A file has one for each unit that nvcc compiled.
type FatBinary struct {
	// Code is the whole fat binary. It is valid as long as the images.
	Code devimg.Code
	// Relocatable reports whether the code was made to be linked with that of other units
	// (nvcc -rdc=true): it may have symbols that they define.
	Relocatable bool
	// Superseded reports whether the file is a program or a library that has the relocatable
	// code, linked, in another fat binary.
	Superseded bool

	data []byte
}

// FatBinary returns the fat binary that has the image, or nil. The images of one fat binary
// follow each other and return the same pointer.
func (l *Located) FatBinary() *FatBinary { return l.fatBinary }

// newFatBinary returns the fat binary of an entry of p: that of the image before it where both
// are of one.
func newFatBinary(p *part, e *container.Entry, found []Located) *FatBinary {
	if n := len(found); n > 0 {
		if last := found[n-1].fatBinary; last != nil && &last.data[0] == &e.Envelope[0] {
			return last
		}
	}
	fat := &FatBinary{Code: devimg.Bytes(e.Envelope), data: e.Envelope}
	if s := p.pointed; s != nil && slices.ContainsFunc(hostFormats, func(f *hostFormat) bool {
		return f.relocatableFat != "" && s.section.HasPrefix(f.relocatableFat)
	}) {
		fat.Relocatable, fat.Superseded = true, s.linked
	}
	return fat
}
