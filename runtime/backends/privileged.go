package backends

import (
	"fmt"

	"offlink/privilege"
)

// choosesCode are the variables that name files whose code is run, or folders with such files. A
// program that runs with more rights than its user has (set-user-ID, capabilities) does not
// follow them, as the system's loader does not follow LD_LIBRARY_PATH there.
var choosesCode = map[string]bool{
	configVariable: true, "XDG_CONFIG_HOME": true, "HOME": true, "LD_LIBRARY_PATH": true, "OFFLINK_LLVM_SPIRV": true,
}

// isPrivileged reports whether the program has more rights than its user.
var isPrivileged = privilege.Raised

// The variables by which the libraries of back ends take drivers and layers, or write files,
// as their documentation lists them. The loaders read them by getenv, whatever rights the
// program has.
var (
	cudaChoosing      = []string{"CUDA_INJECTION64_PATH", "CUDA_INJECTION32_PATH", "CUDA_CACHE_PATH", "CUDA_COREDUMP_FILE", "CUDA_COREDUMP_PIPE"}
	openCLChoosing    = []string{"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS", "OPENCL_LAYER_PATH"}
	levelZeroChoosing = []string{"ZE_ENABLE_ALT_DRIVERS", "ZEL_LIBRARY_PATH", "ZEL_ENABLE_LOADER_LOGGING", "ZEL_LOADER_LOG_DIR"}
)

// refuseChoice returns an error if the program has more rights than its user, and one of the
// variables is set. They are not unset, as the environment belongs to the program.
func (o *Options) refuseChoice(variables []string) error {
	if !isPrivileged() {
		return nil
	}
	for _, name := range variables {
		if o.readVariable(name) != "" {
			return fmt.Errorf("it is not opened, as the program has more rights than its user and %s may choose code that runs in it: unset the variable", name)
		}
	}
	return nil
}

// choosingVariables are those of all back ends: a plugin may open the library of any.
func choosingVariables() (names []string) {
	for _, b := range builtin {
		names = append(names, b.choosing...)
	}
	return names
}
