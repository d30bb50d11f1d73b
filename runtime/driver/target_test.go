package driver

import "testing"

// TestTargets has the names of targets under which tools write code for every device, and those
// of code for one.
func TestTargets(t *testing.T) {
	for target, want := range map[string][2]bool{ // SPIR-V, CUDA
		"": {true, false}, "spir64": {true, false}, "spir64-unknown-unknown": {true, false}, "spirv64": {true, false},
		"spirv64-unknown-unknown": {true, false}, "spir64_x86_64": {}, "spir64_gen": {}, "spirv32": {}, "amdgcn": {},
		"nvptx64": {false, true}, "nvptx64-nvidia-cuda": {false, true}, "llvm_nvptx64": {false, true}, "nvptx": {},
	} {
		if got := [2]bool{SPIRVTarget(target), CUDATarget(target)}; got != want {
			t.Errorf("%q: %v, want %v", target, got, want)
		}
	}
}
