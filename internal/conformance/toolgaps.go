package main

import (
	"bytes"
	"slices"
)

// toolGap is a message of a validator or reader about a module that is as it should be.
// docs/to-spirv.md has the same rows.
type toolGap struct{ message, reason string }

// validatorGaps are those of spirv-val, of Debian's 2023.1 or of 2025.5.
var validatorGaps = []toolGap{
	{"Invalid capability operand", "the capability of an extension that the validator does not know"},
	{"Invalid decoration operand: 5940", "RuntimeAlignedINTEL of SPV_INTEL_runtime_aligned"},
	{"Invalid cooperative matrix operands operand: 64", "the interpretation of matrices as bfloat16, of SPV_INTEL_joint_matrix"},
	{"Invalid opcode", "an instruction of an extension that the validator does not know"},
	{"Invalid extension", "the headers of SYCL name it in the module's metadata"},
	{"OptNoneINTEL(6094) requires one of these extensions", "the capability of SPV_EXT_optnone has the number of an older extension"},
	{"OpAsmTargetINTEL", "SPV_INTEL_inline_assembly: 2023.1 takes the result of the instruction for an operand"},
	{"OpConstantFunctionPointerINTEL", "SPV_INTEL_function_pointers: the constant names its function before that is defined"},
	{"Invalid use of function type result id", "SPV_INTEL_function_pointers: types of pointers to functions"},
	{"AliasDomainDeclINTEL must appear in a block", "SPV_INTEL_memory_access_aliasing has these instructions among the types"},
	{"DebugTypeArray: Component Count must be", "OpenCL.DebugInfo.100: spirv-val takes the lower bounds that llvm-spirv writes after the counts, DebugInfoNone or 0, for counts"},
	{"Id is 0", "OpenCL.DebugInfo.100: imported entities, modules, and parameters of templates that are templates or packs have llvm-spirv's operands and numbers, as the readers of drivers want them"},
	{"expected no more operands", "the same"},
	{"used for OpTypeInt", "SPV_INTEL_arbitrary_precision_integers: more than 64 bits"},
	{"OpVariable storage class cannot be Generic", "the names of specialization constants that no option lowered; SYCL's headers put them there"},
	{"Variable storage class cannot be Generic", "the same, in the words of 2025.5"},
}

// readerGaps are those of the released translator's reverse direction.
var readerGaps = []toolGap{
	{"uses unknown extension", "an extension from after the reader's release"},
}

// findGap returns the message of a gap that a tool's output has, "" if it has none.
func findGap(gaps []toolGap, output []byte) string {
	i := slices.IndexFunc(gaps, func(g toolGap) bool { return bytes.Contains(output, []byte(g.message)) })
	if i < 0 {
		return ""
	}
	return gaps[i].message
}
