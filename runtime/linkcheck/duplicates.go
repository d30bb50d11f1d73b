package linkcheck

import (
	"fmt"
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/globals"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/wrapper/devimg"
)

// symbolOf is a symbol of code that links together.
type symbolOf struct {
	name string
	kind driver.Image
}

// compareDefinitions reports symbols that images for one target define
// differently: the first image that is registered serves, and the order of
// registration is that of the loader.
func (c *checker) compareDefinitions() {
	first := make(map[symbolOf]*registry.Image)
	told := make(map[symbolOf]bool)
	for i, img := range c.program.Loaded.Images {
		kernels := img.Kernels()
		for _, name := range c.exports[i] {
			if slices.Contains(kernels, name) || registry.IsServiceKernel(name) {
				continue // translators export kernels, which nobody imports
			}
			key := symbolOf{name, resolve.DriverImage(img)}
			have := first[key]
			if have == nil {
				first[key] = img
				continue
			}
			serves := ""
			if kernel := c.taken[takenFrom{name, img}]; kernel != "" {
				serves = ", which serves for kernel " + kernel
			}
			if told[key] && serves == "" || resolve.Alternatives(have, img) {
				continue
			}
			if same, compared := c.resolver.SameDefinition(have, img, name); compared && !same {
				told[key] = true
				c.addProblem(Warning, Duplicate, name, fmt.Sprintf("%s is defined differently by %v, which serves, and by %v%s; give one of the two another name", name, have, img, serves))
			}
		}
	}
}

// kernelOf is a kernel of code for one device.
type kernelOf struct {
	name string
	kind driver.Image
	arch string
}

// compareKernels reports kernels that are defined twice. A launch takes the
// one of its own file; within a file that is the last.
func (c *checker) compareKernels() {
	first := make(map[kernelOf]*registry.Image)
	told := make(map[kernelOf]bool)
	for _, img := range c.program.Loaded.Images {
		for _, name := range img.Kernels() {
			key := kernelOf{name, resolve.DriverImage(img), img.Arch}
			have := first[key]
			if have == nil {
				first[key] = img
				continue
			}
			if told[key] || c.sameKernel(have, img, name) {
				continue
			}
			told[key] = true
			taken := "a launch takes that of the file that it comes from"
			if have.Owner == img.Owner {
				taken = "a launch takes the last"
			}
			c.addProblem(Warning, KernelTwice, name, fmt.Sprintf("kernel %s is in %v and, defined differently, in %v: %s", name, have, img, taken))
		}
	}
}

// sameKernel compares the functions, or the whole code where that is not
// SPIR-V.
func (c *checker) sameKernel(a, b *registry.Image, name string) bool {
	same, known := c.resolver.SameKernel(a, b, name)
	if known {
		c.resolver.ForgetCode([]*registry.Image{a, b})
		return same
	}
	return sameCode(a, b)
}

func sameCode(a, b *registry.Image) bool {
	if a.Code.Size() != b.Code.Size() {
		return false
	}
	first, err := devimg.ReadCode(a.Code)
	if err != nil {
		return false
	}
	second, err := devimg.ReadCode(b.Code)
	return err == nil && slices.Equal(first, second)
}

// compareGlobals reports device globals that images describe differently, and
// those of image scope in several images, which the host cannot distinguish.
func (c *checker) compareGlobals() {
	var database globals.Database
	first := make(map[symbolOf]*registry.Image)
	for _, img := range c.program.Loaded.Images {
		// Images are added one at a time, so that each fault names both images.
		for _, line := range faultLines(database.AddImages([]*registry.Image{img})) {
			c.addProblem(Error, DeviceGlobal, "", line)
		}
		for _, id := range globals.Of(img) {
			v, err := database.ByID(id)
			key := symbolOf{id, resolve.DriverImage(img)}
			if err != nil || !v.ImageScope {
				continue
			}
			if have := first[key]; have != nil {
				c.addProblem(Warning, DeviceGlobal, id, fmt.Sprintf("device global %s has image scope and is in %v and in %v: the host cannot copy to it or from it", id, have, img))
				continue
			}
			first[key] = img
		}
	}
}

// faultLines takes joined errors apart.
func faultLines(err error) (lines []string) {
	switch joined := err.(type) {
	case nil:
	case interface{ Unwrap() []error }:
		for _, e := range joined.Unwrap() {
			lines = append(lines, e.Error())
		}
	default:
		lines = append(lines, err.Error())
	}
	return lines
}
