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

// The options that switch a driver's optimizer off.
const (
	CLUnoptimized = "-cl-opt-disable" // OpenCL
	ZeUnoptimized = "-ze-opt-disable" // Level Zero
)

// DriverOptions spells an image's options and hints as the driver of a device takes them.
// unoptimized is the driver's option against optimizing, "" where it has none. Options for
// other devices are left out: a driver fails a build for an option that it does not know.
func DriverOptions(opts *driver.CompileOptions, device *driver.Info, unoptimized string) string {
	intelGPU := device.Type == driver.GPU && device.VendorID == intelVendor
	var list []string
	if options := deviceOptions(opts.Options, device, intelGPU); options != "" {
		list = append(list, options)
	}
	if intelGPU {
		list = append(list, gpuOptions(opts.Hints)...)
	}
	// The vector compiler does not take it.
	if opts.Hints.Unoptimized && !opts.Hints.ExplicitSIMD && unoptimized != "" {
		list = append(list, unoptimized)
	}
	return strings.Join(list, " ")
}

// gpuOptions are the hints as Intel's compilers for GPUs take them, by OpenCL and by Level Zero.
func gpuOptions(hints driver.CompileHints) (list []string) {
	if hints.ExplicitSIMD {
		list = append(list, "-vc-codegen", "-disable-finalizer-msg")
	}
	if hints.GlobalAddresses {
		list = append(list, "-ze-take-global-address")
	}
	switch {
	case hints.Registers == driver.RegistersLarge && hints.ExplicitSIMD:
		list = append(list, "-doubleGRF")
	case hints.Registers == driver.RegistersLarge:
		list = append(list, "-ze-opt-large-register-file")
	case hints.Registers == driver.RegistersAutomatic:
		list = append(list, "-ze-intel-enable-auto-large-GRF-mode")
	}
	return list
}

// deviceOptions are the options of an image's own string.
func deviceOptions(options string, device *driver.Info, intelGPU bool) string {
	if !strings.Contains(options, "-ftarget-") {
		return options
	}
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
