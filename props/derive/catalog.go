package derive

import "offlink/props"

//go:generate go test -run TestPropertySetsPage -update .

// PropertySet is all that the project knows of one property set. The options of
// postlink, the listings of offload-wrap and docs/property-sets.md are made of
// these rows, so that a set is added in one place.
type PropertySet struct {
	Name string // as in package props
	// Keys lists the names of the properties, or the things that they name, and
	// Values describes their values; both are Markdown for the page.
	Keys, Values string
	// Option is the option of postlink that asks for the set, without dashes,
	// and Help its text. Without an option the set is written whenever the
	// image has something to say in it.
	Option, Help string
	// Always is true for a set that every image has, if with empty values.
	Always bool
	// Dialect is the only dialect that has the set, 0 for all.
	Dialect Dialect
	// Writer names the writer of a set that does not come out of the IR.
	Writer string

	// derive puts the properties of an image into the set; nil for a set that
	// does not come out of the IR.
	derive func(*image) error
	// describe words a value for people, and reports whether the value has the
	// form that the set gives it; nil where the plain form says enough.
	describe func(name string, v props.Value) (string, bool)
}

// catalog lists the sets in the order in which sycl-post-link writes them
// (SYCLPropertySets.cpp), which runtimes do not need but tests of compilers
// compare. The miscellaneous properties are written at three points: the row
// without Keys continues the set of the earlier one.
var catalog = []PropertySet{
	{
		Name: props.SetDevicelibReqMask, Keys: "`DeviceLibReqMask`", Values: "a bit for each library of `cl_intel_devicelib_*` that the image calls",
		Always: true, Dialect: Dialect2025, derive: (*image).deviceLibMask,
	},
	{
		Name: props.SetDevicelibMetadata, Keys: "`bfloat16`", Values: "1 in the bfloat16 library for devices that have the conversions, 0 in the other",
		derive: (*image).deviceLibMetadata,
	},
	{
		Name: props.SetDeviceRequirements,
		Keys: "`aspects`, `fixed_target`, `joint_matrix`, `joint_matrix_mad`, `reqd_sub_group_size`, `reqd_work_group_size_uint64_t`, `work_group_num_dim`, `compile_target`",
		Values: "features that a device must have to run the image: numbers of aspects and targets, sizes, " +
			"descriptions of matrices, the target of `-o TARGET,FILE`",
		Always: true, derive: (*image).deriveRequirements, describe: ofBytes(describeRequirement),
	},
	{
		Name: props.SetSpecConstants, Keys: "specialization constants", Values: "triples of ID, offset and size, a triple for each scalar; ID 0xFFFFFFFF is padding",
		derive: (*image).specConstants, describe: ofBytes(describeSpecConstant),
	},
	{
		Name: props.SetSpecConstantsDefaults, Keys: "`all`", Values: "the default values of the specialization constants, one after the other",
		derive: (*image).specConstantDefaults, describe: ofBytes(describeHex),
	},
	{
		Name: props.SetKernelParamOpt, Keys: "kernels", Values: "a bit for each parameter, set where the parameter was removed",
		Option: "emit-param-info", Help: "property set: arguments that kernels do not take",
		derive: (*image).paramOpt, describe: ofBytes(describeParameterMask),
	},
	{
		Name: props.SetExportedSymbols, Keys: "functions and, in dialect 2026, device globals that other images can import", Values: "1",
		Option: "emit-exported-symbols", Help: "property set: functions for other images",
		derive: (*image).exportedSymbols,
	},
	{
		Name: props.SetKernelNames, Keys: "kernels", Values: "1",
		Option: "emit-kernel-names", Help: "property set: kernels",
		derive: (*image).kernelNames,
	},
	{
		Name: props.SetImportedSymbols, Keys: "functions and, in dialect 2026, device globals that other images must give", Values: "1",
		Option: "emit-imported-symbols", Help: "property set: functions from other images",
		derive: (*image).importedSymbols,
	},
	{
		Name: props.SetProgramMetadata,
		Keys: "`KERNEL@reqd_work_group_size`, `KERNEL@reqd_sub_group_size`, `KERNEL@work_group_num_dim`, `KERNEL@max_work_group_size`, " +
			"`KERNEL@max_linear_work_group_size`, `ID@global_id_mapping`",
		Values: "sizes that a kernel asks for; the variable of a device global",
		Option: "emit-program-metadata", Help: "property set: sizes that kernels ask for",
		derive: (*image).programMetadata, describe: ofBytes(describeProgramMetadata),
	},
	{
		Name: props.SetMiscProperties,
		Keys: "`isEsimdImage`, `sycl-register-alloc-mode`, `sycl-grf-size`, `optLevel`, `idQueriesRange` (`-id-queries-range`), " +
			"`sanUsed`, `specConstsReplacedWithDefault` (`-generate-device-image-default-spec-consts`)",
		Values: "options of the device compiler; the sanitizer; 1",
		derive: (*image).deriveMisc,
	},
	{
		Name: props.SetAssertUsed, Keys: "kernels", Values: "1 for a kernel that reaches a device-side assertion",
		derive: (*image).assertUsed,
	},
	{
		Name: props.SetImplicitLocalArg, Keys: "kernels", Values: "the index of the parameter that points to work-group memory, 0xFFFFFFFF without one",
		derive: (*image).implicitLocalArg,
	},
	{
		Name: props.SetDynamicLocalMemory, Keys: "kernels", Values: "1 for a kernel that uses scratch memory of the work-group",
		Dialect: Dialect2026, derive: (*image).dynamicLocalMemory,
	},
	{Name: props.SetMiscProperties, derive: (*image).deriveSanitizer},
	{
		Name: props.SetDeviceGlobals, Keys: "unique ids of `device_global` variables", Values: "the size in bytes; 1 where one image only may have the variable",
		Option: "device-globals", Help: "check device_global variables and write their property set",
		derive: (*image).deviceGlobals, describe: ofBytes(describeDeviceGlobal),
	},
	{
		Name: props.SetHostPipes, Keys: "unique ids of host pipes", Values: "the size in bytes of an element",
		derive: (*image).hostPipes, describe: ofBytes(describeHostPipe),
	},
	{Name: props.SetMiscProperties, derive: (*image).defaultValues},
	{
		Name: props.SetVirtualFunctions, Keys: "`virtual-functions-set`, `uses-virtual-functions-set`", Values: "the set that the image defines; the sets that it calls, with commas between them",
		derive: (*image).virtualFunctions,
	},
	{
		Name: props.SetRegisteredKernels, Keys: "names that the user gave to kernels", Values: "the kernel's symbol",
		derive: (*image).registeredKernels,
	},
	{
		Name: props.SetSYCLBINGlobalMetadata, Keys: "`state`", Values: "0 input, 1 object, 2 executable", Writer: "a SYCLBIN file",
		describe: describeState,
	},
	{
		Name: props.SetSYCLBINModuleMetadata, Keys: "`type`", Values: "0 SPIR-V, 1 PTX, 2 AMDGCN", Writer: "a SYCLBIN file",
		describe: describeModuleType,
	},
	{
		Name: props.SetSYCLBINNativeMetadata, Keys: "`arch`", Values: "the processor of a native image", Writer: "a SYCLBIN file",
	},
	{
		Name: props.SetOfflinkImage, Keys: "`format`, `size`, `sha256`, `arch`", Values: "the image before compression, and the processor of its target",
		Writer: "`offload-wrap`", describe: ofBytes(describeImageFact),
	},
	{
		Name: props.SetOfflinkNative, Keys: "`spirv`, `arch`", Values: "the SHA-256 of the SPIR-V that the native image was made of; its processor",
		Writer: "`postlink -to=x86_64`", describe: ofBytes(describeNative),
	},
}

// PropertySets returns the known property sets, in the order in which they are
// written. The caller must not change them.
func PropertySets() []PropertySet {
	var sets []PropertySet
	for _, set := range catalog {
		if set.Keys != "" {
			sets = append(sets, set)
		}
	}
	return sets
}

// appliesTo reports whether images have the set under the options. Names of
// device libraries are imported whether or not imports are asked for, because
// the run itself adds the image that has them.
func (set *PropertySet) appliesTo(o *Options) bool {
	switch {
	case set.derive == nil || set.Dialect != 0 && set.Dialect != o.Dialect:
		return false
	case set.Option == "" || o.Requested[set.Name]:
		return true
	}
	return set.Name == props.SetImportedSymbols && len(o.Libraries) > 0
}
