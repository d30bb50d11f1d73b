; bitcode of LLVM 23, printed by LLVM 22.1.0 (llvmlite 0.50.0)
source_filename = "scratch.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

$_ZTS2S1 = comdat any

$_ZTS2S2 = comdat any

$_ZTS2S3 = comdat any

@WGLocalMem = internal addrspace(3) global [64 x i8] poison, align 4
@__sycl_dynamicLocalMemoryPlaceholder_GV = linkonce_odr local_unnamed_addr addrspace(3) global ptr addrspace(3) poison

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2S1(ptr addrspace(1) noundef align 4 %0, ptr addrspace(3) noalias "sycl-implicit-local-arg" %1) local_unnamed_addr #0 comdat !sycl_fixed_targets !10 !sycl_kernel_omit_args !11 {
  store ptr addrspace(3) %1, ptr addrspace(3) @__sycl_dynamicLocalMemoryPlaceholder_GV, align 8
  %3 = load i32, ptr addrspace(1) %0, align 4, !tbaa !12
  %4 = tail call spir_func noundef i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 noundef 0) #6
  %5 = icmp ult i64 %4, 2147483648
  tail call void @llvm.assume(i1 %5)
  %6 = getelementptr inbounds i32, ptr addrspace(3) %1, i64 %4
  store i32 %3, ptr addrspace(3) %6, align 4, !tbaa !12
  tail call spir_func void @_Z22__spirv_ControlBarrieriii(i32 noundef 2, i32 noundef 2, i32 noundef 912) #7
  %7 = getelementptr inbounds i32, ptr addrspace(3) %1, i64 2
  %8 = load i32, ptr addrspace(3) %7, align 4, !tbaa !12
  %9 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 1
  store i32 %8, ptr addrspace(1) %9, align 4, !tbaa !12
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #1

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local spir_func noundef i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 noundef) local_unnamed_addr #2

; Function Attrs: convergent nounwind
declare dso_local spir_func void @_Z22__spirv_ControlBarrieriii(i32 noundef, i32 noundef, i32 noundef) local_unnamed_addr #3

; Function Attrs: convergent mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2S2(ptr addrspace(1) noundef align 4 %0, ptr addrspace(3) noalias "sycl-implicit-local-arg" %1) local_unnamed_addr #4 comdat !sycl_fixed_targets !10 !sycl_kernel_omit_args !11 {
  store ptr addrspace(3) %1, ptr addrspace(3) @__sycl_dynamicLocalMemoryPlaceholder_GV, align 8
  %3 = tail call spir_func noundef i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 noundef 0) #6
  %4 = icmp ult i64 %3, 2147483648
  tail call void @llvm.assume(i1 %4)
  %5 = getelementptr inbounds [16 x i32], ptr addrspace(3) @WGLocalMem, i64 0, i64 %3
  store i32 3, ptr addrspace(3) %5, align 4, !tbaa !12
  %6 = load i32, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @WGLocalMem, i64 8), align 4, !tbaa !12
  store i32 %6, ptr addrspace(1) %0, align 4, !tbaa !12
  ret void
}

; Function Attrs: mustprogress norecurse nounwind
define weak_odr dso_local spir_kernel void @_ZTS2S3(ptr addrspace(1) noundef align 4 %0) local_unnamed_addr #5 comdat !sycl_fixed_targets !10 !sycl_kernel_omit_args !13 {
  store i32 3, ptr addrspace(1) %0, align 4, !tbaa !12
  ret void
}

declare dso_local spir_func i32 @_Z18__spirv_ocl_printfPU3AS2Kcz(ptr addrspace(2), ...)

attributes #0 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="scratch.cpp" "sycl-optlevel"="2" "sycl-work-group-scratch" "sycl-work-group-static"="1" "uniform-work-group-size" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #2 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size" }
attributes #3 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size" }
attributes #4 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="scratch.cpp" "sycl-optlevel"="2" "sycl-work-group-static" "uniform-work-group-size" }
attributes #5 = { mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "sycl-module-id"="scratch.cpp" "sycl-optlevel"="2" "sycl-single-task" "uniform-work-group-size" }
attributes #6 = { convergent nounwind willreturn memory(none) "uniform-work-group-size" }
attributes #7 = { convergent nounwind "uniform-work-group-size" }

!llvm.module.flags = !{!0, !1}
!opencl.spir.version = !{!2}
!spirv.Source = !{!3}
!llvm.ident = !{!4}
!llvm.errno.tbaa = !{!5}

!0 = !{i32 1, !"sycl-device", i32 1}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 1, i32 2}
!3 = !{i32 4, i32 100000}
!4 = !{!"Intel(R) oneAPI DPC++/C++ Compiler 2026.2.0 (2026.2.0.20261001)"}
!5 = !{!6, !7, i64 0}
!6 = !{!"__libc_errno", !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{}
!11 = !{i1 false, i1 false}
!12 = !{!7, !7, i64 0}
!13 = !{i1 false}
