package wrapper

import (
	"strings"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// sectionNames are the names that a format gives the sections of an object.
type sectionNames struct {
	code, strings, data, relocated, info string
	constructors, destructors            string
	bareImages                           string // of images without a target
}

// The constructor runs at priority 1, the destructor at the same: first and
// last of all (llvm.global_ctors). Linkers order the sections by their names;
// lists of MinGW count down and run from the end.
var (
	elfNames = sectionNames{
		code: ".text.startup", strings: ".rodata.str1.1", data: ".rodata", relocated: ".data.rel.ro",
		info: ".tgtimg", constructors: ".init_array.1", destructors: ".fini_array.1",
		bareImages: ".rodata.images",
	}
	coffNames = sectionNames{
		code: ".text.startup", strings: ".rdata", data: ".rdata", relocated: ".rdata",
		info: ".tgtimg", constructors: ".CRT$XCA00001", destructors: ".CRT$XTA00001",
		bareImages: ".rdata$images",
	}
	mingwNames = sectionNames{
		code: ".text.startup", strings: ".rdata", data: ".rdata", relocated: ".rdata",
		info: ".tgtimg", constructors: ".ctors.65534", destructors: ".dtors.65534",
		bareImages: ".rdata$images",
	}
	// Mach-O has no priorities and no destructors: the constructor registers
	// the destructor with __cxa_atexit.
	machoNames = sectionNames{
		code: "__TEXT,__text", strings: "__DATA,__const", data: "__DATA,__const", relocated: "__DATA,__const",
		info: "__DATA,__tgtimg", constructors: "__DATA,__mod_init_func",
	}
)

// machoImages is the section of the image bytes in Mach-O, whose section
// names have 16 characters.
const machoImages = "__DATA,__offload_img"

func (h Host) sectionNames() *sectionNames {
	switch {
	case h.mingw:
		return &mingwNames
	case h.format == objfile.COFF:
		return &coffNames
	case h.format == objfile.MachO:
		return &machoNames
	}
	return &elfNames
}

// bundlePrefix begins the names of sections with image bytes, so that tools
// for the bundler's objects find them.
const bundlePrefix = "__CLANG_OFFLOAD_BUNDLE__"

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
	name := bundlePrefix + kind.String() + "-" + target
	if target == "" {
		name = h.sectionNames().bareImages
	}
	switch {
	case h.format == objfile.MachO:
		return machoImages, objfile.UseRetainedData
	case large && target == "":
		return ".lrodata.images", objfile.UseLargeData
	case large:
		return ".lrodata." + name, objfile.UseLargeData
	}
	return name, objfile.UseData
}
