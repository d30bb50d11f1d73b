package sycl

// Attributes of functions and variables.
const (
	// AttributeModuleID names the source file of a function that other images
	// can refer to: kernels and SYCL_EXTERNAL functions.
	AttributeModuleID = "sycl-module-id"
	// AttributeEntryPoint is on the entry points of an image.
	AttributeEntryPoint = "sycl-entry-point"

	// Virtual functions (sycl_ext_oneapi_virtual_functions): the set that a
	// function belongs to, and the sets that a function calls.
	AttributeIndirectlyCallable = "indirectly-callable"
	AttributeCallsIndirectly    = "calls-indirectly"
	// AttributeReferencedIndirectly is on functions whose address is taken.
	AttributeReferencedIndirectly = "referenced-indirectly"

	// Features of kernels that the device compiler is told.
	AttributeRegisterAllocMode = "sycl-register-alloc-mode"
	AttributeGRFSize           = "sycl-grf-size"
	AttributeOptLevel          = "sycl-optlevel"

	// Local memory whose size the launch decides, and the parameter by which
	// the kernel gets it.
	AttributeWorkGroupStatic  = "sycl-work-group-static"
	AttributeWorkGroupScratch = "sycl-work-group-scratch"
	AttributeImplicitLocalArg = "sycl-implicit-local-arg"

	// device_global variables: the size in bytes, whether one image only may
	// have the variable, and the name by which the host finds it.
	AttributeDeviceGlobalSize = "sycl-device-global-size"
	AttributeDeviceImageScope = "sycl-device-image-scope"
	AttributeUniqueID         = "sycl-unique-id"
	// AttributeOldImageScope is AttributeDeviceImageScope until early 2022.
	AttributeOldImageScope = "device_image_scope"

	// Host pipes: that a variable is one, and the size in bytes of an element.
	AttributeHostPipe     = "sycl-host-pipe"
	AttributeHostPipeSize = "sycl-host-pipe-size"

	// Properties of device globals and host pipes that become decorations.
	AttributeHostAccess     = "sycl-host-access"
	AttributeInitMode       = "sycl-init-mode"
	AttributeImplementInCSR = "sycl-implement-in-csr"
)
