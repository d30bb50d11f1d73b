package fromir

import "offlink/spirv"

// Opcodes of extensions.
const (
	opTypeCooperativeMatrixKHR   spirv.Opcode = 4456
	opTypeJointMatrixINTEL       spirv.Opcode = 6119
	opTypeBufferSurfaceINTEL     spirv.Opcode = 6086
	opTypeTaskSequenceINTEL      spirv.Opcode = 6199
	opArithmeticFenceEXT         spirv.Opcode = 6145
	opAliasDomainDeclINTEL       spirv.Opcode = 5911
	opAliasScopeDeclINTEL        spirv.Opcode = 5912
	opAliasScopeListDeclINTEL    spirv.Opcode = 5913
	opAsmTargetINTEL             spirv.Opcode = 5609
	opAsmINTEL                   spirv.Opcode = 5610
	opConstantCompositeContINTEL spirv.Opcode = 6091
)

// Capabilities.
const (
	capKernel             = 6
	capPoisonFreeze       = 5156
	capAddresses          = 4
	capLinkage            = 5
	capVector16           = 7
	capFloat16Buffer      = 8
	capFloat16            = 9
	capFloat64            = 10
	capInt64              = 11
	capInt64Atomics       = 12
	capImageBasic         = 13
	capImageReadWrite     = 14
	capImageMipmap        = 15
	capPipes              = 17
	capGroups             = 18
	capDeviceEnqueue      = 19
	capLiteralSampler     = 20
	capInt16              = 22
	capSampled1D          = 43
	capImage1D            = 44
	capSampledBuffer      = 46
	capImageBuffer        = 47
	capGenericPointer     = 38
	capInt8               = 39
	capSubgroupDispatch   = 58
	capNamedBarrier       = 59
	capPipeStorage        = 60
	capGroupArithmetic    = 63 // GroupNonUniformArithmetic
	capOptNoneEXT         = 6094
	capLinkOnceODR        = 0 // the extension has none
	capMemoryAliasing     = 5910
	capAddrspacePrintf    = 6411 // NonConstantAddrspacePrintfINTEL; the number means another capability now
	capFunctionPointers   = 5603
	capIndirectReferences = 5604
	capAsm                = 5606
	capLongVector         = 5425
	capArbitraryIntegers  = 5844
	capInt4               = 5112
	capUSMStorage         = 5935
	capVariableArray      = 5817
	capVectorCompute      = uint32(spirv.CapabilityVectorComputeINTEL)
	capVectorAny          = 5619
	capAtomicHalfVector   = 5404
	capDeviceBarrier      = 6185
	capThreadQueries      = 6134 // HWThreadQueryINTEL
	capTokenType          = 6112
	capDebugModule        = 6114
	capFastComposite      = 6093
	capWeakLinkage        = uint32(spirv.CapabilityWeakLinkageAMD)
	capMotionEstimation   = 5696
	capMotionIntra        = 5697
	capMotionChroma       = 5698
	capJointMatrix        = 6118
	capFloatControls2     = 6029
)

// Decorations.
const (
	decSpecID             = 1
	decCPacked            = 10
	decBuiltIn            = 11
	decRestrict           = 19
	decVolatile           = 21
	decConstant           = 22
	decSaturated          = 28
	decFuncParamAttr      = 38
	decFPRoundingMode     = 39
	decFPFastMathMode     = 40
	decLinkageAttributes  = 41
	decAlignment          = 44
	decMaxByteOffset      = 45
	decSaturatedFloat8    = 4216
	decNoSignedWrap       = 4469
	decMaxError           = 6170
	decNoUnsignedWrap     = 4470
	decReferencedIndirect = 5602
	decClobber            = 5607
	decSideEffects        = 5608
	decUserSemantic       = 5635
	decUniformID          = 27
	decAliasScope         = 5914
	decNoAlias            = 5915
	decBufferLocation     = 5921
	decRuntimeAligned     = 5940
	decIOPipeStorage      = 5944
	decMediaBlockIO       = 6140
	decArgumentAttribute  = 6409
)

// Function parameter attributes.
const (
	attrZext      = 0
	attrSext      = 1
	attrByVal     = 2
	attrSret      = 3
	attrNoAlias   = 4
	attrNoCapture = 5
	attrNoWrite   = 6
)

// Scopes.
const (
	scopeCrossDevice = 0
	scopeDevice      = 1
	scopeWorkgroup   = 2
	scopeSubgroup    = 3
	scopeInvocation  = 4
)

// Memory semantics.
const (
	semAcquire        = 0x2
	semRelease        = 0x4
	semAcquireRelease = 0x8
	semSequential     = 0x10
	semSubgroup       = 0x80
	semWorkgroup      = 0x100
	semCrossWorkgroup = 0x200
	semImage          = 0x800
)

// Memory access bits.
const (
	accessVolatile    = 1
	accessAligned     = 2
	accessNontemporal = 4
	accessAliasScope  = 1 << 16
	accessNoAlias     = 1 << 17
)
