package devicefile

import (
	"fmt"

	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// Options say how much is read of a file's images.
type Options struct {
	// FatBinaryKernels has the kernels of CUDA's fat binaries read, which takes seconds in
	// libraries of NVIDIA. Without it they have none.
	FatBinaryKernels bool
}

// Images returns the images that the runtime makes of those in a file, as [Open] does. They
// share its bytes, so that the file stays open as long as they are used. The images of a fat
// binary of CUDA are one, which holds all of them, as CUDA's own runtime takes the one for its
// device.
func Images(file *wrapper.File, o Options) ([]*devimg.Image, error) {
	var images, fat []*devimg.Image
	var last *wrapper.FatBinary
	for i := range file.Images() {
		img := &file.Images()[i]
		if whole := img.FatBinary(); whole != nil {
			if whole != last {
				last = whole
				if !whole.Superseded {
					fat = append(fat, newFatBinaryImage(whole))
					images = append(images, fat[len(fat)-1])
				}
			}
			continue
		}
		described, err := describeImage(file.Name(), img)
		if err != nil {
			return nil, err
		}
		images = append(images, described...)
	}
	if o.FatBinaryKernels {
		if err := readFatBinaries(file.Name(), fat); err != nil {
			return nil, err
		}
	}
	return images, nil
}

// copyImages makes the images independent of the file.
func copyImages(images []*devimg.Image) error {
	for i, img := range images {
		code, err := devimg.ReadCode(img.Code)
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		img.Code = devimg.Bytes(append([]byte(nil), code...))
		img.Properties = img.Properties.Clone()
	}
	return nil
}
