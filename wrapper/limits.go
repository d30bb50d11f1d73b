package wrapper

import "fmt"

// wantsLarge reports whether so many bytes of images go into large sections.
func (h Host) wantsLarge(imageBytes int64) bool {
	from := h.machineLimits().largeFrom
	return from > 0 && imageBytes > from
}

// checkSize refuses more image bytes than an object for the host can bring
// into a program.
func (h Host) checkSize(imageBytes int64) error {
	limits := h.machineLimits()
	if limits.max == 0 || imageBytes < limits.max {
		return nil
	}
	return fmt.Errorf("%d bytes of images are too many for an object for %s: %s; split them over several programs or libraries, or compress them (-offload-compress)", imageBytes, h.Triple, limits.why)
}

// machineLimits returns those of the machine; a host that only has LLVM IR has none.
func (h Host) machineLimits() machineLimits {
	if h.machine == 0 {
		return machineLimits{}
	}
	return h.format.machines[h.machine]
}
