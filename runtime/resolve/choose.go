package resolve

import (
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
		if err := q.Accepts(DriverImage(img)); err != nil {
			refused = append(refused, Refusal{img, err.Error()})
			continue
		}
		accepted = append(accepted, img)
	}
	if len(accepted) == 0 {
		return nil, &NoKernelError{Kernel: q.Kernel, Refusals: refused}
	}
	return preferTarget(accepted, aotTarget[q.DeviceType]), nil
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

// DriverImage describes the image to a driver.
func DriverImage(img *registry.Image) driver.Image {
	return driver.Image{Format: img.Format.String(), Target: img.Target}
}
