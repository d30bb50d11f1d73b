package clinfo

import (
	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// Kernel describes a kernel on a device by clGetKernelWorkGroupInfo, but for its
// sub-groups.
func Kernel(r *Reader) driver.KernelInfo {
	info := driver.KernelInfo{
		MaxGroup:          int(r.OptionalNumber(cl.KernelWorkGroupSize)),
		PreferredMultiple: int(r.OptionalNumber(cl.KernelPreferredMultiple)),
		LocalMemory:       clampSize(r.OptionalNumber(cl.KernelLocalMemory)),
		PrivateMemory:     clampSize(r.OptionalNumber(cl.KernelPrivateMemory)),
	}
	for i, n := range r.optionalNumbers(cl.KernelCompileWorkGroupSize, 8) {
		if i < len(info.RequiredGroup) {
			info.RequiredGroup[i] = int(n)
		}
	}
	return info
}
