package opencl

import (
	"offlink/lazyregexp"
	"offlink/runtime/internal/cl"
)

// memoryModel is how a device's memory is allocated and addressed.
type memoryModel int

const (
	buffers       memoryModel = iota // cl_mem: no addresses
	virtualMemory                    // clSVMAlloc
	unifiedMemory                    // cl_intel_unified_shared_memory
)

// abilities are the features that the back end uses: the device's own answers,
// corrected by the quirks of its driver.
type abilities struct {
	version    int // of OpenCL: 12, 20, 21, 30
	memory     memoryModel
	hostMemory bool // host and shared memory exist
	fineSVM    bool

	create  cl.Function // of programs of SPIR-V; used if hasIL
	hasIL   bool
	noSPIRV string // why the device takes no SPIR-V
	bitcode bool   // it takes LLVM bitcode

	// wrapIL puts SPIR-V into a binary of the driver's own.
	wrapIL func(code []byte) []byte
	// translateTo is the LLVM version whose bitcode is made of SPIR-V.
	translateTo int
	// linksHere: modules are linked by offlink, not by the driver.
	linksHere bool

	// buildsWhole: the device has no linker, or one that refuses modules that others link, and
	// builds one module that offlink has linked.
	buildsWhole bool

	variables     variableAccess
	specConstants bool // clSetProgramSpecializationConstant
	uneven        bool // work-groups may have fewer work-items than others
	// known: the driver ends the process at unknown extensions and instructions, so that
	// it only gets known ones.
	known bool
	// noVariables is the reason why program-scope variables that change cannot be used.
	noVariables string
	// refusesVariables: such a variable ends the process.
	refusesVariables bool
	// noHostEvents is the reason why events that the host ends cannot be used.
	noHostEvents string
	// silentFailures: callbacks are not called for events that failed.
	silentFailures bool
	// failsAlone: an event that fails while another ends that the same command waits for ends the
	// process. It is set with diesOfFailures.
	failsAlone bool
	// diesOfFailures: two failed events in one list, or one in a queue out of order, end the
	// process.
	diesOfFailures bool
	// noFunctionPointers: the driver refuses function pointers, or they end the process.
	noFunctionPointers bool

	// noRecursion: functions that call themselves end the process.
	noRecursion bool

	quirks []string // names of those that apply, for reports
}

const version2 = 20

func (a *abilities) takesSPIRV() bool { return a.noSPIRV == "" }

// findAbilities asks the device. A function that its version does not have is not called,
// even if the loader has it.
func (d *Device) findAbilities() abilities {
	a := abilities{version: parseVersion(d.info.Version), buildsWhole: d.denies(cl.DeviceLinkerAvailable)}
	switch {
	case d.denies(cl.DeviceCompilerAvailable):
		a.noSPIRV = "it has no compiler and takes native code only"
	case a.version >= 21 && len(d.info.ILVersions) > 0 && d.api.Has(cl.CreateProgramWithIL):
		a.create, a.hasIL = cl.CreateProgramWithIL, true
	case d.info.HasExtension("cl_khr_il_program") && d.api.Has(cl.CreateProgramWithILKHR):
		a.create, a.hasIL = cl.CreateProgramWithILKHR, true
	default:
		a.noSPIRV = "it takes no SPIR-V (the driver has neither an IL version nor cl_khr_il_program)"
	}
	a.specConstants = a.hasIL && a.version >= 22 && d.api.Has(cl.SetProgramSpecializationConstant)
	a.uneven = a.version >= version2 && (a.version < 30 || !d.denies(cl.DeviceUnevenGroups))
	d.findMemory(&a)
	d.findVariableAccess(&a)
	if a.variables == variablesByKernel || a.buildsWhole {
		a.specConstants = false // the program is made of offlink's link, which has them
	}
	d.applyQuirks(&a)
	return a
}

// hasUnifiedMemory reports whether the device has the extension with its functions. Kernels
// also need clSetKernelExecInfo for it, a function of OpenCL 2.0.
func (d *Device) hasUnifiedMemory() bool {
	return d.info.HasExtension("cl_intel_unified_shared_memory") && d.api.Has(cl.DeviceMemAllocINTEL) && d.api.Has(cl.EnqueueMemcpyINTEL) &&
		d.api.Has(cl.SetKernelExecInfo)
}

// denies reports whether the device answers a query about an ability, and says no.
func (d *Device) denies(param uint32) bool {
	yes, err := d.api.Number(cl.GetDeviceInfo, param, d.handle)
	return err == nil && yes == 0
}

func (d *Device) findMemory(a *abilities) {
	r := d.infoReader()
	if a.version >= version2 && d.hasUnifiedMemory() {
		a.memory = unifiedMemory
		a.hostMemory = r.OptionalNumber(cl.DeviceUSMHost)&cl.USMAccess != 0 && r.OptionalNumber(cl.DeviceUSMShared)&cl.USMAccess != 0
		return
	}
	if caps := r.OptionalNumber(cl.DeviceSVMCapabilities); a.version >= version2 && caps&(cl.SVMCoarse|cl.SVMFine) != 0 && d.api.Has(cl.SVMAlloc) {
		a.memory = virtualMemory
		a.fineSVM = caps&cl.SVMFine != 0
		a.hostMemory = a.fineSVM
	}
}

var versionPattern = lazyregexp.New(`^OpenCL (\d)\.(\d)`)

// parseVersion reads "OpenCL 3.0 ...": 30. Text without a version counts as the
// oldest that is used.
func parseVersion(text string) int {
	digits := versionPattern().FindStringSubmatch(text)
	if digits == nil {
		return oldestVersion
	}
	return 10*int(digits[1][0]-'0') + int(digits[2][0]-'0')
}
