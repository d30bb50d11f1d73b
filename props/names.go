package props

// Names of the known sets (PropertySetIO.h). Every other package takes them
// from here; props/derive has a row for each.
const (
	SetDevicelibReqMask      = "SYCL/devicelib req mask"
	SetDevicelibMetadata     = "SYCL/devicelib metadata"
	SetDeviceRequirements    = "SYCL/device requirements"
	SetSpecConstants         = "SYCL/specialization constants"
	SetSpecConstantsDefaults = "SYCL/specialization constants default values"
	SetKernelParamOpt        = "SYCL/kernel param opt"
	SetExportedSymbols       = "SYCL/exported symbols"
	SetImportedSymbols       = "SYCL/imported symbols"
	SetKernelNames           = "SYCL/kernel names"
	SetProgramMetadata       = "SYCL/program metadata"
	SetMiscProperties        = "SYCL/misc properties"
	SetAssertUsed            = "SYCL/assert used"
	SetDeviceGlobals         = "SYCL/device globals"
	SetHostPipes             = "SYCL/host pipes"
	SetVirtualFunctions      = "SYCL/virtual functions"
	SetImplicitLocalArg      = "SYCL/implicit local arg"
	SetDynamicLocalMemory    = "SYCL/work group dynamic local mem"
	SetRegisteredKernels     = "SYCL/registered kernels"
	SetSYCLBINGlobalMetadata = "SYCLBIN/global metadata"
	SetSYCLBINModuleMetadata = "SYCLBIN/ir module metadata"
	SetSYCLBINNativeMetadata = "SYCLBIN/native device code image metadata"
	// SetOfflinkImage is ours: format and size of an image before it was
	// compressed, its digest, and its architecture.
	SetOfflinkImage = "offlink/image"
	// SetOfflinkNative is ours: the SPIR-V that a native image of the embedded
	// device was made of, and the processor that it is for.
	SetOfflinkNative = "offlink/native"
)
