package fromir

import (
	"strings"

	"offlink/lazy"
	"offlink/spirv"
)

// opcodeNeed is everything that a module must declare to hold an instruction: an extension
// ("" for none), a capability (0 for none) and a version of SPIR-V (0 for any).
type opcodeNeed struct {
	need
	version spirv.Version
}

// needRow gives several instructions the same needs.
type needRow struct {
	extension  string
	capability uint32
	version    spirv.Version
	// affix is the part of the names after Op that all share: INTEL, KHR or EXT at
	// their end, or GroupNonUniform at their start.
	affix string
	names string // the rest of the names
}

// opcodeName returns the whole name of an instruction of the row.
func (r *needRow) opcodeName(name string) string {
	if r.affix == "GroupNonUniform" {
		return "Op" + r.affix + name
	}
	return "Op" + name + r.affix
}

// needRows are the needs of the instructions that functions of the IR can name. The numbers
// of capabilities are those of SPIRV-Headers or, where it does not list them, of the
// specification of the extension.
var needRows = []needRow{
	{"", capGroups, 0, "", "GroupAll GroupAny GroupBroadcast GroupIAdd GroupFAdd GroupFMin GroupUMin GroupSMin GroupFMax GroupUMax GroupSMax"},
	{"", 61, spirv.Version1_3, "GroupNonUniform", "Elect"},
	{"", 62, spirv.Version1_3, "GroupNonUniform", "All Any AllEqual"},
	{"", 64, spirv.Version1_3, "GroupNonUniform", "Broadcast BroadcastFirst Ballot InverseBallot BallotBitExtract BallotBitCount BallotFindLSB BallotFindMSB"},
	{"", 65, spirv.Version1_3, "GroupNonUniform", "Shuffle ShuffleXor"},
	{"", 66, spirv.Version1_3, "GroupNonUniform", "ShuffleUp ShuffleDown"},
	{"", 68, spirv.Version1_3, "GroupNonUniform", "QuadBroadcast QuadSwap"},
	{"", capGroupArithmetic, spirv.Version1_3, "GroupNonUniform", "IAdd FAdd IMul FMul SMin UMin FMin SMax UMax FMax BitwiseAnd BitwiseOr BitwiseXor LogicalAnd LogicalOr LogicalXor"},
	{"", capDeviceEnqueue, 0, "", "EnqueueKernel EnqueueMarker GetDefaultQueue RetainEvent ReleaseEvent CreateUserEvent SetUserEventStatus IsValidEvent CaptureEventProfilingInfo BuildNDRange GetKernelNDrangeSubGroupCount GetKernelNDrangeMaxSubGroupSize GetKernelWorkGroupSize GetKernelPreferredWorkGroupSizeMultiple"},
	{"", capSubgroupDispatch, spirv.Version1_1, "", "GetKernelLocalSizeForSubgroupCount GetKernelMaxNumSubgroups"},
	{"", capPipes, 0, "", "ReadPipe WritePipe ReservedReadPipe ReservedWritePipe ReserveReadPipePackets ReserveWritePipePackets CommitReadPipe CommitWritePipe IsValidReserveId GetNumPipePackets GetMaxPipePackets GroupReserveReadPipePackets GroupReserveWritePipePackets GroupCommitReadPipe GroupCommitWritePipe"},
	{"", capPipeStorage, spirv.Version1_1, "", "CreatePipeFromPipeStorage"},
	{"", capNamedBarrier, spirv.Version1_1, "", "NamedBarrierInitialize MemoryNamedBarrier"},
	{"", 0, spirv.Version1_4, "", "PtrEqual PtrNotEqual PtrDiff CopyLogical"},
	{"SPV_KHR_abort", 5120, 0, "KHR", "Abort"},
	{"SPV_KHR_bit_instructions", 6025, 0, "", "BitReverse BitFieldInsert BitFieldSExtract BitFieldUExtract"},
	{"SPV_KHR_cooperative_matrix", 6022, 0, "KHR", "CooperativeMatrixLoad CooperativeMatrixStore CooperativeMatrixMulAdd CooperativeMatrixLength"},
	{"SPV_KHR_expect_assume", 5629, 0, "KHR", "AssumeTrue Expect"},
	{"SPV_KHR_fma", 6030, 0, "KHR", "Fma"},
	{"SPV_KHR_poison_freeze", 5156, 0, "KHR", "Freeze"},
	{"SPV_KHR_shader_clock", 5055, 0, "KHR", "ReadClock"},
	{"SPV_KHR_subgroup_rotate", 6026, 0, "KHR", "GroupNonUniformRotate"},
	{"SPV_KHR_uniform_group_instructions", 6400, 0, "KHR", "GroupIMul GroupFMul GroupBitwiseAnd GroupBitwiseOr GroupBitwiseXor GroupLogicalAnd GroupLogicalOr GroupLogicalXor"},
	{"SPV_EXT_arithmetic_fence", 6144, 0, "EXT", "ArithmeticFence"},
	{"SPV_INTEL_2d_block_io", 6228, 0, "INTEL", "Subgroup2DBlockLoad Subgroup2DBlockStore Subgroup2DBlockPrefetch"},
	{"SPV_INTEL_2d_block_io", 6230, 0, "INTEL", "Subgroup2DBlockLoadTranspose"},
	{"SPV_INTEL_2d_block_io", 6229, 0, "INTEL", "Subgroup2DBlockLoadTransform"},
	{"SPV_INTEL_arbitrary_precision_fixed_point", 5922, 0, "INTEL", "FixedSqrt FixedRecip FixedRsqrt FixedSin FixedCos FixedSinCos FixedSinPi FixedCosPi FixedSinCosPi FixedLog FixedExp"},
	{"SPV_INTEL_arbitrary_precision_floating_point", 5845, 0, "INTEL", "ArbitraryFloatSinCosPi ArbitraryFloatCast ArbitraryFloatCastFromInt ArbitraryFloatCastToInt ArbitraryFloatAdd ArbitraryFloatSub ArbitraryFloatMul ArbitraryFloatDiv ArbitraryFloatGT ArbitraryFloatGE ArbitraryFloatLT ArbitraryFloatLE ArbitraryFloatEQ ArbitraryFloatRecip ArbitraryFloatRSqrt ArbitraryFloatCbrt ArbitraryFloatHypot ArbitraryFloatSqrt ArbitraryFloatLog ArbitraryFloatLog2 ArbitraryFloatLog10 ArbitraryFloatLog1p ArbitraryFloatExp ArbitraryFloatExp2 ArbitraryFloatExp10 ArbitraryFloatExpm1 ArbitraryFloatSin ArbitraryFloatCos ArbitraryFloatSinCos ArbitraryFloatSinPi ArbitraryFloatCosPi ArbitraryFloatASin ArbitraryFloatASinPi ArbitraryFloatACos ArbitraryFloatACosPi ArbitraryFloatATan ArbitraryFloatATanPi ArbitraryFloatATan2 ArbitraryFloatPow ArbitraryFloatPowR ArbitraryFloatPowN"},
	{"SPV_INTEL_bfloat16_conversion", 6115, 0, "INTEL", "ConvertFToBF16 ConvertBF16ToF"},
	{"SPV_INTEL_bindless_images", 6528, 0, "INTEL", "ConvertHandleToImage ConvertHandleToSampler ConvertHandleToSampledImage"},
	{"SPV_INTEL_blocking_pipes", 5945, 0, "INTEL", "ReadPipeBlocking WritePipeBlocking"},
	{"SPV_INTEL_fp_conversions", 6215, 0, "INTEL", "ClampConvertFToF StochasticRoundFToF ClampStochasticRoundFToF"},
	{"SPV_INTEL_fp_conversions", 6216, 0, "INTEL", "ClampConvertFToS ClampStochasticRoundFToS"},
	{"SPV_INTEL_fpga_reg", 5948, 0, "INTEL", "FPGAReg"},
	{"SPV_INTEL_joint_matrix", 6435, 0, "INTEL", "JointMatrixGetElementCoord CooperativeMatrixApplyFunction"},
	{"SPV_INTEL_joint_matrix", 6411, 0, "INTEL", "CooperativeMatrixPrefetch"},
	{"SPV_INTEL_joint_matrix", 6192, 0, "INTEL", "CooperativeMatrixLoadChecked CooperativeMatrixStoreChecked CooperativeMatrixConstructChecked"},
	{"SPV_INTEL_joint_matrix", 6238, 0, "INTEL", "CooperativeMatrixLoadOffset CooperativeMatrixStoreOffset"},
	{"SPV_INTEL_joint_matrix", capJointMatrix, 0, "INTEL", "JointMatrixLoad JointMatrixStore JointMatrixMad"},
	{"SPV_INTEL_masked_gather_scatter", 6427, 0, "INTEL", "MaskedGather MaskedScatter"},
	{"SPV_INTEL_media_block_io", 5579, 0, "INTEL", "SubgroupImageMediaBlockRead SubgroupImageMediaBlockWrite"},
	{"SPV_INTEL_memory_access_aliasing", capMemoryAliasing, 0, "INTEL", "AliasDomainDecl"},
	{"SPV_INTEL_predicated_io", 6257, 0, "INTEL", "PredicatedLoad PredicatedStore"},
	{"SPV_INTEL_sigmoid", 6167, 0, "INTEL", "FSigmoid"},
	{"SPV_INTEL_split_barrier", 6141, 0, "INTEL", "ControlBarrierArrive ControlBarrierWait"},
	{"SPV_INTEL_subgroup_buffer_prefetch", 6220, 0, "INTEL", "SubgroupBlockPrefetch"},
	{"SPV_INTEL_subgroup_matrix_multiply_accumulate", 6236, 0, "INTEL", "SubgroupMatrixMultiplyAccumulate"},
	{"SPV_INTEL_subgroup_scaled_matrix_multiply_accumulate", 6263, 0, "INTEL", "SubgroupScaledMatrixMultiplyAccumulate"},
	{"SPV_INTEL_subgroups", 5568, 0, "INTEL", "SubgroupShuffle SubgroupShuffleDown SubgroupShuffleUp SubgroupShuffleXor"},
	{"SPV_INTEL_subgroups", 5569, 0, "INTEL", "SubgroupBlockRead SubgroupBlockWrite"},
	{"SPV_INTEL_subgroups", 5570, 0, "INTEL", "SubgroupImageBlockRead SubgroupImageBlockWrite"},
	{"SPV_INTEL_task_sequence", 6162, 0, "INTEL", "TaskSequenceCreate TaskSequenceAsync TaskSequenceGet TaskSequenceRelease"},
	{"SPV_INTEL_tensor_float32_conversion", 6425, 0, "INTEL", "RoundFToTF32"},
	{"SPV_INTEL_ternary_bitwise_function", 6241, 0, "INTEL", "BitwiseFunction"},
	{"SPV_INTEL_unstructured_loop_controls", 5886, 0, "INTEL", "LoopControl"},
	{"SPV_INTEL_variable_length_array", capVariableArray, 0, "INTEL", "VariableLengthArray SaveMemory RestoreMemory"},
	{"SPV_INTEL_device_side_avc_motion_estimation", capMotionIntra, 0, "INTEL", "SubgroupAvcMceGetDefaultIntraLumaShapePenalty SubgroupAvcMceGetDefaultIntraLumaModePenalty SubgroupAvcMceGetDefaultNonDcLumaIntraPenalty SubgroupAvcSicConfigureIpeLuma SubgroupAvcSicSetIntraLumaModeCostFunction SubgroupAvcSicEvaluateIpe SubgroupAvcSicGetIpeLumaShape SubgroupAvcSicGetBestIpeLumaDistortion SubgroupAvcSicGetPackedIpeLumaModes SubgroupAvcSicGetPackedSkcLumaCountThreshold SubgroupAvcSicGetPackedSkcLumaSumThreshold"},
	{"SPV_INTEL_device_side_avc_motion_estimation", capMotionChroma, 0, "INTEL", "SubgroupAvcMceGetDefaultIntraChromaModeBasePenalty SubgroupAvcSicConfigureIpeLumaChroma SubgroupAvcSicSetIntraChromaModeCostFunction SubgroupAvcSicGetBestIpeChromaDistortion SubgroupAvcSicGetIpeChromaMode"},
}

// opcodeNeeds are the rows by instruction.
var opcodeNeeds = lazy.Map[spirv.Opcode, opcodeNeed]{New: func() map[spirv.Opcode]opcodeNeed {
	table := map[spirv.Opcode]opcodeNeed{}
	for _, row := range needRows {
		for name := range strings.FieldsSeq(row.names) {
			table[spirv.OpcodeByName(row.opcodeName(name))] = opcodeNeed{need{row.extension, row.capability}, row.version}
		}
	}
	return table
}}

// instructionNeeds notes the extension, the capability and the version that an instruction
// needs; one without a row needs nothing.
func (t *translator) instructionNeeds(op spirv.Opcode) {
	n, ok := opcodeNeeds.Get()[op]
	if !ok && isMotionEstimation(op) {
		n, ok = motionEstimation, true
	}
	if !ok {
		return
	}
	if n.extension != "" {
		t.useExtension(n.extension)
	}
	if n.capability != 0 {
		t.useCapabilities(n.capability)
	}
	if n.version > 0 {
		t.needVersion(n.version)
	}
}

// motionEstimation are the needs of those instructions of motion estimation that have no row.
var motionEstimation = opcodeNeed{need: need{"SPV_INTEL_device_side_avc_motion_estimation", capMotionEstimation}}

// isMotionEstimation reports whether an instruction is one of
// SPV_INTEL_device_side_avc_motion_estimation.
func isMotionEstimation(op spirv.Opcode) bool {
	return op == spirv.OpVmeImageINTEL || op >= spirv.OpSubgroupAvcMceGetDefaultInterBaseMultiReferencePenaltyINTEL &&
		op <= spirv.OpSubgroupAvcSicGetInterRawSadsINTEL
}
