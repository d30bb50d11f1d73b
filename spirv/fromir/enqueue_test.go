package fromir_test

import "testing"

// blocks is a module as clang makes it of enqueue_kernel: the functions of blocks, and
// a kernel that enqueues them.
const blocks = `
%struct.ndrange_t = type { i32, [3 x i64], [3 x i64], [3 x i64] }
@literal = internal addrspace(1) constant { i32, i32, ptr addrspace(4) } { i32 16, i32 8, ptr addrspace(4) addrspacecast (ptr @__k_block_invoke to ptr addrspace(4)) }
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %range = alloca %struct.ndrange_t, align 8
  %block = alloca <{ i32, i32, ptr addrspace(4), ptr addrspace(1) }>, align 8
  %sizes = alloca [2 x i64], align 8
  %event = alloca target("spirv.DeviceEvent"), align 8
  %event4 = addrspacecast ptr %event to ptr addrspace(4)
  %queue = call spir_func target("spirv.Queue") @_Z17get_default_queuev()
  call spir_func void @_Z10ndrange_1Dmmm(ptr sret(%struct.ndrange_t) align 8 %range, i64 1, i64 10, i64 5)
  store i32 24, ptr %block, align 8
  %align = getelementptr inbounds <{ i32, i32, ptr addrspace(4), ptr addrspace(1) }>, ptr %block, i32 0, i32 1
  store i32 8, ptr %align, align 4
  %member = getelementptr inbounds <{ i32, i32, ptr addrspace(4), ptr addrspace(1) }>, ptr %block, i32 0, i32 2
  store ptr addrspace(4) addrspacecast (ptr @__k_block_invoke_2 to ptr addrspace(4)), ptr %member, align 8
  %block4 = addrspacecast ptr %block to ptr addrspace(4)
  BODY
  ret void
}
define internal spir_func void @__k_block_invoke(ptr addrspace(4) %b) { ret void }
define internal spir_func void @__k_block_invoke_2(ptr addrspace(4) %b) { ret void }
define spir_kernel void @__k_block_invoke_kernel(ptr addrspace(4) %b) {
  call spir_func void @__k_block_invoke(ptr addrspace(4) %b)
  ret void
}
define spir_kernel void @__k_block_invoke_2_kernel(ptr addrspace(4) %b, ptr addrspace(3) %l) {
  %first = load i32, ptr addrspace(3) %l
  ret void
}
declare spir_func target("spirv.Queue") @_Z17get_default_queuev()
declare spir_func void @_Z10ndrange_1Dmmm(ptr sret(%struct.ndrange_t), i64, i64, i64)
declare spir_func void @_Z10ndrange_2DPKm(ptr sret(%struct.ndrange_t), ptr)
declare spir_func i32 @__enqueue_kernel_basic(target("spirv.Queue"), i32, ptr, ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__enqueue_kernel_events_varargs(target("spirv.Queue"), i32, ptr, i32, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), i32, ptr)
declare spir_func i32 @__get_kernel_max_sub_group_size_for_ndrange_impl(ptr, ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_(target("spirv.Queue"), i32, ptr addrspace(4), ptr addrspace(4))
!opencl.ocl.version = !{!0}
!0 = !{i32 2, i32 0}
`

// TestEnqueue: enqueue_kernel names the kernel of the block and the layout of its
// literal. The addresses of the functions in literals, which nobody reads, are null.
func TestEnqueue(t *testing.T) {
	const basic = "%r = call spir_func i32 @__enqueue_kernel_basic(target(\"spirv.Queue\") %queue, i32 %n, ptr byval(%struct.ndrange_t) %range, ptr addrspace(4) addrspacecast (ptr @"
	checkConstructs(t, []construct{
		{
			name: "block with variables", extensions: "-all", ir: replaceBody(blocks, basic+"__k_block_invoke_2_kernel to ptr addrspace(4)), ptr addrspace(4) %block4)"),
			want: []string{"OpCapability DeviceEnqueue", "OpConstant", " 24", "OpBuildNDRange", "OpEnqueueKernel", "%queue %n %range", "%__k_block_invoke_2_kernel"}, absent: []string{"FunctionPointer"},
		},
		{
			name: "block without variables", extensions: "-all", ir: replaceBody(blocks, basic+"__k_block_invoke_kernel to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @literal to ptr addrspace(4)))"),
			want: []string{"OpConstantNull", "OpVariable", "OpEnqueueKernel", "%__k_block_invoke_kernel"}, absent: []string{"FunctionPointer"},
		},
		{
			name: "events and local memory", extensions: "-all", ir: replaceBody(blocks, "%r = call spir_func i32 @__enqueue_kernel_events_varargs(target(\"spirv.Queue\") %queue, i32 %n, ptr %range, i32 1, ptr addrspace(4) %event4, ptr addrspace(4) %event4, ptr addrspace(4) addrspacecast (ptr @__k_block_invoke_2_kernel to ptr addrspace(4)), ptr addrspace(4) %block4, i32 2, ptr %sizes)"),
			want: []string{"OpPtrAccessChain", "OpPtrAccessChain", "OpEnqueueKernel", "%event4 %event4 %__k_block_invoke_2_kernel"},
		},
		{
			name: "query", extensions: "-all", ir: replaceBody(blocks, "%r = call spir_func i32 @__get_kernel_max_sub_group_size_for_ndrange_impl(ptr %range, ptr addrspace(4) addrspacecast (ptr @__k_block_invoke_2_kernel to ptr addrspace(4)), ptr addrspace(4) %block4)"),
			want: []string{"OpGetKernelNDrangeMaxSubGroupSize", "%range %__k_block_invoke_2_kernel"},
		},
		{
			name: "range of two dimensions", extensions: "-all", ir: replaceBody(blocks, "call spir_func void @_Z10ndrange_2DPKm(ptr sret(%struct.ndrange_t) align 8 %range, ptr %sizes)"),
			want: []string{"OpTypeArray", "OpBuildNDRange", "OpLoad", "OpBuildNDRange"},
		},
		{
			name: "marker", extensions: "-all", ir: replaceBody(blocks, "%r = call spir_func i32 @_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_(target(\"spirv.Queue\") %queue, i32 1, ptr addrspace(4) %event4, ptr addrspace(4) %event4)"),
			want: []string{"OpEnqueueMarker"},
		},
		{name: "block that is chosen", extensions: "-all", ir: replaceBody(blocks, "%r = call spir_func i32 @__enqueue_kernel_basic(target(\"spirv.Queue\") %queue, i32 %n, ptr %range, ptr addrspace(4) %block4, ptr addrspace(4) %block4)"), err: "blocks cannot be chosen"},
	})
}
