package cl

// Queries of platforms and devices (cl.h).
const (
	PlatformVersion    = 0x0901
	PlatformName       = 0x0902
	PlatformVendor     = 0x0903
	PlatformExtensions = 0x0904

	DeviceType                = 0x1000
	DeviceVendorID            = 0x1001
	DeviceMaxComputeUnits     = 0x1002
	DeviceMaxWorkGroupSize    = 0x1004
	DeviceMaxWorkItemSizes    = 0x1005
	DeviceVectorWidthChar     = 0x1006
	DeviceVectorWidthShort    = 0x1007
	DeviceVectorWidthInt      = 0x1008
	DeviceVectorWidthLong     = 0x1009
	DeviceVectorWidthFloat    = 0x100A
	DeviceVectorWidthDouble   = 0x100B
	DeviceMaxClockFrequency   = 0x100C
	DeviceAddressBits         = 0x100D
	DeviceMaxAllocation       = 0x1010
	DeviceImageSupport        = 0x1016
	DeviceMaxParameterSize    = 0x1017
	DeviceMemoryAlignment     = 0x1019 // in bits
	DeviceSingleConfig        = 0x101B
	DeviceCacheLine           = 0x101D
	DeviceCacheSize           = 0x101E
	DeviceGlobalMemory        = 0x101F
	DeviceConstantMemory      = 0x1020
	DeviceLocalMemoryType     = 0x1022 // 1: dedicated
	DeviceLocalMemory         = 0x1023
	DeviceErrorCorrection     = 0x1024
	DeviceTimerResolution     = 0x1025
	DeviceEndianLittle        = 0x1026
	DeviceCompilerAvailable   = 0x1028
	DeviceQueueProperties     = 0x102A
	DeviceName                = 0x102B
	DeviceVendor              = 0x102C
	DriverVersion             = 0x102D
	DeviceVersion             = 0x102F
	DeviceExtensions          = 0x1030
	DeviceDoubleConfig        = 0x1032
	DeviceHalfConfig          = 0x1033
	DeviceVectorWidthHalf     = 0x1034
	DeviceHostUnified         = 0x1035
	DeviceLinkerAvailable     = 0x103E
	DeviceUnevenGroups        = 0x1065
	DeviceMaxSubDevices       = 0x1043
	DevicePartitions          = 0x1044
	DevicePrintfBuffer        = 0x1049
	DeviceSVMCapabilities     = 0x1053
	DeviceILVersion           = 0x105B
	DeviceMaxSubGroups        = 0x105C
	DeviceSubGroupSizes       = 0x4108
	DeviceUSMHost             = 0x4190
	DeviceUSMDevice           = 0x4191
	DeviceUSMShared           = 0x4192
	DeviceUSMSharedCross      = 0x4193
	DeviceUSMSharedSystem     = 0x4194
	PartitionEqually          = 0x1086
	PartitionByAffinity       = 0x1088
	AffinityNUMA              = 1 << 0
	AffinityNextPartitionable = 1 << 5
)

// Bits of the device type, of queues, of SVM capabilities and of USM
// capabilities.
const (
	TypeCPU         = 1 << 1
	TypeGPU         = 1 << 2
	TypeAccelerator = 1 << 3

	QueueOutOfOrder = 1 << 0
	QueueProfiling  = 1 << 1

	SVMCoarse     = 1 << 0
	SVMFine       = 1 << 1
	SVMFineSystem = 1 << 2
	SVMAtomics    = 1 << 3

	USMAccess = 1 << 0
	USMAtomic = 1 << 1
)

// Flags of SVMAlloc.
const (
	MemReadWrite = 1 << 0
	MemSVMFine   = 1 << 10
)

// Queries of queues, memory, programs, kernels and events.
const (
	QueueContext    = 0x1090
	QueueProperties = 0x1093
	MemSize         = 0x1102
	MemContext      = 0x1106

	MemAllocType = 0x419A // of unified shared memory
	MemAllocBase = 0x419B
	MemAllocSize = 0x419C

	TypeHostUSM   = 0x4197
	TypeDeviceUSM = 0x4198
	TypeSharedUSM = 0x4199

	ProgramBinarySizes = 0x1165
	ProgramBinaries    = 0x1166
	ProgramKernelNames = 0x1168
	ProgramBuildLog    = 0x1183
	ProgramBinaryType  = 0x1184

	KernelNumArgs                 = 0x1191
	KernelArgAddressQualifier     = 0x1196
	KernelArgTypeName             = 0x1198
	KernelArgName                 = 0x119A
	KernelWorkGroupSize           = 0x11B0
	KernelCompileWorkGroupSize    = 0x11B1
	KernelLocalMemory             = 0x11B2
	KernelPreferredMultiple       = 0x11B3
	KernelPrivateMemory           = 0x11B4
	KernelCompileSubGroupSize     = 0x410A
	KernelMaxSubGroupSizeForRange = 0x2033

	ExecIndirectHost   = 0x4200
	ExecIndirectDevice = 0x4201
	ExecIndirectShared = 0x4202
	ExecSVMFineSystem  = 0x11B7
	ExecSVMPointers    = 0x11B6

	EventCommandStatus = 0x11D3
	ProfilingQueued    = 0x1280
	ProfilingSubmit    = 0x1281
	ProfilingStart     = 0x1282
	ProfilingEnd       = 0x1283
)

// Address qualifiers of a kernel's parameters.
const (
	AddressGlobal   = 0x119B
	AddressLocal    = 0x119C
	AddressConstant = 0x119D
	AddressPrivate  = 0x119E
)
