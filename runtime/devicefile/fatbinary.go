package devicefile

import (
	"errors"
	"fmt"
	"runtime"

	"offlink/parallel"
	"offlink/props"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// newFatBinaryImage makes one image of a whole fat binary of CUDA: the device chooses the
// entry. Its kernels are unknown. One that was linked has empty tables of symbols, so that its
// code is not searched for them.
func newFatBinaryImage(f *wrapper.FatBinary) *devimg.Image {
	img := &devimg.Image{Kind: devimg.KindSYCL, Format: devimg.FormatNative, Target: targetNVPTX, Code: f.Code, HasEntries: true}
	if !f.Relocatable {
		img.Properties = new(props.Sets)
		img.Properties.Open(props.SetImportedSymbols)
		img.Properties.Open(props.SetExportedSymbols)
	}
	return img
}

// readFatBinary gives an image the kernels of all entries of its fat binary.
func readFatBinary(img *devimg.Image) error {
	code, err := devimg.ReadCode(img.Code)
	if err != nil {
		return err
	}
	entries, err := container.Read(code, container.NewBudget(0))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range entries {
		names, err := wrapper.KernelNames(&entries[i].Image)
		if err != nil {
			return fmt.Errorf("%s: %w", entries[i].Name, err)
		}
		for _, name := range names {
			if !seen[name] {
				seen[name] = true
				img.Entries = append(img.Entries, name)
			}
		}
	}
	return nil
}

// describeFatBinary is readFatBinary for a file that is a fat binary alone, which without
// kernels is of no use.
func describeFatBinary(img *devimg.Image) error {
	img.HasEntries = true
	if err := readFatBinary(img); err != nil {
		return err
	}
	if len(img.Entries) == 0 {
		return errors.New("no kernels are found in its entries")
	}
	return nil
}

// readFatBinaries reads the kernels of fat binaries. Libraries of NVIDIA have thousands, most
// of them compressed, so that all processors take part.
func readFatBinaries(file string, images []*devimg.Image) error {
	return parallel.ForEach(len(images), runtime.GOMAXPROCS(0), func() func(i int) error {
		return func(i int) error {
			if err := readFatBinary(images[i]); err != nil {
				return fmt.Errorf("%s: fat binary %d: %w", file, i, err)
			}
			return nil
		}
	})
}
