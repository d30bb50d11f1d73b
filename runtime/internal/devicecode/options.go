package devicecode

import (
	"strings"

	"offlink/runtime/driver"
)

// Options that DPC++ records in images for its own runtime, which hands them to
// drivers in another form, or to none (program_manager.cpp of intel/llvm).
const (
	registerMode = "-ftarget-register-alloc-mode=" // ARCH:OPTION, joined by commas
	compileFast  = "-ftarget-compile-fast"
	// fastCompilation is compileFast for Intel's GPUs.
	fastCompilation = "-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000'"
	intelVendor     = 0x8086
)

// DriverOptions spells an image's options as the driver of a device takes them. Options for
// other devices are left out: a driver fails a build for an option that it does not know.
func DriverOptions(options string, device *driver.Info) string {
	if !strings.Contains(options, "-ftarget-") {
		return options
	}
	intelGPU := device.Type == driver.GPU && device.VendorID == intelVendor
	var list []string
	for _, word := range strings.Fields(options) {
		modes, isMode := strings.CutPrefix(word, registerMode)
		switch {
		case isMode && intelGPU:
			list = append(list, registerOptions(modes, device.Name)...)
		case isMode:
		case word == compileFast && intelGPU:
			list = append(list, fastCompilation)
		case word == compileFast:
		default:
			list = append(list, word)
		}
	}
	return strings.Join(list, " ")
}

// registerOptions are the options of the modes for the architecture of a device; pvc is the
// only architecture that DPC++ names.
func registerOptions(modes, device string) (list []string) {
	for mode := range strings.SplitSeq(modes, ",") {
		architecture, option, ok := strings.Cut(mode, ":")
		if ok && architecture == "pvc" && strings.Contains(device, "Data Center GPU Max") {
			list = append(list, option)
		}
	}
	return list
}
