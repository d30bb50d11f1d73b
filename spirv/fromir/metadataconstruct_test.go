package fromir_test

import (
	"strconv"
	"strings"
	"testing"
)

// TestDecorationMetadata: decorations that metadata and attributes ask for.
func TestDecorationMetadata(t *testing.T) {
	const empty = "define spir_kernel void @k(ptr addrspace(1) %p)"
	checkConstructs(t, []construct{
		{name: "function", ir: empty + " !spirv.Decorations !0 { ret void }\n!0 = !{!1}\n!1 = !{i32 5635, !\"text\"}", want: []string{`OpDecorate %k UserSemantic "text"`}},
		{name: "instruction", ir: kernelOf("%a = add i32 %n, 1, !spirv.Decorations !0\nstore i32 %a, ptr addrspace(1) %p", "!0 = !{!1}\n!1 = !{i32 5635, !\"text\"}"), want: []string{`OpDecorate %a UserSemantic "text"`}},
		{
			name: "variable", ir: "@g = addrspace(1) global i32 0, !spirv.Decorations !0\n!0 = !{!1, !2}\n!1 = !{i32 6147, i32 1, !\"name\"}\n!2 = !{i32 6149, i1 true}",
			want: []string{"SPV_INTEL_global_variable_decorations", "HostAccessINTEL", "ImplementInCSRINTEL 1"},
		},
		{
			name: "parameter", ir: empty + " !spirv.ParameterDecorations !0 { ret void }\n!0 = !{!1}\n!1 = !{!2, !3}\n!2 = !{i32 6442, i32 1, i32 2}\n!3 = !{i32 19}",
			want: []string{"SPV_INTEL_cache_controls", "OpDecorate %p CacheControlLoadINTEL 1 StreamingINTEL", "OpDecorate %p Restrict"},
		},
		{name: "not allowed", extensions: "-all", ir: empty + " !spirv.ParameterDecorations !0 { ret void }\n!0 = !{!1}\n!1 = !{!2}\n!2 = !{i32 6442, i32 1, i32 2}", absent: []string{"CacheControl"}},
		{name: "fast-math mode", ir: kernelOf("%a = fadd float %x, %x, !spirv.Decorations !0"+storeX, "!0 = !{!1}\n!1 = !{i32 40, i32 1}"), absent: []string{"FPFastMathMode "}},
		{
			name: "scopes of aliases", ir: kernelOf("%a = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst, !alias.scope !0\ncall void @f(), !noalias !0", "declare void @f()\n!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}"),
			want: []string{"OpAliasScopeListDeclINTEL", "OpDecorateId %a AliasScopeINTEL", "NoAliasINTEL"},
		},
		{name: "FPGA functions", ir: empty + ` !stall_enable !1 !stall_free !1 !loop_fuse !2 !initiation_interval !3 !max_concurrency !3 !pipeline_kernel !4 !prefer_dsp !1 !propagate_dsp_preference !1 { ret void }
!1 = !{i32 1}
!2 = !{i32 3, i32 1}
!3 = !{i32 5}
!4 = !{i32 0}`, want: []string{"StallEnableINTEL", "StallFreeINTEL", "FuseLoopsInFunctionINTEL 3 1", "InitiationIntervalINTEL 5", "MaxConcurrencyINTEL 5", "PipelineEnableINTEL 0", "MathOpDSPModeINTEL 1 1"}},
		{
			name: "arguments", ir: "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) !kernel_arg_buffer_location !0 !kernel_arg_runtime_aligned !1 { ret void }\n!0 = !{i32 3, i32 4}\n!1 = !{i1 true, i1 true}",
			want: []string{"OpDecorate %p BufferLocationINTEL 3", "OpDecorate %p RuntimeAlignedINTEL 1"}, absent: []string{"%n BufferLocation"},
		},
		{name: "pipe of a device", ir: "@pipe = addrspace(1) global i32 0, !io_pipe_id !0\n!0 = !{i32 7}", want: []string{"OpCapability IOPipesINTEL", "SPV_INTEL_io_pipes", "OpDecorate %pipe IOPipeStorageINTEL 7"}},
		{name: "operands of a decoration without any", ir: "@g = addrspace(1) global i32 0, !spirv.Decorations !0\n!0 = !{!1}\n!1 = !{i32 19, i32 7}", want: []string{"OpDecorate %g Restrict\n"}},
		{name: "text for a number", ir: "@g = addrspace(1) global i32 0, !spirv.Decorations !0\n!0 = !{!1}\n!1 = !{i32 44, !\"8\"}", err: "the operands of the decoration Alignment in metadata are not those of the decoration"},
		{name: "a number for text", ir: "@g = addrspace(1) global i32 0, !spirv.Decorations !0\n!0 = !{!1}\n!1 = !{i32 5635, i32 1}", err: "the operands of the decoration UserSemantic in metadata"},
		{name: "a number too few", ir: "@g = addrspace(1) global i32 0, !spirv.Decorations !0\n!0 = !{!1}\n!1 = !{i32 6442, i32 1}", err: "the operands of the decoration CacheControlLoadINTEL in metadata"},
		{name: "neither", ir: "@g = addrspace(1) global i32 0, !spirv.Decorations !0\n!0 = !{!1}\n!1 = !{i32 44, !1}", err: "an operand of the decoration Alignment in metadata is neither a number nor a string"},
		{name: "numbers of any number", ir: "@g = addrspace(1) global i32 0, !spirv.Decorations !0\n!0 = !{!1}\n!1 = !{i32 5835, i32 1, i32 2, i32 3}", want: []string{"BankBitsINTEL 1 2 3"}},
		{name: "fast composite", ir: "define spir_kernel void @k() \"VCFunction\" \"VCFCEntry\" { ret void }", want: []string{"OpCapability FastCompositeINTEL", "SPV_INTEL_fast_composite", "OpExecutionMode %k FastCompositeKernelINTEL"}},
		{name: "unused memory", ir: "define spir_func void @f(ptr addrspace(1) readnone %p) { ret void }", want: []string{"OpDecorate %p FuncParamAttr NoWrite"}},
	})
}

// TestExecutionModes: the modes of metadata.
func TestExecutionModes(t *testing.T) {
	mode := func(row string) string {
		return "define spir_kernel void @k(float %x) { ret void }\n!spirv.ExecutionMode = !{!0}\n!0 = !{ptr @k, " + row + "}"
	}
	attached := func(kind, node string) string {
		return "define spir_kernel void @k(float %x) !" + kind + " !0 { ret void }\n!0 = !{" + node + "}"
	}
	checkConstructs(t, []construct{
		{name: "rounding up", ir: mode("i32 5620, i32 32"), want: []string{"OpCapability RoundToInfinityINTEL", "SPV_INTEL_float_controls2", "RoundingModeRTPINTEL 32"}},
		{name: "alternative mode", ir: mode("i32 5622, i32 32"), want: []string{"OpCapability FloatingPointModeINTEL", "FloatingPointModeALTINTEL 32"}},
		{name: "rounding up, not allowed", extensions: "-all", ir: mode("i32 5620, i32 32"), absent: []string{"Rounding"}},
		{name: "local memory", ir: mode("i32 5618, i32 99"), want: []string{"SPV_INTEL_vector_compute", "SharedLocalMemorySizeINTEL 99"}},
		{name: "signed zeros", extensions: "-all", ir: mode("i32 4461, i32 32"), want: []string{"SignedZeroInfNanPreserve 32"}},
		{name: "signed zeros with float_controls2", ir: mode("i32 4461, i32 32"), want: []string{"OpExecutionModeId %k FPFastMathDefault"}},
		{name: "default of a type", ir: mode("i32 6028, float poison, i32 7"), want: []string{"OpExecutionModeId %k FPFastMathDefault", "OpConstant", "7"}},
		{name: "sub-groups of a work-group", extensions: "-all", ir: mode("i32 36, i32 4"), want: []string{"OpCapability SubgroupDispatch", "SubgroupsPerWorkgroup 4"}},
		{name: "primary sub-group size", ir: attached("intel_reqd_sub_group_size", "i32 -1"), want: []string{"SPV_INTEL_subgroup_requirements", "NamedSubgroupSizeINTEL 0", "SubgroupSize 4294967295"}},
		{name: "registers", ir: attached("MaximumRegisters", "i32 8"), want: []string{"SPV_INTEL_maximum_registers", "MaximumRegistersINTEL 8"}},
		{name: "registers by name", ir: attached("MaximumRegisters", "!\"AutoINTEL\""), want: []string{"NamedMaximumRegistersINTEL AutoINTEL"}},
		{
			name: "register allocation", extensions: "+all,-SPV_INTEL_maximum_registers", ir: attached("RegisterAllocMode", "i32 2"),
			want: []string{`UserSemantic "num-thread-per-eu 4"`}, absent: []string{"MaximumRegisters"},
		},
		{name: "register allocation as a mode", ir: attached("RegisterAllocMode", "i32 2"), want: []string{"SPV_INTEL_maximum_registers", "MaximumRegistersINTEL 2"}, absent: []string{"num-thread-per-eu"}},
		{name: "register allocation by name", ir: attached("RegisterAllocMode", "!\"AutoINTEL\""), want: []string{"NamedMaximumRegistersINTEL AutoINTEL"}},
		{name: "registers by a constant", ir: attached("MaximumRegisters", "!1") + "\n!1 = !{i32 8}", want: []string{"OpExecutionModeId %k MaximumRegistersIdINTEL"}},
		{name: "register map", ir: attached("ip_interface", "!\"csr\", !\"wait_for_done_write\""), want: []string{"RegisterMapInterfaceINTEL 1"}},
		{name: "streaming", ir: attached("ip_interface", "!\"streaming\""), want: []string{"StreamingInterfaceINTEL 0"}},
		{name: "largest work-group", ir: attached("max_work_group_size", "i32 4, i32 2"), want: []string{"MaxWorkgroupSizeINTEL 4 2 1"}},
	})
}

// TestVectorCompute: explicit SIMD code after its lowering.
func TestVectorCompute(t *testing.T) {
	checkConstructs(t, []construct{
		{
			name: "kernel", ir: `define spir_kernel void @k(i32 "VCArgumentIOKind"="1" %p, ptr addrspace(1) "VCSingleElementVector"="2" %q) #0 { ret void }
attributes #0 = { "VCFunction" "VCSLMSize"="4096" "VCFloatControl"="80" "VCNamedBarrierCount"="3" }`,
			want: []string{
				"OpCapability VectorComputeINTEL", "SPV_INTEL_vector_compute", "RoundingModeRTPINTEL 64", "FloatingPointModeIEEEINTEL 64", "DenormPreserve 64", "DenormFlushToZero 32",
				"SharedLocalMemorySizeINTEL 4096", "NamedBarrierCountINTEL 3", "FuncParamIOKindINTEL 1", "SingleElementVectorINTEL 2", "VectorComputeFunctionINTEL",
			},
		},
		{
			name: "function", ir: `define float @f(float %x) #0 { ret float %x }
attributes #0 = { "VCStackCall" "VCFloatControl"="32" "VCFunction" "VCSIMTCall"="5" }`,
			// One for each width, which is an operand.
			disputed: "decorated with FunctionDenormModeINTEL multiple times",
			want:     []string{"StackCallINTEL", "VectorComputeFunctionINTEL", "SIMTCallINTEL 5", "FunctionDenormModeINTEL 64 FlushToZero", "FunctionRoundingModeINTEL 64 RTN", "FunctionFloatingPointModeINTEL 64 IEEE"},
		},
		{
			name: "variable", extensions: "+SPV_INTEL_vector_compute", ir: `@g = internal global <32 x i32> undef, align 128 #0
define void @f() #1 { %v = load <32 x i32>, ptr @g
store <32 x i32> %v, ptr @g
ret void }
attributes #0 = { "VCGlobalVariable" "VCByteOffset"="4" "VCVolatile" "VCSingleElementVector"="1" }
attributes #1 = { "VCFunction" }`,
			want: []string{"OpCapability VectorAnyINTEL", "VectorComputeVariableINTEL", "GlobalVariableOffsetINTEL 4", "OpDecorate %g Volatile", "SingleElementVectorINTEL 1", "OpTypeVector", "Private"},
		},
		{name: "not allowed", extensions: "-all", ir: "define void @f() #0 { ret void }\nattributes #0 = { \"VCFunction\" }", absent: []string{"VectorCompute"}},
	})
}

// TestAnnotationBlocks: decorations that the text of an annotation holds.
func TestAnnotationBlocks(t *testing.T) {
	pointer := func(text string) string {
		return "@text = private addrspace(1) constant [" + strconv.Itoa(len(text)+1) + " x i8] c\"" + strings.ReplaceAll(text, "\"", "\\22") + "\\00\", section \"llvm.metadata\"\n" +
			kernelOf("%q = getelementptr inbounds i32, ptr addrspace(1) %p, i64 1\n%a = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %q, ptr addrspace(1) @text, ptr addrspace(1) undef, i32 undef, ptr addrspace(1) undef)\nstore i32 %n, ptr addrspace(1) %a",
				"declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))")
	}
	checkConstructs(t, []construct{
		{name: "text", ir: pointer("hello"), want: []string{`UserSemantic "hello"`}},
		{name: "by number", ir: pointer(`{6442:"0","1"}{5921:"7"}`), want: []string{"SPV_INTEL_cache_controls", "CacheControlLoadINTEL 0 CachedINTEL", "BufferLocationINTEL 7"}, absent: []string{"UserSemantic"}},
		{
			name: "memory", ir: pointer("{memory:DEFAULT}{numbanks:4}{pump:2}{bank_bits:2,3}{merge:key:depth}{register:1}"),
			want: []string{"SPV_INTEL_fpga_memory_attributes", `MemoryINTEL "DEFAULT"`, "NumbanksINTEL 4", "DoublepumpINTEL", "BankBitsINTEL 2 3", `MergeINTEL "key" "depth"`, "RegisterINTEL"},
		},
		{name: "accesses", ir: pointer("{params:7}{cache-size:64}"), want: []string{"SPV_INTEL_fpga_memory_accesses", "BurstCoalesceINTEL", "DontStaticallyCoalesceINTEL", "CacheSizeINTEL 64"}},
		{name: "other braces", ir: pointer("{foo}"), want: []string{`UserSemantic "{foo}"`}},
		{name: "not allowed", extensions: "-all", ir: pointer("{numbanks:4}"), want: []string{`UserSemantic "{numbanks:4}"`}},
	})
}
