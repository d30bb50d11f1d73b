package driver

import "strings"

// SPIRVTarget reports whether code in SPIR-V for a target is for every device that takes
// SPIR-V: "spir64", the triple of either architecture, and no target at all.
func SPIRVTarget(target string) bool {
	return target == "" || target == "spir64" || strings.HasPrefix(target, "spir64-") || strings.HasPrefix(target, "spirv64")
}

// CUDATarget reports whether code for a target is for NVIDIA's GPUs: "nvptx64", its triple, and
// the name that DPC++ has had since 2025.
func CUDATarget(target string) bool {
	return target == "nvptx64" || target == "llvm_nvptx64" || strings.HasPrefix(target, "nvptx64-")
}

// CUDACompileTarget returns the architecture, "sm_80", that the compile target of an image for
// NVIDIA's GPUs names.
func CUDACompileTarget(name string) (architecture string, ok bool) {
	return strings.CutPrefix(name, "nvidia_gpu_")
}
