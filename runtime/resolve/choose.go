package resolve

import (
	"slices"

	"offlink/props"
	"offlink/ptx"
	"offlink/runtime/driver"
	"offlink/runtime/registry"
)

// aotTarget is the target string of code that was compiled ahead of time for
// a type of device (plugins' piextDeviceSelectBinary).
var aotTarget = map[driver.Type]string{
	driver.CPU:         "spir64_x86_64",
	driver.GPU:         "spir64_gen",
	driver.Accelerator: "spir64_fpga",
}

// targetJIT is the target string of code that every device compiles itself.
const targetJIT = "spir64"

// chooseMain picks the image that the kernel is taken from, as the reference
// runtime does: the first that was compiled for this type of device, else the
// last for any device, else the last that the device takes.
func chooseMain(s *registry.Snapshot, q Request) (*registry.Image, error) {
	candidates := s.Kernel(q.Owner, q.Kernel)
	if len(candidates) == 0 {
		return nil, &NoKernelError{Kernel: q.Kernel, Known: s.KernelNames()}
	}
	var accepted []*registry.Image
	var refused []Refusal
	for _, img := range candidates {
		if err := q.accepts(img); err != nil {
			refused = append(refused, Refusal{img, err.Error()})
			continue
		}
		accepted = append(accepted, img)
	}
	if len(accepted) == 0 {
		return nil, &NoKernelError{Kernel: q.Kernel, Refusals: refused}
	}
	aot := aotTarget[q.DeviceType]
	accepted = newestCompiled(accepted)
	best := preferTarget(accepted, aot)
	return preferTarget(preferConstants(accepted, best.Target, q.SpecConstants), aot), nil
}

// newestCompiled drops the images for NVIDIA's GPUs that were compiled for older architectures
// than another has: of those that the device takes, that for the newest suits it best.
func newestCompiled(images []*registry.Image) []*registry.Image {
	newest := 0
	for _, img := range images {
		newest = max(newest, architectureOf(img))
	}
	return slices.DeleteFunc(images, func(img *registry.Image) bool {
		sm := architectureOf(img)
		return sm != 0 && sm < newest
	})
}

// architectureOf is the number of the architecture, 80 for nvidia_gpu_sm_80, or 0.
func architectureOf(img *registry.Image) int {
	name, ok := driver.CUDACompileTarget(img.CompileTarget())
	if !ok {
		return 0
	}
	a, _ := ptx.ParseArchitecture(name)
	return a.SM
}

// preferConstants returns the images for a target whose specialization constants can be set
// if the program gives values, otherwise the copies with the default values (postlink
// -generate-device-image-default-spec-consts). It returns all images if there are none of
// these.
func preferConstants(images []*registry.Image, target string, given bool) []*registry.Image {
	var serving []*registry.Image
	for _, img := range images {
		if img.Target == target && img.DefaultsOnly() != given {
			serving = append(serving, img)
		}
	}
	if len(serving) == 0 {
		return images
	}
	return serving
}

// OfDevice returns those of several images for different devices that a program of one
// device has: the images that it takes, of the target that it prefers.
func OfDevice(images []*registry.Image, takes func(driver.Image) error, kind driver.Type) []*registry.Image {
	var taken []*registry.Image
	for _, img := range images {
		if takes(DriverImage(img)) == nil {
			taken = append(taken, img)
		}
	}
	if len(taken) < 2 {
		return taken
	}
	best := preferTarget(taken, aotTarget[kind]).Target
	return slices.DeleteFunc(taken, func(img *registry.Image) bool { return img.Target != best })
}

func preferTarget(images []*registry.Image, aot string) *registry.Image {
	best := images[len(images)-1]
	for _, img := range images {
		switch img.Target {
		case aot:
			return img
		case targetJIT:
			best = img
		}
	}
	return best
}

// bfloat16Extension is the extension of devices with instructions for bfloat16. Programs
// carry DPC++'s library of conversions twice: for devices with the extension and for the
// others (libsycl-native-bfloat16 and libsycl-fallback-bfloat16).
const bfloat16Extension = "cl_intel_bfloat16_conversions"

// Alternatives reports whether a link has at most one of two images, so that their
// definitions may differ: the two forms of one device library, or, in the same file, an image and
// its copy with the default values of specialization constants, or images that were compiled for
// different devices.
func Alternatives(a, b *registry.Image) bool {
	if a.Owner == b.Owner && (a.DefaultsOnly() != b.DefaultsOnly() || a.CompileTarget() != b.CompileTarget()) {
		return true
	}
	first, second := a.BFloat16Library(), b.BFloat16Library()
	return first != second && first != registry.BFloat16None && second != registry.BFloat16None
}

// hasAlternatives reports whether there may be alternatives to an image. It takes less time than to
// look for them.
func hasAlternatives(img *registry.Image) bool {
	return img.BFloat16Library() != registry.BFloat16None || img.CompileTarget() != "" ||
		img.DefaultsOnly() || img.Properties.Get(props.SetSpecConstants) != nil
}

// bestAlternative picks among images that serve for a symbol, of which the first is an alternative
// to each other one: the native form of a device library if the device has the extension, the
// newest architecture, and by preferConstants.
func (w *linkSearch) bestAlternative(serving []*registry.Image) *registry.Image {
	if len(serving) < 2 {
		return firstImage(serving)
	}
	if serving[0].BFloat16Library() == registry.BFloat16Emulated && slices.Contains(w.request.Extensions, bfloat16Extension) {
		return serving[1]
	}
	return firstImage(preferConstants(newestCompiled(serving), serving[0].Target, w.request.SpecConstants))
}

func firstImage(list []*registry.Image) *registry.Image {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// DriverImage describes the image to a driver.
func DriverImage(img *registry.Image) driver.Image {
	if _, native := img.NativeOf(); native {
		return driver.Image{Format: driver.FormatOfflinkNative, Target: img.Target}
	}
	return driver.Image{Format: img.Format.String(), Target: img.Target, CompileTarget: img.CompileTarget()}
}
