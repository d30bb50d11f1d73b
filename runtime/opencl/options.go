package opencl

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

// driverOptions spells an image's options as the driver takes them. Options for other
// devices are left out: a driver fails a build for an option that it does not know.
func (d *Device) driverOptions(options string) string {
	if !strings.Contains(options, "-ftarget-") {
		return options
	}
	intelGPU := d.info.Type == driver.GPU && d.info.VendorID == intelVendor
	var list []string
	for _, word := range strings.Fields(options) {
		modes, isMode := strings.CutPrefix(word, registerMode)
		switch {
		case isMode && intelGPU:
			list = append(list, d.registerOptions(modes)...)
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

// registerOptions are the options of the modes for this device's architecture; pvc
// is the only architecture that DPC++ names.
func (d *Device) registerOptions(modes string) (list []string) {
	for mode := range strings.SplitSeq(modes, ",") {
		architecture, option, ok := strings.Cut(mode, ":")
		if ok && architecture == "pvc" && strings.Contains(d.info.Name, "Data Center GPU Max") {
			list = append(list, option)
		}
	}
	return list
}
