package wrapper

import (
	"strings"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// largePrefix begins the names of sections of large data (x86-64 psABI).
const largePrefix = ".lrodata."

// imageAlign is the alignment of each image.
const imageAlign = 16

// sectionTarget is the target in the name of an image's section. Tables of
// kinds other than SYCL name no architecture: the section does, as in the ids
// of bundles.
func sectionTarget(image *devimg.Image) string {
	if image.Arch == "" || image.Kind == devimg.KindSYCL || container.ArchOf(image.Target) != "" {
		return image.Target
	}
	target := image.Target
	for n := strings.Count(target, "-"); n < 3; n++ { // a triple and its environment
		target += "-"
	}
	return target + "-" + image.Arch
}

// imageSection returns the name and the use of the section for image bytes of
// a target. Images without a target have none of their own and lie among the
// read-only data. Large sections may be farther from code than 2 GiB.
func (h Host) imageSection(kind devimg.Kind, target string, large bool) (string, objfile.Use) {
	names := &h.format.sections
	if names.images != "" {
		return names.images, names.imagesUse
	}
	// Tools for the bundler's objects find the images by this name.
	name := container.BundleMagic + kind.String() + "-" + target
	if target == "" {
		name = names.bareImages
	}
	switch {
	case large && target == "":
		return largePrefix + "images", objfile.UseLargeData
	case large:
		return largePrefix + name, objfile.UseLargeData
	}
	return name, names.imagesUse
}
