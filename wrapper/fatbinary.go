package wrapper

import (
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// FatBinary is a fat binary of CUDA: several images for the same source, of which the driver
// or the runtime chooses one for the device. A file has one for each unit that nvcc compiled.
type FatBinary struct {
	// Code is the whole fat binary. It is valid as long as the images.
	Code devimg.Code

	data []byte
}

// FatBinary returns the fat binary that has the image, or nil. The images of one fat binary
// follow each other and return the same pointer.
func (l *Located) FatBinary() *FatBinary { return l.fatBinary }

// newFatBinary returns the fat binary of an entry: that of the image before it where both
// are of one.
func newFatBinary(e *container.Entry, found []Located) *FatBinary {
	if n := len(found); n > 0 {
		if last := found[n-1].fatBinary; last != nil && &last.data[0] == &e.Envelope[0] {
			return last
		}
	}
	return &FatBinary{Code: devimg.Bytes(e.Envelope), data: e.Envelope}
}
