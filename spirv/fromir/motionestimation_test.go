package fromir_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestMotionEstimation: functions of cl_intel_device_side_avc_motion_estimation become the
// instructions that llvm-spirv 15 writes for them, of modules of either kind of types. All 148
// overloads of clang's header were compared with its output.
func TestMotionEstimation(t *testing.T) {
	const (
		payload = `target("spirv.AvcImePayloadINTEL")`
		result  = `target("spirv.AvcImeResultINTEL")`
		image   = `target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0)`
		sampler = `target("spirv.Sampler")`
		sic     = `target("spirv.AvcSicPayloadINTEL")`
		single  = `target("spirv.AvcImeResultSingleReferenceStreamoutINTEL")`
		double  = `target("spirv.AvcImeResultDualReferenceStreamoutINTEL")`
	)
	// types are those of the parameters, with semicolons between them.
	call := func(result, name, parameters, types string) string {
		var names []string
		arguments := strings.Split(types, "; ")
		for i, typ := range arguments {
			names = append(names, fmt.Sprintf("%s %%a%d", typ, i))
		}
		list := strings.Join(names, ", ")
		symbol := fmt.Sprintf("_Z%d%s%s", len(name), name, parameters)
		return fmt.Sprintf("define spir_func %[1]s @f(%[2]s) {\n%%r = call spir_func %[1]s @%[3]s(%[2]s)\nret %[1]s %%r\n}\ndeclare spir_func %[1]s @%[3]s(%[4]s)\n%[5]s",
			result, list, symbol, strings.Join(arguments, ", "), openclDoc)
	}
	const ime, imeResult = "37ocl_intel_sub_group_avc_ime_payload_t", "36ocl_intel_sub_group_avc_ime_result_t"
	const disputed = "must appear in a block"
	checkConstructs(t, []construct{
		{
			name: "instruction", ir: call(payload, "intel_sub_group_avc_ime_initialize", "Dv2_thh", "<2 x i16>; i8; i8"),
			want: []string{"SubgroupAvcMotionEstimationINTEL", "OpSubgroupAvcImeInitializeINTEL"}, absent: []string{"OpFunctionCall"}, disputed: disputed,
		},
		{
			name: "payload of a phase", ir: call(payload, "intel_sub_group_avc_ime_set_inter_base_multi_reference_penalty", "h"+ime, "i8; "+payload),
			want: []string{"OpSubgroupAvcImeConvertToMcePayloadINTEL", "OpSubgroupAvcMceSetInterBaseMultiReferencePenaltyINTEL", "OpSubgroupAvcMceConvertToImePayloadINTEL"}, disputed: disputed,
		},
		{
			name: "result of a phase", ir: call("i32", "intel_sub_group_avc_ime_get_inter_reference_ids", imeResult, result),
			want: []string{"OpSubgroupAvcImeConvertToMceResultINTEL", "OpSubgroupAvcMceGetInterReferenceIdsINTEL"}, disputed: disputed,
		},
		{
			name: "name of its own", ir: call("i16", "intel_sub_group_avc_ime_get_best_inter_distortion", imeResult, result),
			want: []string{"OpSubgroupAvcMceGetBestInterDistortionsINTEL"}, disputed: disputed,
		},
		{
			name: "sampler", ir: call(result, "intel_sub_group_avc_ime_evaluate_with_single_reference", "14ocl_image2d_roS_11ocl_sampler"+ime, image+"; "+image+"; "+sampler+"; "+payload),
			want: []string{"OpTypeVmeImageINTEL", "OpVmeImageINTEL", "OpVmeImageINTEL", "OpSubgroupAvcImeEvaluateWithSingleReferenceINTEL"}, disputed: disputed,
		},
		{
			name: "single reference", ir: call("i32", "intel_sub_group_avc_ime_get_streamout_major_shape_motion_vectors", "63ocl_intel_sub_group_avc_ime_result_single_reference_streamout_th", single+"; i8"),
			want: []string{"OpSubgroupAvcImeGetStreamoutSingleReferenceMajorShapeMotionVectorsINTEL"}, disputed: disputed,
		},
		{
			name: "two references", ir: call("i32", "intel_sub_group_avc_ime_get_streamout_major_shape_motion_vectors", "61ocl_intel_sub_group_avc_ime_result_dual_reference_streamout_thh", double+"; i8; i8"),
			want: []string{"OpSubgroupAvcImeGetStreamoutDualReferenceMajorShapeMotionVectorsINTEL"}, disputed: disputed,
		},
		{
			name: "luma", ir: call(sic, "intel_sub_group_avc_sic_configure_ipe", "hhhhhhh37ocl_intel_sub_group_avc_sic_payload_t", strings.Repeat("i8; ", 7)+sic),
			want: []string{"SubgroupAvcMotionEstimationIntraINTEL", "OpSubgroupAvcSicConfigureIpeLumaINTEL"}, disputed: disputed,
		},
		{
			name: "shorter prefix", ir: call("<2 x i16>", "intel_sub_group_ime_ref_window_size", "hc", "i8; i8"),
			want: []string{"OpSubgroupAvcImeRefWindowSizeINTEL"},
		},
		{
			name: "opaque struct",
			ir: "%opencl.intel_sub_group_avc_ime_payload_t = type opaque\ndefine spir_func void @f(%opencl.intel_sub_group_avc_ime_payload_t* %a) {\n" +
				"%r = call spir_func %opencl.intel_sub_group_avc_ime_payload_t* @_Z42intel_sub_group_avc_ime_set_dual_referenceDv2_sS_h" + ime + "(<2 x i16> zeroinitializer, <2 x i16> zeroinitializer, i8 1, %opencl.intel_sub_group_avc_ime_payload_t* %a)\nret void\n}\n" +
				"declare spir_func %opencl.intel_sub_group_avc_ime_payload_t* @_Z42intel_sub_group_avc_ime_set_dual_referenceDv2_sS_h" + ime + "(<2 x i16>, <2 x i16>, i8, %opencl.intel_sub_group_avc_ime_payload_t*)\n" + openclDoc,
			want: []string{"OpTypeAvcImePayloadINTEL", "OpSubgroupAvcImeSetDualReferenceINTEL"}, disputed: disputed,
		},
		{
			name: "no such function", ir: call("i32", "intel_sub_group_avc_ime_get_colour", imeResult, result),
			err: "intel_sub_group_avc_ime_get_colour is not a function of cl_intel_device_side_avc_motion_estimation",
		},
		{
			name: "another phase", ir: call("i32", "intel_sub_group_avc_ref_get_inter_reference_ids", imeResult, result),
			err: "its last argument is neither a payload nor a result of ref",
		},
	})
}
