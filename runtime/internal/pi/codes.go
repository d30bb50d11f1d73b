package pi

import (
	"strings"

	"offlink/runtime/internal/cl"
)

// Codes that callers branch on (pi_error.def); those of OpenCL keep their
// numbers.
const (
	DeviceNotFound        = -1
	ErrorInWaitList       = -14
	DevicePartitionFailed = -18
	InvalidValue          = -30
	InvalidDevice         = -33
	InvalidBinary         = -42
	InvalidKernelName     = -46
	InvalidArgValue       = -50
	InvalidOperation      = -59
	UnsupportedFeature    = -995
	PluginSpecificError   = -996
	NoFunctionAddress     = -998
)

// codeNames are the codes that OpenCL does not have, or names otherwise.
var codeNames = map[int]string{
	0:                   "PI_SUCCESS",
	-36:                 "PI_ERROR_INVALID_QUEUE",
	UnsupportedFeature:  "PI_ERROR_UNSUPPORTED_FEATURE",
	PluginSpecificError: "PI_ERROR_PLUGIN_SPECIFIC_ERROR",
	-997:                "PI_ERROR_COMMAND_EXECUTION_FAILURE",
	NoFunctionAddress:   "PI_ERROR_FUNCTION_ADDRESS_IS_NOT_AVAILABLE",
	-999:                "PI_ERROR_UNKNOWN",
	-1102:               "PI_ERROR_UNINITIALIZED",
}

// CodeName is the name of a code, "" for one that neither PI nor OpenCL defines.
func CodeName(code int) string {
	if name := codeNames[code]; name != "" {
		return name
	}
	if name, ok := strings.CutPrefix(cl.CodeName(code), "CL_"); ok {
		return "PI_ERROR_" + name
	}
	return ""
}
