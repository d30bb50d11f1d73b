package props

// Properties of SetOfflinkNative, both byte arrays.
const (
	NativeSPIRV = "spirv" // SHA-256 of the SPIR-V image's code
	NativeArch  = "arch"  // "x86-64-v3": the level of the processor
)
